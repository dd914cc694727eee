package engine_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// What a role names as an action is done, or the case that needs it is
// undecided.
func TestActions(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}, Tools: []map[string]any{fakeserver.Tool("flip", false)}}
	acts := func(f roles.Fields) func(*probe.Client) error {
		return func(c *probe.Client) error { c.Act(f); return nil }
	}
	_, found := gather(t, plan(t, server,
		suite.Case{ID: "try/none", Lane: suite.Fresh, Run: acts(nil)},
		suite.Case{ID: "try/call", Lane: suite.Fresh, Run: acts(roles.Fields{"tool": "flip", "arguments": map[string]any{"text": "on"}})},
		suite.Case{ID: "try/no-such-tool", Lane: suite.Fresh, Run: acts(roles.Fields{"tool": "flop"})},
		suite.Case{ID: "try/command", Lane: suite.Fresh, Run: acts(roles.Fields{"command": []string{"go", "version"}})},
		suite.Case{ID: "try/command-fails", Lane: suite.Fresh, Run: acts(roles.Fields{"command": []string{"go", "nonsense"}})},
		suite.Case{ID: "try/no-such-command", Lane: suite.Fresh, Run: acts(roles.Fields{"command": []string{"no-such-command-anywhere"}})},
	))
	got := kinds(found)
	for id, want := range map[string]string{
		"try/none": "pass", "try/call": "pass", "try/command": "pass",
		"try/no-such-tool": "undecided", "try/command-fails": "undecided", "try/no-such-command": "undecided",
	} {
		if got[id] != want {
			t.Errorf("%s: %s %v, want %s", id, got[id], found[id].Reason, want)
		}
	}
	if called := slices.Sorted(slices.Values(server.Called())); !slices.Equal(called, []string{"flip", "flop"}) {
		t.Errorf("called %v, want each tool once", called)
	}
}
