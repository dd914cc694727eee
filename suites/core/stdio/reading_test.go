package stdio_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Who does not read a long line to its end cannot know its id.
func TestLongLineRefused(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]any{"null": nil, "none": "none"} {
		local := inprocess.Server(&fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
			refusal := x.Refusal(-32600, "the line is too long")
			if refusal["id"] = id; id != nil {
				delete(refusal, "id")
			}
			return fault.Verdict{Instead: len(x.Params) > 64<<10, Answer: []fault.Message{refusal}}
		}})
		local.Handler = nil
		report := proof.Judged(t, suites.Plan{
			Config: config.Default(), Local: local,
			Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "stdio/long-line" },
		})
		for _, f := range report.Findings {
			if f.Case == "stdio/long-line" && f.Status != reports.Pass {
				t.Errorf("id %s: got %s %s %v", name, f.Status, f.Problem, f.Reason)
			}
		}
	}
}
