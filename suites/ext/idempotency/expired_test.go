package idempotency_test

import (
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
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
	report := proof.Judged(t, suites.Plan{
		Config: proof.Config(t), Local: inprocess.Server(f), Suites: []suite.Suite{idempotency.Suite()},
	})
	for _, found := range report.Findings {
		if found.Case == "ext-idempotency/ttl-honoured" && found.Status != reports.Warn {
			t.Errorf("%s over %s: %s %+v", found.Status, found.Transport, found.Problem, found.Reason)
		}
	}
}
