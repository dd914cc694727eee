// Package discovery serves the server discovery extension: which other servers can do what
// this one cannot.
package discovery

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const method = "recommend_servers"

// New returns the extension.
func New() core.Extension {
	return core.Extension{
		Name: "server-discovery", Key: "io.github.mcp-extension-proposals/server_recommendations", Describe: describe,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){method: recommend},
	}
}

// known are the recommendations of the office, the best match for each capability first.
func known() []any {
	return []any{
		map[string]any{
			"capability": "weather", "server_name": "tide-mcp", "registry_url": "https://registry.example/tide", "auth_flow": "api_key",
			"match_confidence": "high",
		},
		map[string]any{"capability": "weather", "server_name": "sky-mcp", "match_confidence": "low"},
		map[string]any{"capability": "customs", "server_name": "tariff-mcp", "auth_flow": "none", "match_confidence": "medium"},
	}
}

func describe(_ *core.Turn, manifest fault.Message) { manifest["recommendations"] = known() }

func recommend(t *core.Turn) (fault.Message, *core.Error) {
	var asked struct {
		Capability string `json:"capability_needed"`
	}
	if json.Unmarshal(t.Params(), &asked) != nil || asked.Capability == "" {
		return nil, t.RefuseError(-32602, "capability_needed is missing, or not a string", core.Refusal{
			Code: "INVALID_INPUT", Category: core.InvalidInput, Suggestion: "Name the capability that is needed, such as weather.",
		})
	}
	matching := []any{}
	for _, one := range known() {
		if one.(map[string]any)["capability"] == asked.Capability {
			matching = append(matching, one)
		}
	}
	return fault.Message{"capability_needed": asked.Capability, "recommendations": matching}, nil
}
