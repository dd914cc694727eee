// Package watching shows every frame of a column to the watchers of the column, and adds
// up their opinions.
package watching

import (
	"fmt"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Watchers are the watchers of one column, and the sums of their opinions over all
// connections.
type Watchers struct {
	Common *Opinions // of similar runs; nil for none

	order map[string]int // the place of each case by id: every run chooses the same evidence

	mu      sync.Mutex
	tallies []*tally
	said    map[probe.Digest][]opinion // by watcher, on the twins of a message; unknown where it has an objection or a memory

	sharing sync.Once
	shelf   *shelf // what these watchers share with those of similar runs
}

// mostDigests is how many messages are remembered. The digests of other messages are judged again.
const mostDigests = 10_000

// A Sum adds up the opinions of one watcher.
type Sum struct {
	Judged bool             // the watcher had an opinion
	Broken int              // how often the rule was broken
	Worst  *probe.Violation // the violation that the finding shows
	By     string           // the case on whose connection the rule was broken; empty before the first case
	Panics string
	Err    error // an error of the kit itself
}

type tally struct {
	Sum
	of   *suite.Case
	from place
}

// place says where in the run a violation was seen, independent of timing.
type place struct{ job, seq int }

// Add adds a watcher, before the first frame.
func (w *Watchers) Add(c *suite.Case) { w.tallies = append(w.tallies, &tally{of: c}) }

// Order sets the place of each case in the run, before the first frame. Frames before the
// first case have the place 0.
func (w *Watchers) Order(cases map[string]int) { w.order = cases }

// Link makes the watchers of one connection, and the function that shows them its frames.
func (w *Watchers) Link() func(probe.Seen) {
	eyes := make([]probe.Watcher, len(w.tallies))
	for i := range w.tallies {
		eyes[i] = w.begin(i)
	}
	view := &probe.Connection{}
	return func(s probe.Seen) {
		defer s.Hold()()
		at := view.See(s)
		twin, named := at.Digest()
		said, seen := w.saidOf(twin)
		var lasting []opinion
		if named && !seen {
			said, lasting = w.usual(twin.Text(), eyes), make([]opinion, len(eyes))
			copy(lasting, said)
			defer func() { w.remember(twin, said, lasting) }()
		}
		for i, eye := range eyes {
			if eye == nil || !at.Concerns(eye) || said != nil && said[i] != unknown {
				continue
			}
			alive, opinion := w.show(i, eye, at)
			if !alive {
				eyes[i] = nil
			}
			if lasting == nil || probe.Remembers(eye) {
				continue
			}
			if said[i] = opinion; !at.Surveyed() {
				lasting[i] = opinion
			}
		}
	}
}

// saidOf returns the opinions on the twins of a message, and whether a twin was seen.
func (w *Watchers) saidOf(twin probe.Digest) (said []opinion, seen bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	said, seen = w.said[twin]
	return said, seen
}

// remember keeps the opinions on a message for its twins in this run, and those that
// depend on the text only for other runs.
func (w *Watchers) remember(twin probe.Digest, said, lasting []opinion) {
	w.shared().keep(twin.Text(), lasting)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said == nil {
		w.said = map[probe.Digest][]opinion{}
	}
	if len(w.said) < mostDigests {
		w.said[twin] = said
	}
}

// usual returns the opinions of other runs on a text, as those of these watchers.
func (w *Watchers) usual(text probe.Text, eyes []probe.Watcher) []opinion {
	said := make([]opinion, len(eyes))
	copy(said, w.shared().find(text))
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, one := range said {
		if one == content && eyes[i] != nil {
			w.tallies[i].Judged = true
		}
	}
	return said
}

// begin makes one watcher, or returns nil if its constructor panicked.
func (w *Watchers) begin(i int) probe.Watcher {
	defer w.caught(i)
	return w.tallies[i].of.Watch()
}

// caught keeps the panic of a watcher for the finding.
func (w *Watchers) caught(i int) {
	if r := recover(); r != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tallies[i].Panics = fmt.Sprint(r)
	}
}

// show shows a frame to a watcher. A watcher that is not alive panicked and must not be
// asked again. The opinion is unknown if the watcher has an objection.
func (w *Watchers) show(i int, eye probe.Watcher, s *probe.WatchedFrame) (alive bool, on opinion) {
	defer w.caught(i)
	said := s.ShownTo(eye)
	v := said.Violation()
	switch {
	case v != nil || said.Err() != nil:
		on = unknown
	case said.Judged():
		on = content
	default:
		return true, silent
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	y := w.tallies[i]
	if y.Err == nil {
		y.Err = said.Err()
	}
	if !said.Judged() {
		return true, on
	}
	y.Judged = true
	if v == nil {
		return true, on
	}
	y.Broken++
	at := place{w.order[s.Case], s.Seq}
	if y.Worst == nil || heavier(v, y.Worst) || !heavier(y.Worst, v) && y.before(at, v) {
		y.Worst, y.from, y.By = v, at, s.Case
	}
	return true, on
}

// before prefers the earlier place. Two connections of one case have the same places; then
// the problem that sorts first is preferred, whichever connection was quicker.
func (y *tally) before(at place, v *probe.Violation) bool {
	return earlier(at, y.from) || at == y.from && v.Problem < y.Worst.Problem
}

func heavier(a, b *probe.Violation) bool { return !a.WarnsOnly() && b.WarnsOnly() }

func earlier(a, b place) bool {
	return a.job < b.job || a.job == b.job && a.seq < b.seq
}

// Of gives the sum of the watcher of a case so far.
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
