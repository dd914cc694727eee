package permissions

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// describe adds the permissions to the manifest, in agreement with tools/list: the
// scopes, the tools of each scope, the scopes of each tool, and how long an unused
// session lives.
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
