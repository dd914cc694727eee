package caching_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// The verb of the problem agrees with the number of hints that are missing.
func TestWordsOfMissingHints(t *testing.T) {
	t.Parallel()
	for want, missing := range map[string][]string{
		"$.result.ttlMs is missing":                           {"ttlMs"},
		"$.result.ttlMs and $.result.cacheScope are missing,": {"ttlMs", "cacheScope"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			slip := &fault.Fault{Name: "hints", Reply: fault.OnResult("server/discover", func(result fault.Message) {
				for _, hint := range missing {
					delete(result, hint)
				}
			})}
			cfg, local := proof.Config(t), inprocess.Server(slip)
			local.Handler = nil
			cfg.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
			f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, "caching/hints-discover")
			if !strings.HasPrefix(f.Problem, want) {
				t.Errorf("%s %q, want it to begin with %q", f.Status, f.Problem, want)
			}
		})
	}
}
