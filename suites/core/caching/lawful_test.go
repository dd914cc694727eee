package caching_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

// TestLawfulWithoutHandshake: the server may choose how long results may be kept, and no
// layer that carries messages cares.
func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	lists := []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
	for name, reply := range map[string]fault.Change{
		"another lifetime on each page": func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && slices.Contains(lists, x.Method) {
				result["ttlMs"] = 1000 * x.Nth
			}
		},
		"a lifetime written with an exponent": fault.OnResult("tools/list", func(result fault.Message) { result["ttlMs"] = json.Number("6e4") }),
		"everything is private": func(_ fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && result["cacheScope"] != nil {
				result["cacheScope"] = "private"
			}
		},
		"caching hints where none are asked for": fault.OnResult("prompts/get", func(result fault.Message) {
			if result["resultType"] == "complete" {
				result["ttlMs"], result["cacheScope"] = 5, "private"
			}
		}),
	} {
		lawful.Stateless(t, name, lawful.Contents, &fault.Fault{Without: server.Extensions(), Reply: reply})
	}
}
