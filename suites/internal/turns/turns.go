// Package turns hands out the cases of a run to workers, each of which judges one case after
// the other. A worker stays with the suite of its last case: cases of one suite often need
// the same, which the worker's connection has at hand by then.
package turns

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Job is a case in a column.
type Job struct {
	Column any // jobs of one column stand together
	Suite  string
	Case   suite.Case
}

// Quick reports whether a case takes little time by its nature.
func Quick(c suite.Case) bool { return !opens(c) && !slow(c) }

// opens reports whether a case opens a connection.
func opens(c suite.Case) bool { return c.Lane == suite.Fresh || c.Raw }

// phase puts the jobs of a column into phases that begin one after the other. Cases on open
// connections come before cases that open one. Among these, cases that others depend on come
// first.
func (j Job) phase() int {
	phase := 0
	if opens(j.Case) {
		phase = 2
	}
	if len(j.Case.Proves) == 0 {
		phase++
	}
	return phase
}

// place orders the jobs of a phase: cases that call slow tools begin first where others run
// beside them, then come cases about capabilities, which yield most findings.
func (j Job) place(beside bool) int {
	aboutCapability := func(n suite.Need) bool { return n.Any[0].Kind == suite.CapabilityKind }
	switch {
	case beside && slow(j.Case):
		return slowest
	case slices.ContainsFunc(j.Case.Needs, aboutCapability):
		return 1
	default:
		return 2
	}
}

// slowest is the place of cases that call slow tools.
const slowest = 0

// slow reports whether a case calls tools that take time by their nature.
func slow(c suite.Case) bool {
	return slices.ContainsFunc(c.Needs, func(n suite.Need) bool {
		return slices.ContainsFunc(slowRoles(), n.Asks)
	})
}

func slowRoles() []roles.Name {
	return []roles.Name{
		roles.SlowTool, roles.ProgressTool, roles.LoggingTool, roles.StreamTool, roles.TaskTool, roles.ClientRequest, roles.InputRequired,
	}
}

// A List hands out jobs. Several goroutines may use it at once.
type List struct {
	mu    sync.Mutex
	left  [][]turn       // by phase
	there map[string]int // by suite: how many workers are there
}

// A turn is a job that is to be handed out.
type turn struct {
	at            int // the job's place in what was given
	column, phase int
	place         int
	suite         string
}

// Of makes a list for so many workers. For one worker slow cases do not begin first: nothing
// would run beside them, and the first findings would come late.
func Of(jobs []Job, workers int) *List {
	var all []turn
	column := 0
	for i, j := range jobs {
		if i > 0 && j.Column != jobs[i-1].Column {
			column++
		}
		all = append(all, turn{at: i, column: column, phase: j.phase(), place: j.place(workers > 1), suite: j.Suite})
	}
	slices.SortStableFunc(all, func(a, b turn) int {
		return cmp.Or(a.column-b.column, a.phase-b.phase, a.place-b.place)
	})
	l := &List{there: map[string]int{}}
	for i, t := range all {
		if i == 0 || t.column != all[i-1].column || t.phase != all[i-1].phase {
			l.left = append(l.left, nil)
		}
		last := len(l.left) - 1
		l.left[last] = append(l.left[last], t)
	}
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
	next = l.left[0][at]
	l.left[0] = slices.Delete(l.left[0], at, at+1)
	if len(l.left[0]) == 0 {
		l.left = l.left[1:]
	}
	l.there[next.suite]++
	return next, true
}

// choose finds a turn in the phase: the first one of the worker's own suite, or else of a suite
// without a worker, or else of another suite, where slow cases come last: their tools may leave
// the worker waiting. It is the first one since some cases learn what the next ones need.
func (l *List) choose(own string) int {
	free, swift, long := -1, -1, -1
	for i, t := range l.left[0] {
		switch {
		case t.suite == own:
			return i
		case l.there[t.suite] == 0:
			free = first(free, i)
		case t.place == slowest:
			long = first(long, i)
		default:
			swift = first(swift, i)
		}
	}
	return first(free, first(swift, long))
}

// first is the first of two places that is one.
func first(a, b int) int {
	if a < 0 {
		return b
	}
	return a
}
