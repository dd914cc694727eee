package safety_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A client that opens a session declares what its revision has: a server that uses what a client
// declares would be blamed for it.
func TestClientsDeclareWhatTheRevisionHas(t *testing.T) {
	t.Parallel()
	for rev, later := range map[requirements.Revision][]string{
		requirements.R20241105: {"elicitation", "tasks"},
		requirements.R20250326: {"elicitation", "tasks"},
		requirements.R20250618: {"tasks"},
	} {
		t.Run(string(rev), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			declared := map[string]string{} // the params that declare it
			cfg := proof.Config(t)
			cfg.Transport, cfg.Revisions = config.HTTP, config.Revisions{Dates: []string{string(rev)}}
			proof.Judge(t, suites.Plan{
				Config: cfg, Seed: 1, Timeout: 20 * time.Second, Selected: func(s suite.Suite, _ suite.Case) bool { return s.Extension.Name == "" },
				Local: inprocess.Server(&fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
					mu.Lock()
					defer mu.Unlock()
					for _, asked := range x.Past {
						var params struct{ Capabilities map[string]any }
						if x.Method != "notifications/initialized" || asked.Method != "initialize" || json.Unmarshal(asked.Params, &params) != nil {
							continue
						}
						for name := range params.Capabilities {
							declared[name] = string(asked.Params)
						}
					}
					return fault.Verdict{}
				}}),
			})
			for _, name := range later {
				if params, there := declared[name]; there {
					t.Errorf("a client declares %s: %s", name, params)
				}
			}
			if len(declared) == 0 {
				t.Error("no client declares anything")
			}
		})
	}
}
