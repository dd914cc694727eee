package engine

import (
	"fmt"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// The watchers of one column, and what they saw on all of its connections.
type watchers struct {
	order map[string]int // cases by id, to choose evidence the same way in every run

	mu      sync.Mutex
	tallies []*tally
}

type tally struct {
	job    *job
	judged int
	broken int
	worst  *probe.Violation
	from   place
	by     string // the case on whose connection that was; empty when it was nobody's yet
	panics string
	err    error // of the kit itself
}

// place says where in the run a violation was seen, independent of timing.
type place struct{ kase, seq int }

// link makes the watchers of one connection.
func (w *watchers) link() func(probe.Seen) {
	eyes := make([]probe.Watcher, len(w.tallies))
	for i := range w.tallies {
		eyes[i] = w.begin(i)
	}
	view := &probe.View{}
	return func(s probe.Seen) {
		defer s.Hold()()
		at := view.See(s)
		for i, eye := range eyes {
			if eye != nil && !w.show(i, eye, at) {
				eyes[i] = nil
			}
		}
	}
}

// begin makes one watcher; nil means that it panicked.
func (w *watchers) begin(i int) probe.Watcher {
	defer w.caught(i)
	return w.tallies[i].job.Case.Watch()
}

// caught keeps the panic of a watcher for its finding.
func (w *watchers) caught(i int) {
	if r := recover(); r != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tallies[i].panics = fmt.Sprint(r)
	}
}

// show lets a watcher see a frame; false means that it panicked and must not
// be asked again.
func (w *watchers) show(i int, eye probe.Watcher, s *probe.Sight) (alive bool) {
	defer w.caught(i)
	said := s.ShownTo(eye)
	v := said.Violation()
	if !said.Judged() && said.Err() == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	y := w.tallies[i]
	if y.err == nil {
		y.err = said.Err()
	}
	if !said.Judged() {
		return true
	}
	y.judged++
	if v == nil {
		return true
	}
	y.broken++
	at := place{w.order[s.Case], s.Seq}
	if y.worst == nil || heavier(v, y.worst) || !heavier(y.worst, v) && y.before(at, v) {
		y.worst, y.from, y.by = v, at, s.Case
	}
	return true
}

// before prefers the earlier place; of two connections of one case, which have
// the same places, the one whose problem sorts first, not the quicker one.
func (y *tally) before(at place, v *probe.Violation) bool {
	return earlier(at, y.from) || at == y.from && v.Problem < y.worst.Problem
}

func heavier(a, b *probe.Violation) bool { return !a.WarnsOnly() && b.WarnsOnly() }

func earlier(a, b place) bool {
	return a.kase < b.kase || a.kase == b.kase && a.seq < b.seq
}

// settle turns what a watcher saw into its finding, once the column is done.
func (w *watchers) settle(j *job) reports.Finding {
	if why, unmet := j.col.unmet(j.Spec); unmet {
		return skipped(j.blank(), why)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	y := w.tallies[slices.IndexFunc(w.tallies, func(y *tally) bool { return y.job == j })]
	switch {
	case y.panics != "":
		return unjudged(j, fmt.Errorf("the case panicked: %s", y.panics))
	case y.worst != nil:
		f := j.broken(y.worst)
		f.Count, f.Again = y.broken, j.col.server.run.again(j.Spec, y.by)
		return f
	case y.err != nil:
		return unjudged(j, y.err)
	case y.judged > 0:
		f := j.blank()
		f.Status = reports.Pass
		return f
	default:
		return skipped(j.blank(), reports.Reason{Kind: reports.NotSeen, Text: "a message that this rule is about"})
	}
}
