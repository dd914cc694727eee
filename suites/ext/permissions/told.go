package permissions

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A telling is what a server says of its scopes without being asked: in the
// manifest, in the settings of the capability and in tools/list.
type telling struct {
	scopes   []string            // that there are
	required map[string][]string // by tool; one that says nothing is not there
	tools    []string            // that are listed
	auth     map[string]any      // of the manifest
}

func told(c *probe.Client) telling {
	document := proposal.Manifest(c)
	t := telling{required: map[string][]string{}}
	t.auth, _ = document["auth"].(map[string]any)
	declared, _ := t.auth["scopes"].([]any)
	for _, scope := range declared {
		if name, ok := object(scope)["name"].(string); ok {
			t.scopes = append(t.scopes, name)
		}
	}
	key := proposal.Extension("permissions").Key()
	capabilities := c.Survey().Capabilities
	for _, place := range []string{"extensions", "experimental"} {
		t.scopes = append(t.scopes, probe.Strings(object(object(capabilities[place])[key])["scopes"])...)
	}
	entries, _ := document["tools"].([]any)
	listed := c.Survey().Lists[protocol.Tools().Method]
	for _, item := range slices.Concat(entries, listed) {
		t.read(object(item))
	}
	for _, item := range listed {
		if name, ok := object(item)["name"].(string); ok {
			t.tools = append(t.tools, name)
		}
	}
	return t
}

// read takes the scopes of one tool from wherever they stand.
func (t telling) read(item map[string]any) {
	name, _ := item["name"].(string)
	if name == "" {
		name, _ = item["tool"].(string)
	}
	meta := object(item["_meta"])
	for _, v := range []any{item["required_scopes"], meta[proposal.Prefix+"required_scopes"], meta["required_scopes"]} {
		if _, ok := v.([]any); ok {
			t.required[name] = probe.Strings(v)
		}
	}
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// within reports whether every scope is among others.
func within(scopes, others []string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(others, scope) })
}
