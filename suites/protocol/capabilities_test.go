package protocol_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

func TestIsCapability(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"tools": true, "tools.listChanged": true, "extensions.io.modelcontextprotocol/tasks": true, "experimental.thing": true,
		"extensions.com.example/greeting": true,
		"tool":                            false, "tools.listchanged": false, "extensions.io.modelcontextprotocol/task": false,
		"extensions.greeting": false, "extensions.": false, "experimental.": false, "": false,
	} {
		if got := protocol.IsCapability(path); got != want {
			t.Errorf("%q: got %v", path, got)
		}
	}
	// The capability of every method and notification can be declared.
	for _, m := range protocol.Methods() {
		if m.By == protocol.Client && m.Capability != "" && !protocol.IsCapability(m.Capability) {
			t.Errorf("%s needs %s, which is unknown", m.Name, m.Capability)
		}
	}
}
