package dashdash_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/suites/ext/errors"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// An error for too many calls that states no time, or no number, is one finding where the server
// has structured errors, too.
func TestLimitIsOneFinding(t *testing.T) {
	t.Parallel()
	pages := []string{dashdash.Help().Name, errors.Suite().Name}
	for _, row := range []struct {
		name, want string
		reply      fault.Change
	}{
		{"no time", "ext-structured-errors/retry-time-stated", fault.Drop("tools/call", "/result/_meta/error/retry_after_seconds")},
		{"a word for the time", "ext-structured-errors/retry-time-type", fault.When(func(x fault.Exchange) bool {
			return x.Method == "tools/call" && x.Param("name") == "weather_report"
		}).Result(func(result fault.Message) {
			if record := result.Object("_meta").Object("error"); record["retry_after_seconds"] != nil {
				record["retry_after_seconds"] = "soon"
			}
		})},
		{"no record", "ext-structured-errors/record-of-failure", fault.Drop("tools/call", "/result/_meta/error")},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := proof.Config(t)
			cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(requirements.R20251125)}}, config.Stdio
			local := inprocess.Server(&fault.Fault{Reply: row.reply})
			report := proof.Judged(t, plan.Plan{Config: cfg, Local: local, Selected: func(s suite.Suite, _ suite.Case) bool {
				return slices.Contains(pages, s.Name)
			}})
			var blamed []string
			for _, f := range report.Findings {
				if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
					blamed = append(blamed, f.Case)
				}
			}
			if diff := cmp.Diff([]string{row.want}, blamed); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}
