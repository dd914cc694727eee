// Package watching shows every frame of a column to its watchers and adds up what they
// say of it.
package watching

import (
	"fmt"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Watchers are those of one column, and what they saw on all of its connections.
type Watchers struct {
	order map[string]int // cases by id, to choose evidence the same way in every run

	mu      sync.Mutex
	tallies []*tally
	content map[probe.Twin][]bool // by watcher: it has nothing against twins of a message
}

// mostTwins is how many messages are remembered; twins of others are judged again.
const mostTwins = 10_000

// A Sum is what a watcher saw in all.
type Sum struct {
	Judged bool             // it had something to say
	Broken int              // so often it saw the rule broken
	Worst  *probe.Violation // the one that is shown
	By     string           // the case on whose connection that was; empty when it was nobody's yet
	Panics string
	Err    error // of the kit itself
}

type tally struct {
	Sum
	of   suite.Case
	from place
}

// place says where in the run a violation was seen, independent of timing.
type place struct{ kase, seq int }

// Add takes a watcher in, ahead of the first frame.
func (w *Watchers) Add(c suite.Case) { w.tallies = append(w.tallies, &tally{of: c}) }

// Order says where each case stands in the run, ahead of the first frame. What was said
// ahead of any case stands at 0.
func (w *Watchers) Order(cases map[string]int) { w.order = cases }

// Link makes the watchers of one connection.
func (w *Watchers) Link() func(probe.Seen) {
	eyes := make([]probe.Watcher, len(w.tallies))
	for i := range w.tallies {
		eyes[i] = w.begin(i)
	}
	view := &probe.View{}
	return func(s probe.Seen) {
		defer s.Hold()()
		at := view.See(s)
		twin, named := at.Twin()
		content, seen := w.saidOf(twin)
		if named && !seen {
			content = make([]bool, len(eyes))
			defer func() { w.remember(twin, content) }()
		}
		for i, eye := range eyes {
			if eye == nil || !at.Concerns(eye) || seen && content[i] {
				continue
			}
			alive, nothing := w.show(i, eye, at)
			if !alive {
				eyes[i] = nil
			}
			if named && !seen {
				content[i] = nothing && !probe.Remembers(eye)
			}
		}
	}
}

// saidOf tells which watchers have nothing against twins of a message, if one was seen.
func (w *Watchers) saidOf(twin probe.Twin) (content []bool, seen bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	content, seen = w.content[twin]
	return content, seen
}

func (w *Watchers) remember(twin probe.Twin, content []bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.content == nil {
		w.content = map[probe.Twin][]bool{}
	}
	if len(w.content) < mostTwins {
		w.content[twin] = content
	}
}

// begin makes one watcher; nil means that it panicked.
func (w *Watchers) begin(i int) probe.Watcher {
	defer w.caught(i)
	return w.tallies[i].of.Watch()
}

// caught keeps the panic of a watcher for its finding.
func (w *Watchers) caught(i int) {
	if r := recover(); r != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tallies[i].Panics = fmt.Sprint(r)
	}
}

// show lets a watcher see a frame. One that is not alive panicked and must not be asked
// again; one that is content has nothing against the frame.
func (w *Watchers) show(i int, eye probe.Watcher, s *probe.Sight) (alive, content bool) {
	defer w.caught(i)
	said := s.ShownTo(eye)
	v := said.Violation()
	content = v == nil && said.Err() == nil
	if !said.Judged() && said.Err() == nil {
		return true, content
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	y := w.tallies[i]
	if y.Err == nil {
		y.Err = said.Err()
	}
	if !said.Judged() {
		return true, content
	}
	y.Judged = true
	if v == nil {
		return true, content
	}
	y.Broken++
	at := place{w.order[s.Case], s.Seq}
	if y.Worst == nil || heavier(v, y.Worst) || !heavier(y.Worst, v) && y.before(at, v) {
		y.Worst, y.from, y.By = v, at, s.Case
	}
	return true, content
}

// before prefers the earlier place; of two connections of one case, which have
// the same places, the one whose problem sorts first, not the quicker one.
func (y *tally) before(at place, v *probe.Violation) bool {
	return earlier(at, y.from) || at == y.from && v.Problem < y.Worst.Problem
}

func heavier(a, b *probe.Violation) bool { return !a.WarnsOnly() && b.WarnsOnly() }

func earlier(a, b place) bool {
	return a.kase < b.kase || a.kase == b.kase && a.seq < b.seq
}

// Of is what the watcher of a case saw so far.
func (w *Watchers) Of(id string) Sum {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, y := range w.tallies {
		if y.of.ID == id {
			return y.Sum
		}
	}
	return Sum{}
}
