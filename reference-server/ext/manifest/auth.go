package manifest

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The scopes of the office. A tool that changes nothing needs the first scope, any
// other tool the second.
const (
	reading = "read:harbour"
	writing = "write:harbour"
)

// sessionSeconds is the life of a session in which scopes were granted.
const sessionSeconds = 900

func scope(t *core.Turn, tool string) string {
	if isTrue(t.Annotations(tool).ReadOnlyHint) {
		return reading
	}
	return writing
}

// authentication describes how callers identify themselves, and which tools each scope
// grants. Callers without a token are anonymous.
func authentication(t *core.Turn, tools []fault.Message) map[string]any {
	granted := map[string][]any{reading: {}, writing: {}}
	for _, tool := range tools {
		name, _ := tool["name"].(string)
		needs := scope(t, name)
		granted[needs] = append(granted[needs], name)
	}
	return map[string]any{
		"methods": []any{"none", "bearer_token"},
		"scopes": []any{
			map[string]any{"name": reading, "description": "See berths, bookings and tides.", "grants": granted[reading]},
			map[string]any{"name": writing, "description": "Book berths, and change what the office keeps.", "grants": granted[writing]},
		},
		"session_ttl_seconds": sessionSeconds,
	}
}
