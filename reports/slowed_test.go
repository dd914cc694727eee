package reports_test

import (
	"io"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/html"
	"github.com/mcp-conform/mcp-conform/reports/markdown"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// A server that limits how often it is asked: fewer requests come before any role.
func TestRateBeforeRoles(t *testing.T) {
	t.Parallel()
	r := reports.Report{
		Verdict: reports.Verdict{Status: reports.Partial},
		Findings: []reports.Finding{{
			Case: "tools/slow", Suite: "tools", Level: "MUST", Status: reports.Skip,
			Reason: &reports.Reason{Kind: reports.NoRole, Role: "roles.slow-tool"},
		}},
	}
	slowed := r
	slowed.Verdict.Text = "too many requests: raise its limit for this kit, or set limits.rate in mcp-conform.yaml"
	for form, write := range map[string]func(io.Writer, reports.Report) error{
		"html":     html.Write,
		"markdown": func(w io.Writer, r reports.Report) error { return markdown.Write(w, r, markdown.Options{}) },
		"text":     func(w io.Writer, r reports.Report) error { return text.Write(w, r, text.Options{Width: 200}) },
	} {
		for _, row := range []struct {
			report    reports.Report
			says, not string
		}{{slowed, "to fewer requests a second", "it enables"}, {r, "it enables", "to fewer requests a second"}} {
			var out strings.Builder
			if err := write(&out, row.report); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), row.says) || strings.Contains(out.String(), row.not) {
				t.Errorf("%s has to say %q and not %q: %s", form, row.says, row.not, out.String())
			}
		}
	}
}
