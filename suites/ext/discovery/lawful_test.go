package discovery_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

type object = map[string]any

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-server-discovery", []lawful.Row{
		{Name: "the names of the text, and numbers", Server: recommending(object{"server": "a", "match_confidence": 0.9}, object{"server": "b", "match_confidence": 0.4}),
			Warned: []string{"ext-server-discovery/confidence"}},
		{Name: "names alone", Server: recommending(object{"server_name": "a"}, object{"server_name": "b", "match_confidence": "high", "registry_url": "http://registry.example/b"})},
		{Name: "nothing to recommend", Server: recommending()},
		{Name: "recommendations in the manifest alone", Server: &fakeserver.Server{Answer: fakeserver.Answers{
			"get_manifest": func(fakeserver.Request) any {
				return object{
					"manifest_version": "0.1.0", "tools": []any{}, "server": object{"name": "rigged", "version": "1.0.0", "mcp_spec_version": "2025-11-25"},
					"auth": object{"methods": []any{"none"}, "scopes": []any{}}, "rate_limits": object{}, "supported_extensions": []any{},
					"recommendations": []any{object{"capability": "maps", "server_name": "atlas"}},
				}
			},
		}}},
	})
}

// recommending recommends servers for the capability that the kit asks for by itself.
func recommending(all ...any) *fakeserver.Server {
	return &fakeserver.Server{Capabilities: fakeserver.Offers("ext:server_recommendations"), Answer: fakeserver.Answers{
		"recommend_servers": func(r fakeserver.Request) any {
			word, ok := r.Params["capability_needed"].(string)
			if !ok {
				return &fakeserver.Error{Code: -32602, Message: "capability_needed is missing"}
			}
			if word != "design_mockup" || all == nil {
				return object{"recommendations": []any{}}
			}
			return object{"recommendations": all}
		},
	}}
}
