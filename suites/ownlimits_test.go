package suites_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

// What is longer or deeper than the kit reads is nobody's fault: the cases that
// needed it say so and end in an error.
func TestOwnLimitsDoNotBlame(t *testing.T) {
	t.Parallel()
	const levels = 12_000
	deep := func(r rigged.Request) any {
		return rigged.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"deep","inputSchema":{"type":"object","default":%s%s}}]}}`,
			r.ID, strings.Repeat("[", levels), strings.Repeat("]", levels)))
	}
	for _, row := range []struct {
		name   string
		server *rigged.Server
		says   string
	}{
		{"a long list", &rigged.Server{Tools: append(tools(2), rigged.Tool(strings.Repeat("long", 1<<16), true))}, "longer than limits.frame; raise it"},
		{"a deep list", &rigged.Server{Answer: map[string]func(rigged.Request) any{"tools/list": deep}}, "nested deeper"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Limits.Frame = 64 << 10
			cfg.Wait.Event = time.Second
			server := row.server
			server.Capabilities = offersTools
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: &suites.Local{Serve: server.Serve, Handler: server.Handler()}, Seed: 1, Timeout: 20 * time.Second,
			})
			unread := map[string]bool{}
			for _, f := range report.Findings {
				switch f.Status {
				case reports.Fail, reports.Warn:
					t.Errorf("%s %s over %s: %s", f.Status, f.Case, f.Transport, f.Problem)
				case reports.Error:
					if !strings.Contains(f.Problem, row.says) {
						t.Errorf("%s over %s: %s", f.Case, f.Transport, f.Problem)
					}
					unread[f.Case+" over "+string(f.Transport)] = true
				case reports.Pass, reports.Skip:
				}
			}
			for _, id := range []string{"tools/list-answered over stdio", "tools/list-answered over http"} {
				if !unread[id] {
					t.Errorf("%s is no error", id)
				}
			}
		})
	}
}
