package manifest_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
)

// Entries in the spelling of the proposal's own examples are one slip: the finding names
// the spelling, and nothing is said of tools that the manifest would lack.
func TestSpellingOfTheExamples(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		entry object
		says  string
	}{
		"tool in place of name": {
			object{"tool": "moor", "description": "Moors a vessel.", "input_schema": object{"type": "object"}},
			`has "tool", where the manifest has "name"`,
		},
		"parameters in place of input_schema": {
			object{"name": "moor", "description": "Moors a vessel.", "parameters": object{"type": "object"}},
			`has "parameters", where the manifest has "input_schema"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(claiming())
			s.Answer["get_manifest"] = as(described(object{"tools": []any{row.entry}}))
			var said []string
			for _, f := range report(t, s, nil).Findings {
				if f.Status != reports.Pass && f.Status != reports.Skip {
					said = append(said, f.Case+": "+f.Problem)
				}
			}
			if len(said) != 1 || !strings.HasPrefix(said[0], "ext-manifest/tool-required: ") || !strings.Contains(said[0], row.says) {
				t.Errorf("the findings are %q, want one of tool-required that says: %s", said, row.says)
			}
		})
	}
}
