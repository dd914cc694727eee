package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Each caller may have tools of its own, in both places.
func TestLawfulCallers(t *testing.T) {
	t.Parallel()
	guest := func(method string) func(fault.Exchange) bool {
		return func(x fault.Exchange) bool {
			return x.Method == method && strings.HasSuffix(x.Header.Get("Authorization"), "guest")
		}
	}
	cfg := proof.Config(t)
	cfg.Revisions.Dates, cfg.Transport = []string{string(requirements.R20251125)}, config.HTTP
	lawful.NothingSaid(t, proof.Judged(t, plan.Plan{
		Config:   cfg,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "ext-manifest/tools-equal-list" },
		// The server has a manifest only where a fault says that it is about an extension.
		Local: inprocess.Server(&fault.Fault{
			Breaks: "ext-manifest-tools-equal-list",
			Reply: fault.Changes(
				fault.When(guest("get_manifest")).Set("/result/tools/-", map[string]any{
					"name": "raise_bridge", "description": "Raises the bridge.", "input_schema": map[string]any{"type": "object"},
				}),
				func(x fault.Exchange, m fault.Message) {
					result, _ := m.Result()
					if tools, ok := result["tools"].([]fault.Message); ok && guest("tools/list")(x) {
						result["tools"] = append(slices.Clone(tools), fault.Message{
							"name": "raise_bridge", "description": "Raises the bridge.", "inputSchema": map[string]any{"type": "object"},
						})
					}
				}),
		}),
	}))
}
