package tools_test

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestToldLater: no sentence says how soon a change has to be told.
func TestToldLater(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse(config.FileName, []byte("roles: {trigger: {tools: {tool: grow, arguments: {text: a}}}}"),
		func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Serve: toldLater().Serve}, Seed: 1, Timeout: 10 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "tools/list-changed-sent" },
	})
	if len(report.Findings) != 1 || status(report.Findings[0]) != "pass" {
		t.Errorf("got %+v", report.Findings)
	}
}

// toldLater adds a tool, and gathers what changes for some time before it tells of it.
func toldLater() *fakeserver.Server {
	var more atomic.Int64
	return &fakeserver.Server{
		Capabilities: map[string]any{"tools": map[string]any{"listChanged": true}},
		Answer: fakeserver.Answers{"tools/list": func(fakeserver.Request) any {
			return map[string]any{"tools": append(fakeserver.Tools(int(more.Load())), fakeserver.Tool("grow", false))}
		}, "tools/call": func(r fakeserver.Request) any {
			switch name, _ := r.Params["name"].(string); {
			case name != "grow":
				return fakeserver.ForTools(fakeserver.Text("here"))(r)
			case fakeserver.HasText(r):
				return fakeserver.Text("added")
			}
			return fakeserver.Flagged(r)
		}},
		Stdio: fakeserver.Stdio{Line: func(line []byte, out io.Writer) bool {
			if strings.Contains(string(line), `"name":"grow"`) {
				more.Add(1)
				go func() {
					time.Sleep(700 * time.Millisecond)
					_, _ = io.WriteString(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n")
				}()
			}
			return false
		}},
	}
}
