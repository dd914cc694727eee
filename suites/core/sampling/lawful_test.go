package sampling_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	asks := []map[string]any{rigged.Tool("test_sampling", true)}
	lawful.Servers(t, "sampling", []lawful.Row{
		{
			Name:   "the tool does without a sample where the client has no model",
			Server: &rigged.Server{Capabilities: rigged.Offers("tools"), Tools: asks},
		},
	})
}
