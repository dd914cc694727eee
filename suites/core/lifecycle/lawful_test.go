package lifecycle_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "lifecycle", []lawful.Row{
		{Name: "only 2024-11-05", Server: &rigged.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: rigged.Offers("tools"), Tools: rigged.Tools(2),
		}},
		{Name: "only 2025-06-18", Server: &rigged.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: rigged.Offers("tools"), Tools: rigged.Tools(2),
		}},
		{Name: "empty lists of what is not declared", Server: &rigged.Server{
			Capabilities: rigged.Offers("tools"), Tools: rigged.Reading(), Answer: rigged.Answers{
				"resources/list": func(rigged.Request) any { return map[string]any{"resources": []any{}} },
				"prompts/list":   func(rigged.Request) any { return map[string]any{"prompts": []any{}} },
			},
		}},
	})
}
