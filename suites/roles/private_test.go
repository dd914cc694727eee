package roles_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// What only the case itself can see needs no lock.
func TestPrivate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		observe roles.Fields
		want    bool
	}{
		"narrowed": {roles.Fields{"tool": "list", "arguments": map[string]any{"ship": "kit-${nonce}"}}, true},
		"wide":     {roles.Fields{"tool": "list", "pointer": "/x"}, false},
		"none":     {nil, false},
	} {
		fields := roles.Fields{"tool": "book"}
		if row.observe != nil {
			fields["observe"] = row.observe
		}
		if got := (roles.Filled{Fields: fields}).Private(); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
