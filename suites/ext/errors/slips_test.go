package errors_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// Records that state no time to try again are one slip with one finding, a warning: the
// sources disagree whether the time is optional.
func TestNoTimeIsOneFinding(t *testing.T) {
	t.Parallel()
	silent := edited(func(record object) { delete(record, "retry_after_seconds") })
	report := page().Judge(t, telling(silent), func(c *config.Config) { c.Revisions = config.Revisions{Dates: []string{"2026-07-28"}} })
	if diff := cmp.Diff(map[string]string{"retry-time-stated": "warn"}, spoke(report)); diff != "" {
		t.Error(diff)
	}
}
