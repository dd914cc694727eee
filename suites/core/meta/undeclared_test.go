package meta_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// unknown leaves out the prompts and resources whose names the kit knows, and takes for
// those of roles.
func unknown(x fault.Exchange, items []fault.Message) []fault.Message {
	key := map[string]string{"prompts/list": "name", "resources/list": "uri"}[x.Method]
	if key == "" {
		return nil
	}
	return slices.DeleteFunc(items, func(item fault.Message) bool {
		text, _ := item[key].(string)
		return strings.HasPrefix(text, "test")
	})
}

// Prompts and resources are asked for without a role: any listed one will do.
func TestListedItemsAskNothing(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]reports.Status{"meta-asks-prompt": reports.Fail, "meta-asks-resource": reports.Fail, "": reports.Pass} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := faults.Find(name)
			f.List = unknown
			local := inprocess.Server(&f)
			local.Handler = nil
			cfg := config.Default()
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
			slug := strings.TrimPrefix(name, "meta-asks-")
			report := proof.Judge(t, plan.Plan{
				Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
				Selected: func(_ suite.Suite, c suite.Case) bool {
					about, ok := strings.CutPrefix(c.ID, "meta/undeclared-unused-")
					return ok && about != "tool" && strings.Contains(about, slug)
				},
			})
			for _, f := range report.Findings {
				if f.Status != want {
					t.Errorf("%s is %s, want %s: %s %v", f.Case, f.Status, want, f.Problem, f.Reason)
				}
			}
			if len(report.Findings) == 0 {
				t.Error("nothing was judged")
			}
		})
	}
}
