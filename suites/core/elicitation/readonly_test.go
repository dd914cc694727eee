package elicitation_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestDeclaresWhatTheRevisionHas: a client declares elicitation at the revisions that have it,
// so that it provokes no request of another revision.
func TestDeclaresWhatTheRevisionHas(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
		server := &fakeserver.Server{
			Revisions: []string{revision}, Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{fakeserver.Tool("ask_user", true)},
		}
		proof.Judge(t, plan.Plan{
			Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Seed: 1, Timeout: 5 * time.Second,
			Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "elicitation/read-only-tools-answer" },
		})
		asked, declared := false, false
		for _, r := range server.Seen() {
			capabilities, _ := r.Params["capabilities"].(map[string]any)
			_, samples := capabilities["sampling"]
			_, elicits := capabilities["elicitation"]
			asked, declared = asked || samples, declared || elicits
		}
		if !asked || declared != want {
			t.Errorf("at %s: judged %v, elicitation declared %v, want %v", revision, asked, declared, want)
		}
	}
}
