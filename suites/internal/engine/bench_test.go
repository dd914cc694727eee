package engine_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// BenchmarkEmptyCases shows what the engine itself takes: cases that do
// nothing, ten of which prove a capability that the others need, in ten columns. Twice as many cases must take about twice as long.
func BenchmarkEmptyCases(b *testing.B) {
	for _, n := range []int{1200, 2400} {
		b.Run(fmt.Sprintf("cases=%d", n), func(b *testing.B) {
			server := &fakeserver.Server{
				Revisions:    []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"},
				Capabilities: map[string]any{"tools": map[string]any{}},
				Answer: map[string]func(fakeserver.Request) any{"server/discover": func(fakeserver.Request) any {
					return map[string]any{
						"supportedVersions": []any{string(requirements.R20260728)}, "capabilities": map[string]any{"tools": map[string]any{}},
					}
				}},
			}
			listening := httptest.NewServer(server.Handler())
			defer listening.Close()
			tools := []suite.Need{suite.Capability("tools")}
			cases := make([]suite.Case, n)
			for i := range cases {
				cases[i] = suite.Case{ID: fmt.Sprintf("try/%d", i), Run: passes, Needs: tools}
				if i < 10 {
					cases[i].Proves = tools
				}
			}
			p := plan(b, server, cases...)
			p.Config.Revisions = config.Revisions{All: true}
			p.Ways = append(p.Ways, connect.Way{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})})
			for b.Loop() {
				r, _ := gather(b, p)
				if len(r.Verdict.Columns) != 10 || len(r.Findings) != 10*n || r.Verdict.Columns[0].Counts.Pass != n {
					b.Fatalf("%d columns, %d findings, %d passed in the first", len(r.Verdict.Columns), len(r.Findings), r.Verdict.Columns[0].Counts.Pass)
				}
			}
		})
	}
}
