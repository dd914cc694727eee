package schema_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/core/schema"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestISO8601(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2025-01-12T15:00:58Z": true, "2025-01-12T15:00:58.123456Z": true, "2025-01-12T15:00:58,5Z": true,
		"2025-01-12T15:00:58+02:00": true, "2025-01-12T15:00:58-0330": true, "2025-01-12T15:00:58+01": true,
		"2025-01-12T15:00:58": true, "2025-01-12T15:00Z": true, "2025-01-12": true, "2025-01": true,
		"20250112T150058Z": true, "2025-W03-7": true, "2025W037": true, "2025-012": true,
		"2025-01-12t15:00:58z": true, "2025-01-12 15:00:58+00:00": true,
		"": false, "yesterday": false, "12/01/2025": false, "1736694058": false, "2025-13-01": false, "2025-01-12T25:00:00Z": false,
		"2025-01-12T24:00:00Z": true, "2025-01-12T24:00": true, "20250112T240000.0+01": true, "2025-01-12T24:00:01Z": false, "2025-01-12T24:30Z": false,
		"2016-12-31T23:59:60Z": true, "2016-12-31T12:00:60Z": false,
		"Sun, 12 Jan 2025 15:00:58 GMT": false, "2025-01-12T15:00:58Z and more": false, "T": false,
	} {
		said := proof.Said(t, schema.Suite(), "schema/last-modified", "resources/list", map[string]any{"resources": []any{
			map[string]any{"uri": "a:b", "name": "b", "annotations": map[string]any{"lastModified": text}},
		}})
		if got := said.Violation() == nil; got != want || !said.Judged() {
			t.Errorf("%q is a time: %t, want %t", text, got, want)
		}
	}
}
