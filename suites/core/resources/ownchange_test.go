package resources_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestToldOwnChange: a change may be told on the stream of the call that makes it, which is no
// subscription of an earlier connection.
func TestToldOwnChange(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	cfg.Transport = config.Transport(requirements.HTTP)
	changes := &fault.Fault{Send: func(x fault.Exchange, m fault.Message) []fault.Message {
		list, changes := map[string]string{
			"test_trigger_tool_change": "tools", "test_trigger_prompt_change": "prompts", "test_trigger_resource_change": "resources",
		}[x.Tool()]
		if !changes || m["method"] != nil {
			return []fault.Message{m}
		}
		return []fault.Message{{"jsonrpc": "2.0", "method": "notifications/" + list + "/list_changed"}, m}
	}}
	lawful.NothingSaid(t, proof.Judge(t, plan.Plan{
		Config: cfg, Local: inprocess.Server(changes), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, c suite.Case) bool {
			return s.Name == "resources" || s.Name == "tools" || c.Watch != nil
		},
	}))
}
