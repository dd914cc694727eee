package manifest_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawfulUnclaimed(t *testing.T) {
	lawful.Servers(t, "ext-manifest", []lawful.Row{
		{Name: "a manifest, and no claim", Server: selfDescribing()},
	})
}

// selfDescribing hands over a manifest under an older name, wrapped, with properties
// of its own, and says no more in it than it has to.
func selfDescribing() *fakeserver.Server {
	described := make([]any, 0, 2)
	for _, tool := range fakeserver.Tools(2) {
		described = append(described, map[string]any{
			"name": tool["name"], "description": "A tool.", "input_schema": tool["inputSchema"], "x-acme": true,
		})
	}
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Answer: fakeserver.Answers{
		"get_manifest": func(fakeserver.Request) any {
			return map[string]any{"manifest": map[string]any{
				"manifest_version": "0.1.0", "tools": described, "acme.example/theme": "dark",
				"server":               map[string]any{"name": "Rigged", "version": "1.0.0", "mcp_spec_version": "2025-11-25"},
				"auth":                 map[string]any{"methods": []any{"api_key"}, "session_ttl_seconds": 1.0},
				"rate_limits":          map[string]any{"requests_per_minute": 0, "acme": "none"},
				"supported_extensions": []any{"conformance"},
			}}
		},
	}}
}
