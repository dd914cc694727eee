package idempotency_test

import (
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server that knows its keys for longer than it answers with them has no second
// effect either.
func TestAnExpiredKeyMayBeRejected(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	over := map[string]time.Time{}
	f := &fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
		meta, _ := x.Param("_meta").(map[string]any)
		key, _ := meta["idempotency_key"].(string)
		ttl, asked := meta["idempotency_ttl_seconds"].(float64)
		mu.Lock()
		defer mu.Unlock()
		switch end, known := over[key]; {
		case key == "" || !asked || ttl < 1:
		case !known:
			over[key] = time.Now().Add(time.Duration(ttl * float64(time.Second)))
		case time.Now().After(end):
			return fault.Refuse(x, -32602, "the key is over")
		}
		return fault.Verdict{}
	}}
	report := proof.Judged(t, plan.Plan{
		Config: proof.Config(t), Local: inprocess.Server(f), Suites: []suite.Suite{idempotency.Suite()},
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "ext-idempotency/ttl-honoured" },
	})
	if len(report.Findings) != 2 {
		t.Errorf("%d findings, want one over stdio and one over HTTP", len(report.Findings))
	}
	for _, found := range report.Findings {
		if found.Status != reports.Warn {
			t.Errorf("%s over %s: %s %+v", found.Status, found.Transport, found.Problem, found.Reason)
		}
	}
}

// A store that is full may reject calls until it is looked through. Nobody can tell one
// that stays full for ever from that, so that it is not judged.
func TestAFullStore(t *testing.T) {
	t.Parallel()
	const id, room = "ext-idempotency/store-bounded", 100
	for name, row := range map[string]struct {
		every time.Duration // how often what has expired is dropped; 0: never
		max   time.Duration // how long the kit may wait
		want  reports.Status
	}{
		"is looked through now and then": {1500 * time.Millisecond, 20 * time.Second, reports.Pass},
		"stays full":                     {0, 2 * time.Second, reports.Skip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := idempotency.Suite()
			page.Cases = []suite.Case{idempotency.StoreBounded(2)}
			cfg := proof.Config(t)
			cfg.Stress, cfg.Transport, cfg.Revisions.Dates = true, config.Stdio, []string{string(requirements.R20251125)}
			cfg.Wait.Max = row.max
			report := proof.Judged(t, plan.Plan{
				Config: cfg, Local: inprocess.Server(&fault.Fault{Inbound: filling(room, row.every)}),
				Suites: []suite.Suite{page},
			})
			for _, f := range report.Findings {
				if f.Case == id && f.Status != row.want {
					t.Errorf("%s: %s %s %+v, want %s", id, f.Status, f.Problem, f.Reason, row.want)
				}
			}
		})
	}
}

// filling has room for so many keys, and drops those that have expired now and then.
func filling(room int, every time.Duration) func(fault.Exchange) fault.Verdict {
	var mu sync.Mutex
	var looked time.Time // the clock of the bubble is not that of the test
	kept := map[string]time.Time{}
	return func(x fault.Exchange) fault.Verdict {
		meta, _ := x.Param("_meta").(map[string]any)
		key, _ := meta["idempotency_key"].(string)
		mu.Lock()
		defer mu.Unlock()
		if every > 0 && time.Since(looked) >= every {
			looked = time.Now()
			maps.DeleteFunc(kept, func(_ string, until time.Time) bool { return looked.After(until) })
		}
		if _, known := kept[key]; key == "" || known {
			return fault.Verdict{}
		}
		if len(kept) >= room {
			return fault.Refuse(x, -32602, "too many keys are in use")
		}
		kept[key] = time.Now().Add(time.Second)
		return fault.Verdict{}
	}
}
