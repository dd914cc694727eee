package ping_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A slow tool that refuses its call is a mistake of the role, which names file and line.
func TestSlowToolThatRefuses(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("roles:\n  slow-tool:\n    tool: tool_0\n    arguments: {text: kit}\n"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1),
		Answer: fakeserver.Answers{"tools/call": fakeserver.Flagged},
	}
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Serve: server.Serve}, Seed: 1,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "ping/while-busy" },
	})
	const want = "a.yaml:3: tool_0 refuses the call: "
	for _, f := range report.Findings {
		if f.Reason == nil || f.Reason.Kind != reports.NoRole || !strings.HasPrefix(f.Reason.Text, want) {
			t.Errorf("%s is %s: %+v, want %s", f.Case, f.Status, f.Reason, want)
		}
	}
	if len(report.Findings) == 0 {
		t.Error("nothing was judged: " + report.Verdict.Text)
	}
}
