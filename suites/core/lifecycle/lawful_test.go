package lifecycle_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "lifecycle", []lawful.Row{
		{Name: "only 2024-11-05", Server: &fakeserver.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2),
		}},
		{Name: "only 2025-06-18", Server: &fakeserver.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2),
		}},
		{Name: "empty lists of what is not declared", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Answer: fakeserver.Answers{
				"resources/list": func(fakeserver.Request) any { return map[string]any{"resources": []any{}} },
				"prompts/list":   func(fakeserver.Request) any { return map[string]any{"prompts": []any{}} },
			},
		}},
	})
}
