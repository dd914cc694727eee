package permissions

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// describe says in the manifest what tools/list says too: which scopes there are,
// what each of them opens, what each tool takes, and how long a session lives that
// nobody uses.
func (d *desk) describe(_ *core.Turn, manifest fault.Message) {
	entries, _ := manifest["tools"].([]any)
	grants := map[string][]any{}
	for _, entry := range entries {
		tool, _ := entry.(map[string]any)
		name, _ := tool["name"].(string)
		required := []any{}
		for _, scope := range Required(name) {
			required = append(required, scope)
			grants[scope] = append(grants[scope], name)
		}
		tool["required_scopes"] = required
		if d.Faults.NoRequired {
			delete(tool, "required_scopes")
		}
	}
	var scopes []any
	for _, scope := range Scopes() {
		scopes = append(scopes, map[string]any{
			"name": scope.Name, "description": scope.Description, "grants": append([]any{}, grants[scope.Name]...),
		})
	}
	auth := manifest.Object("auth")
	auth["scopes"], auth["session_ttl_seconds"] = scopes, int(usualSession.Seconds())
}
