package streaming_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-streaming", []lawful.Row{
		{Name: "a flag for streaming in a list of tools, and no claim", Server: &rigged.Server{
			Capabilities: rigged.Offers("tools"), Tools: []map[string]any{
				{"name": "hours", "inputSchema": map[string]any{"type": "object"}, "supports_streaming": true},
			},
		}},
		{Name: "claims progress and streaming, with no tool to show them", Server: &rigged.Server{
			Capabilities: rigged.Offers("tools", "ext:progress_notifications", "ext:streaming"), Tools: rigged.Tools(2),
		}},
	})
}
