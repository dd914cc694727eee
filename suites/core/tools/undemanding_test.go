package tools_test

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

// Where the tool of the configuration requires arguments, another read-only tool that
// requires none is called without them.
func TestArgumentsOptionalOfAnotherTool(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("roles: {read-only-tool: {tool: tool_0, arguments: {text: kit}}}"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			if r.Params["name"] == "hours" && r.Params["arguments"] == nil {
				return &fakeserver.Error{Code: -32602, Message: "arguments are missing"}
			}
			return fakeserver.Text("from 8 to 12")
		}},
	}
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Serve: server.Serve}, Seed: 1,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "tools/arguments-optional" },
	})
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings, want one: %s", len(report.Findings), report.Verdict.Text)
	}
	if f := report.Findings[0]; f.Status != reports.Warn || !strings.Contains(f.Problem, "-32602") {
		t.Errorf("got %s: %s %+v, want a warning about the error", f.Status, f.Problem, f.Reason)
	}
}
