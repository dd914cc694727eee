package wellknown_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/wellknown"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Features that are no objects are one finding, and not also a difference from the lists.
func TestFeaturesOfAnotherType(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(requirements.R20260728)}}, config.HTTP
	slip := fault.Fault{
		Breaks: "ext-wk-feature-required", // a server with this fault has the document
		Ext: wellknown.Switches{Change: func(document map[string]any, _ int) {
			document["features"] = []any{"book_berth"}
		}},
	}
	report := proof.Judged(t, plan.Plan{Config: cfg, Local: inprocess.Server(&slip), Selected: func(s suite.Suite, _ suite.Case) bool {
		return s.Name == "ext-well-known"
	}})
	var blamed []string
	for _, f := range report.Findings {
		if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
			blamed = append(blamed, f.Case)
		}
	}
	if diff := cmp.Diff([]string{"ext-well-known/feature-required"}, blamed); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
}
