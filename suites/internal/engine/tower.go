package engine

import (
	"fmt"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A tower holds the watchers of one column and adds up what they saw on all
// of its connections.
type tower struct {
	order map[string]int // cases by id, to choose evidence the same way in every run

	mu      sync.Mutex
	tallies []*tally
}

type tally struct {
	spec   Spec
	judged int
	broken int
	worst  *probe.Violation
	from   place
	by     string // the case on whose connection that was; empty when it was nobody's yet
	panics string
}

// place says where in the run a violation was seen, independent of timing.
type place struct{ kase, seq int }

// link makes the watchers of one connection.
func (t *tower) link() func(probe.Seen) {
	watchers := make([]probe.Watcher, len(t.tallies))
	for i := range t.tallies {
		watchers[i] = t.begin(i)
	}
	return func(s probe.Seen) {
		for i, w := range watchers {
			if w != nil && !t.show(i, w, s) {
				watchers[i] = nil
			}
		}
	}
}

// begin makes one watcher; nil means that it panicked.
func (t *tower) begin(i int) probe.Watcher {
	defer t.caught(i)
	return t.tallies[i].spec.Case.Watch()
}

// caught keeps the panic of a watcher for its finding.
func (t *tower) caught(i int) {
	if r := recover(); r != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.tallies[i].panics = fmt.Sprint(r)
	}
}

// show lets a watcher see a frame; false means that it panicked and must not
// be asked again.
func (t *tower) show(i int, w probe.Watcher, s probe.Seen) (alive bool) {
	defer t.caught(i)
	judged, v := w.See(s)
	if !judged && v == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	y := t.tallies[i]
	y.judged++
	if v == nil {
		return true
	}
	y.broken++
	at := place{t.order[s.Case], s.Seq}
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
func (g *Gathering) settle(t *tower, s Spec) reports.Finding {
	f := g.finding(s)
	if why, unmet := g.unmet(s); unmet {
		return skipped(f, why)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	y := t.tally(s)
	switch {
	case y.panics != "":
		return g.unjudged(f, fmt.Errorf("the case panicked: %s", y.panics))
	case y.worst != nil:
		f = g.broken(s, f, y.worst)
		f.Count = y.broken
		f.Again = g.again(s, y.by)
		return f
	case y.judged > 0:
		return passed(f)
	default:
		return skipped(f, reports.Reason{Kind: reports.NotSeen, Text: "nothing that this rule speaks of was seen in this column"})
	}
}

// tally is what was seen for a spec; an empty one when it was not watched for.
func (t *tower) tally(s Spec) *tally {
	for _, y := range t.tallies {
		if y.spec.key() == s.key() {
			return y
		}
	}
	return &tally{}
}
