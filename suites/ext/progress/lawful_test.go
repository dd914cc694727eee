package progress_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-progress", []lawful.Row{
		{Name: "claims progress, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:progress_notifications"), Tools: fakeserver.Tools(2),
		}},
	})
}

// A server without sessions cannot know what a client declared in its handshake, and so
// may leave out what an extension sends only to those that declare it.
func TestExtensionsWithoutSessions(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
	cfg.Transport = config.HTTP
	plain := fault.Fault{
		HTTP: fault.HTTP{Sessionless: true},
		Notify: func(_ fault.Exchange, m fault.Message) {
			if m["method"] == "notifications/progress" {
				delete(m.Object("params"), "_meta")
			}
		},
	}
	report := proof.Judge(t, suites.Plan{Config: cfg, Local: inprocess.Server(&plain), Seed: 1, Timeout: 20 * time.Second})
	lawful.NothingSaid(t, report)
}
