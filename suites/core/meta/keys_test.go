package meta_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/core/meta"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

// TestReverseDNS: no rule forbids the prefix that a finding proposes.
func TestReverseDNS(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"harbour.example.com/depth": "want the prefix com.example.harbour/",
		"mcp.dev/depth":             "want a prefix that is a domain of your own in reverse order",
		"com.example/depth":         "",
	} {
		said := proof.Said(t, meta.Suite(), "meta/key-reverse-dns", "tools/call", map[string]any{"_meta": map[string]any{key: 1}})
		problem := ""
		if v := said.Violation(); v != nil {
			problem = v.Error()
		}
		if !said.Judged() || !strings.HasSuffix(problem, want) || want == "" && problem != "" {
			t.Errorf("%s: %q, want %q", key, problem, want)
		}
	}
}
