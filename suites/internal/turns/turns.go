// Package turns hands out the cases of a run to workers, each of which judges one case after
// the other. A worker stays with the suite of its last case: cases of one suite often need
// the same, which the worker's connection has at hand by then.
package turns

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Job is a case in a column.
type Job struct {
	Column any // jobs of one column stand together
	Suite  string
	Case   suite.Case
}

// Opens reports whether a case opens a connection.
func Opens(c suite.Case) bool { return c.Lane == suite.Fresh || c.Raw }

// urgency orders the jobs of a column; the job with the least urgency starts first. Cases
// on open connections come before cases that open one. Among these, cases that others
// depend on come first, then cases about capabilities, which yield most findings.
func (j Job) urgency() int {
	urgency := 0
	if Opens(j.Case) {
		urgency = 3
	}
	switch {
	case len(j.Case.Proves) > 0:
		return urgency
	case slices.ContainsFunc(j.Case.Needs, func(n suite.Need) bool { return n.Any[0].Kind == suite.CapabilityKind }):
		return urgency + 1
	default:
		return urgency + 2
	}
}

// A List hands out jobs. Several goroutines may use it at once.
type List struct {
	mu    sync.Mutex
	left  []turn
	there map[string]int // by suite: how many workers are there
}

// A turn is a job that is to be handed out.
type turn struct {
	at             int // the job's place
	column, urgent int
	suite          string
}

// alike reports whether two turns may change places.
func (t turn) alike(as turn) bool { return t.column == as.column && t.urgent == as.urgent }

// Of makes a list. A column begins when all jobs of the columns before it have been handed
// out, and so does each degree of urgency.
func Of(jobs []Job) *List {
	l := &List{there: map[string]int{}}
	column := 0
	for i, j := range jobs {
		if i > 0 && j.Column != jobs[i-1].Column {
			column++
		}
		l.left = append(l.left, turn{at: i, column: column, urgent: j.urgency(), suite: j.Suite})
	}
	slices.SortStableFunc(l.left, func(a, b turn) int { return cmp.Or(a.column-b.column, a.urgent-b.urgent) })
	return l
}

// Worker yields the places of the jobs for one worker.
func (l *List) Worker() iter.Seq[int] {
	return func(yield func(int) bool) {
		var last string
		for {
			next, ok := l.next(last)
			if !ok || !yield(next.at) {
				return
			}
			last = next.suite
		}
	}
}

// next is the turn of a worker whose last job was of a suite, which is empty at first.
func (l *List) next(last string) (next turn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there[last]--
	if len(l.left) == 0 {
		return turn{}, false
	}
	at := l.choose(last)
	next = l.left[at]
	l.left = slices.Delete(l.left, at, at+1)
	l.there[next.suite]++
	return next, true
}

// choose takes a turn of the worker's own suite, or else the first one of a suite without a
// worker, or else the last one of another suite, whose worker would come to it last.
func (l *List) choose(own string) int {
	free, shared := -1, -1
	for i, t := range l.left {
		switch {
		case !t.alike(l.left[0]):
		case t.suite == own:
			return i
		case l.there[t.suite] > 0:
			shared = i
		case free < 0:
			free = i
		}
	}
	if free >= 0 {
		return free
	}
	return shared
}
