package streaming_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/ext/progress"
	"github.com/mcp-conform/mcp-conform/suites/ext/streaming"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Roles whose arguments the tool refuses are a mistake of the file: nothing is failed for
// it, and the reason says what the tool answers to a plain call.
func TestMistakenRole(t *testing.T) {
	t.Parallel()
	page := dialects.Page{Suites: []suite.Suite{streaming.Suite(), progress.Suite()}, Config: func(c *config.Config) {
		c.Transport = config.Stdio
		c.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
	}}
	for name, row := range map[string]struct {
		role  roles.Name
		judge string
	}{
		"the stream tool":   {roles.StreamTool, "ext-streaming/not-forced"},
		"the slow tool":     {roles.SlowTool, "ext-streaming/resume-continues"},
		"the progress tool": {roles.ProgressTool, "ext-progress/reported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := func(c *config.Config) {
				role, _ := c.Roles.Role(row.role)
				fields := roles.Fields{}
				for name, value := range role.Fields {
					fields[name] = value
				}
				fields["arguments"] = map[string]any{"bearths": []any{}}
				*c = c.With(roles.Filled{Name: row.role, Source: roles.Config, Fields: fields})
			}
			found := false
			for _, f := range page.Judge(t, dialects.Translator{}, wrong).Findings {
				switch {
				case f.Status != reports.Pass && f.Status != reports.Skip:
					t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
				case f.Case == row.judge:
					found = true
					if f.Reason == nil || f.Reason.Kind != reports.NoRole || !strings.Contains(f.Reason.Text, " refuses the call: ") {
						t.Errorf("%s is %s: %+v", f.Case, f.Status, f.Reason)
					}
				}
			}
			if !found {
				t.Errorf("%s is missing", row.judge)
			}
		})
	}
}
