package manifest_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// A tool that hands the manifest over and is not marked as read-only is called where the
// configuration claims the extension. Discovery calls it too: otherwise it would look as if
// the server had refused its manifest at first.
func TestToolThatTheConfigurationAllows(t *testing.T) {
	t.Parallel()
	for name, declared := range map[string]object{"undeclared": {}, "declared": claiming()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(declared, fakeserver.Tool("get_manifest", false))
			s.Answer["tools/call"] = asTool("get_manifest", text(described(nil)))
			r := report(t, s, func(cfg *config.Config) { cfg.Claims.Forced = []string{"manifest"} })
			judged := 0
			for _, f := range r.Findings {
				switch f.Status {
				case reports.Fail, reports.Warn, reports.Error:
					t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
				case reports.Pass:
					judged++
				case reports.Skip:
				}
			}
			if judged < 20 {
				t.Errorf("%d cases passed, want most of them", judged)
			}
		})
	}
}
