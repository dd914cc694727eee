package findings_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// What a server declares and lists decides as much as it can: of a server with one tool that
// reads, the configuration is asked only for what no list can show.
func TestPlainServerIsAskedForLittle(t *testing.T) {
	t.Parallel()
	plain := fault.Fault{
		Without: server.Extensions(),
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method != "tools/list" {
				return nil
			}
			one := slices.DeleteFunc(items, func(tool fault.Message) bool { return tool["name"] != "tide_table" })
			for _, tool := range one {
				delete(tool, "outputSchema")
			}
			return one
		},
		Reply: fault.OnResult("server/discover", func(result fault.Message) { result["capabilities"] = map[string]any{"tools": map[string]any{}} }),
	}
	cfg := config.Default()
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	report := proof.Judge(t, suites.Plan{Config: cfg, Local: inprocess.Server(&plain), Seed: 1, Timeout: 20 * time.Second})
	var asked []string
	for _, f := range report.Findings {
		if f.Level == requirements.Must && f.Reason != nil && f.Reason.Kind == reports.NoRole && !slices.Contains(asked, f.Reason.Role) {
			asked = append(asked, f.Reason.Role)
		}
	}
	slices.Sort(asked)
	want := []string{
		"principals.second", "roles.client-request.elicitation", "roles.client-request.roots", "roles.client-request.sampling",
		"roles.client-request.sampling-tools",
		"roles.client-request.url", "roles.input-required",
		"roles.invalid-input.schema-2020", "roles.progress-tool", "roles.rate-limit.repeat", "roles.schema-tool", "roles.session-state",
		"roles.slow-tool", "roles.slow-tool.cancellable",
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("roles that a MUST asks for (-want +got):\n%s", diff)
	}
}
