package text_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// A case stands on the line of its reason where there is room for it.
func TestCaseBesideItsReason(t *testing.T) {
	t.Parallel()
	r := reports.Report{
		Verdict: reports.Verdict{Status: reports.Partial},
		Findings: []reports.Finding{{
			Case: "tools/rate-limited", Suite: "tools", Level: "MUST", Status: reports.Skip,
			Reason: &reports.Reason{Kind: reports.NoRole, Role: "roles.rate-limit.repeat"},
		}},
	}
	var out strings.Builder
	if err := text.Write(&out, r, text.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "roles.rate-limit.repeat  enables 1 case: tools/rate-limited\n") {
		t.Error(out.String())
	}
}
