package streaming_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-streaming", []lawful.Row{
		{Name: "a flag for streaming in a list of tools, and no claim", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{
				{"name": "hours", "inputSchema": map[string]any{"type": "object"}, "supports_streaming": true},
			},
		}},
		{Name: "claims progress and streaming, with no tool to show them", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:progress_notifications", "ext:streaming"), Tools: fakeserver.Tools(2),
		}},
	})
}
