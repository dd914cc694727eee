package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server answers some calls of a tool and leaves others without an answer. Eight cases lack
// such an answer: three of them are judged again while no other case runs. If they do not
// complain, the first of them blocks the others; if they do, the complaints of the others count.
func TestSometimesSilent(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lacks   func(c *probe.Client, r *probe.Reply) error
		status  reports.Status
		blocked int
	}{
		"the cases complain": {func(_ *probe.Client, r *probe.Reply) error { return r.WantAnswer() }, reports.Fail, 0},
		"the cases say nothing": {func(c *probe.Client, r *probe.Reply) error {
			c.NotSeenIf(r.Silent(), "there is no answer")
			return nil
		}, reports.Skip, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := &fakeserver.Server{
					Capabilities: map[string]any{"tools": map[string]any{}}, Tools: []map[string]any{{"name": "one"}},
				}
				server.Answer = map[string]func(fakeserver.Request) any{"tools/call": func(r fakeserver.Request) any {
					if arguments, _ := r.Params["arguments"].(map[string]any); arguments["lost"] == true {
						return fakeserver.Silence{}
					}
					return map[string]any{"content": []any{}}
				}}
				var cases []suite.Case
				rule := []requirements.ID{"jsonrpc-single-response"}
				for i := range 8 {
					cases = append(cases, suite.Case{ID: fmt.Sprintf("try/case-%d", i), Checks: rule, Lane: suite.Fresh, Run: func(c *probe.Client) error {
						call := probe.Object{"name": "one", "arguments": probe.Object{}}
						c.Must(c.Call("tools/call", call).WantAnswer())
						return row.lacks(c, c.Call("tools/call", call.With("arguments", probe.Object{"lost": true})))
					}})
				}
				began := time.Now()
				_, found := gather(t, plan(t, server, cases...))
				blocked := 0
				for id, f := range found {
					if f.Status != row.status {
						t.Errorf("%s: %s, want %s", id, f.Status, row.status)
					}
					if f.Reason != nil && f.Reason.Kind == reports.Blocked {
						blocked++
					}
				}
				if blocked != row.blocked {
					t.Errorf("%d cases are blocked, want %d", blocked, row.blocked)
				}
				// At first four cases run at once.
				if took, want := time.Since(began), (8/4+3)*10*time.Second; took > want+5*time.Second {
					t.Errorf("it took %s, want about %s", took, want)
				}
			})
		})
	}
}
