package roles_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A call of a missing tool fills nothing; the fields beside it do.
func TestOnly(t *testing.T) {
	t.Parallel()
	call := func(tool string) roles.Fields { return roles.Fields{"tool": tool, "arguments": map[string]any{}} }
	set := roles.NewSet(roles.Known(),
		roles.Filled{Name: roles.Content, Fields: roles.Fields{"text": call("here"), "image": call("gone")}},
		roles.Filled{Name: roles.SlowTool, Fields: roles.Fields{"tool": "gone", "arguments": map[string]any{}, "observe": call("here")}},
		roles.Filled{Name: roles.StateChange, Fields: roles.Fields{"tool": "here", "observe": call("gone"), "undo": call("here")}},
		roles.Filled{Name: roles.Transaction, Fields: roles.Fields{"steps": []roles.Fields{call("here"), call("gone")}}},
		roles.Filled{Name: roles.Denied, Fields: call("gone")},
		roles.Filled{Name: roles.ClientRequest, Fields: roles.Fields{"sampling": call("gone")}},
	).Only(func(tool string) bool { return tool == "here" })
	for path, want := range map[string]bool{
		"role:content.text": true, "role:content.image": false, "role:slow-tool": false, "role:slow-tool.observe": false,
		"role:state-change": true, "role:state-change.observe": false, "role:state-change.undo": true,
		"role:transaction.steps": false, "role:denied": true,
		"role:client-request.sampling": true,
	} {
		if got := set.Has(path); got != want {
			t.Errorf("Has(%q) is %v, want %v", path, got, want)
		}
	}
}
