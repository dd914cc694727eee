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
	for form, write := range writers() {
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

// A server that wants a login: its token comes before any role, and no report advises to
// write none for it.
func TestLoginBeforeRoles(t *testing.T) {
	t.Parallel()
	skip := func(id, role, by string, kind reports.ReasonKind) reports.Finding {
		return reports.Finding{
			Case: id, Suite: "tools", Level: "MUST", Status: reports.Skip,
			Reason: &reports.Reason{Kind: kind, Role: role, BlockedBy: by},
		}
	}
	r := reports.Report{
		Verdict: reports.Verdict{Status: reports.Partial},
		Findings: []reports.Finding{
			skip("lifecycle/init-response", reports.LoginKey, "", reports.NoRole),
			skip("authorization/a", "principals.first", "", reports.NoRole), skip("authorization/b", "principals.first", "", reports.NoRole),
			skip("tools/a", "", "lifecycle/init-response", reports.Blocked), skip("tools/b", "", "lifecycle/init-response", reports.Blocked),
			skip("tools/c", "", "tools/other", reports.Blocked),
		},
	}
	for form, write := range writers() {
		var out strings.Builder
		if err := write(&out, r); err != nil {
			t.Fatal(err)
		}
		for says, want := range map[string]bool{
			"principals.first.token": true, "3 cases wait for it": true, "write none there": false, "write `none` there": false,
		} {
			if strings.Contains(out.String(), says) != want {
				t.Errorf("%s: %q has to stand there: %v: %s", form, says, want, out.String())
			}
		}
	}
}

func writers() map[string]func(io.Writer, reports.Report) error {
	return map[string]func(io.Writer, reports.Report) error{
		"html":     html.Write,
		"markdown": func(w io.Writer, r reports.Report) error { return markdown.Write(w, r, markdown.Options{}) },
		"text":     func(w io.Writer, r reports.Report) error { return text.Write(w, r, text.Options{Width: 200}) },
	}
}
