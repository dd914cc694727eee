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
	Case   *suite.Case
}

// Quick reports whether a case takes little time by its nature.
func Quick(c *suite.Case) bool { return !opens(c) && !slow(c) }

// opens reports whether a case opens a connection.
func opens(c *suite.Case) bool { return c.Lane == suite.Fresh || c.Raw }

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

// place orders the jobs of a phase: cases about capabilities, which yield most findings, come
// first.
func (j Job) place() int {
	aboutCapability := func(n suite.Need) bool { return n.Any[0].Kind == suite.CapabilityKind }
	if slices.ContainsFunc(j.Case.Needs, aboutCapability) {
		return 0
	}
	return 1
}

// slow reports whether a case takes time by its nature: it calls many tools or slow ones, or
// looks for effects, which may come late.
func slow(c *suite.Case) bool {
	return c.Long || c.Observes != "" || slices.ContainsFunc(c.Needs, func(n suite.Need) bool {
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
	tried map[trial]int  // how many workers are at each trial
	slow  int            // how many slow cases run
	most  int            // how many slow cases run at most while others are left
}

// A turn is a job that is to be handed out.
type turn struct {
	at            int // the job's place in what was given
	column, phase int
	place         int
	suite         string
	trial         trial
	slow          bool // it comes before others beside which it can run
}

// A trial is what several jobs of a column learn from; its name is empty for a job of its own.
type trial struct {
	column int
	name   string
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
		all = append(all, turn{at: i, column: column, phase: j.phase(), place: j.place(), suite: j.Suite,
			trial: trial{column, j.Case.Trial}, slow: workers > 1 && slow(j.Case)})
	}
	slices.SortStableFunc(all, func(a, b turn) int {
		return cmp.Or(a.column-b.column, a.phase-b.phase, a.place-b.place)
	})
	l := &List{there: map[string]int{}, tried: map[trial]int{}, most: max(1, workers-others)}
	for i, t := range all {
		if i == 0 || t.column != all[i-1].column || t.phase != all[i-1].phase {
			l.left = append(l.left, nil)
		}
		last := len(l.left) - 1
		l.left[last] = append(l.left[last], t)
	}
	return l
}

// others is how many workers are left to quick cases, which keep the machine busy while the
// tools of slow cases take their time.
const others = 2

// Worker yields the places of the jobs for one worker.
func (l *List) Worker() iter.Seq[int] {
	return func(yield func(int) bool) {
		var last turn
		for {
			next, ok := l.next(last)
			if !ok || !yield(next.at) {
				return
			}
			last = next
		}
	}
}

// next is the turn of a worker after its last one, which is empty at first.
func (l *List) next(last turn) (next turn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(last, -1)
	phase, at, ok := l.choose(last)
	if !ok {
		return turn{}, false
	}
	next = l.left[phase][at]
	l.left[phase] = slices.Delete(l.left[phase], at, at+1)
	if len(l.left[phase]) == 0 {
		l.left = slices.Delete(l.left, phase, phase+1)
	}
	l.count(next, 1)
	return next, true
}

// count notes that a turn begins or ends.
func (l *List) count(t turn, change int) {
	l.there[t.suite] += change
	l.tried[t.trial] += change
	if t.slow {
		l.slow += change
	}
}

// choose finds a turn in the first phase that has one for a worker: one of the trial that the
// worker is at, or else a slow one, unless so many run already that the others would have no
// worker, and of these the first one of the worker's own suite, or else of a suite without a
// worker, or else of any suite. It is the first one since some cases learn what the next ones
// need. What belongs to the trial of another worker is left to that one.
func (l *List) choose(last turn) (phase, at int, ok bool) {
	for phase, turns := range l.left {
		best, rank := 0, -1
		for i, t := range turns {
			if r := l.rank(t, last); r > rank {
				best, rank = i, r
			}
		}
		if rank >= 0 {
			return phase, best, true
		}
	}
	return 0, 0, false
}

// rank says how well a turn fits a worker after its last one; it is negative if not at all.
func (l *List) rank(t, last turn) int {
	const ofTrial, ofSpeed, ofSuite, elsewhere = 8, 3, 2, 1
	r := 0
	if t.trial.name != "" {
		switch {
		case t.trial == last.trial:
			r += ofTrial
		case l.tried[t.trial] > 0:
			return -1
		}
	}
	if t.slow == (l.slow < l.most) {
		r += ofSpeed
	}
	switch {
	case t.suite == last.suite:
		r += ofSuite
	case l.there[t.suite] == 0:
		r += elsewhere
	}
	return r
}
