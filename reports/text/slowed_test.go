package text_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// A server that limits how often it is asked: fewer requests come before any role.
func TestRateBeforeRoles(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string]string{
		"too many requests: raise its limit for this kit, or set limits.rate in mcp-conform.yaml": "to fewer requests a second",
		"": "roles.slow-tool",
	} {
		r := reports.Report{
			Verdict: reports.Verdict{Status: reports.Partial, Text: verdict},
			Findings: []reports.Finding{{
				Case: "tools/slow", Suite: "tools", Level: "MUST", Status: reports.Skip,
				Reason: &reports.Reason{Kind: reports.NoRole, Role: "roles.slow-tool"},
			}},
		}
		var out strings.Builder
		if err := text.Write(&out, r, text.Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		fewer := strings.Contains(out.String(), "to fewer requests a second")
		fills := strings.Contains(out.String(), ", it enables") || strings.Contains(out.String(), ": it enables")
		if fewer != (verdict != "") || fills == fewer || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %s", verdict, out.String())
		}
	}
}
