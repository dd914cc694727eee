package schema_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "schema", []lawful.Row{
		{Name: "extra properties everywhere", Server: &fakeserver.Server{Extra: true, Capabilities: map[string]any{
			"tools": map[string]any{"listChanged": false, "vendor": 1}, "acme.example/x": map[string]any{}, "completions": map[string]any{},
		}, Tools: fakeserver.Tools(2)}},
		{Name: "prompts without descriptions", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("prompts"), Prompts: []map[string]any{{"name": "greet"}},
		}},
		{Name: "a type of content of 2025-03-26, where nothing names the revision", Server: &fakeserver.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: sounds,
		}, Over: requirements.HTTP},
	})
}

// sounds replaces a text block by an audio block.
func sounds(text string) string {
	return strings.ReplaceAll(text, `{"text":"done","type":"text"}`, `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`)
}
