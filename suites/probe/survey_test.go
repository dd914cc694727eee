package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

func TestDeclares(t *testing.T) {
	survey := probe.Survey{Capabilities: probe.Object{
		"tools":      map[string]any{"listChanged": true},
		"resources":  map[string]any{"subscribe": false},
		"logging":    map[string]any{},
		"prompts":    nil,
		"extensions": map[string]any{"io.example/a.b": map[string]any{}},
	}}
	for path, want := range map[string]bool{
		"tools": true, "tools.listChanged": true, "resources": true, "resources.subscribe": false,
		"logging": true, "prompts": false, "completions": false, "tools.listChanged.x": false,
		"extensions": true, "extensions.io.example/a.b": true, "extensions.io.example/c": false,
	} {
		if got := survey.Declares(path); got != want {
			t.Errorf("%s is declared: %v, want %v", path, got, want)
		}
	}
}
