package sampling_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	asks := []map[string]any{fakeserver.Tool("test_sampling", true)}
	lawful.Servers(t, "sampling", []lawful.Row{
		{
			Name:   "the tool does without a sample where the client has no model",
			Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: asks},
		},
	})
}
