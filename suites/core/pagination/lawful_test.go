package pagination_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "pagination", []lawful.Row{
		{Name: "a list in pages", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(4), Answer: fakeserver.Answers{
			"tools/list": func(r fakeserver.Request) any {
				switch r.Params["cursor"] {
				case nil:
					return map[string]any{"tools": fakeserver.Tools(4)[:2], "nextCursor": "2"}
				case "2":
					return map[string]any{"tools": fakeserver.Tools(4)[2:]}
				default:
					return &fakeserver.Error{Code: -32602, Message: "unknown cursor"}
				}
			},
		}}},
		{Name: "cursors that are keys", Server: keyset()},
	})
}

// keyset pages by the names of the tools: any text is a position in their order.
func keyset() *fakeserver.Server {
	all := fakeserver.Tools(9)
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: all, Answer: fakeserver.Answers{
		"tools/list": func(r fakeserver.Request) any {
			after, text := r.Params["cursor"].(string)
			if !text && r.Params["cursor"] != nil {
				return &fakeserver.Error{Code: -32600, Message: "cursor is no string"}
			}
			page := slices.DeleteFunc(slices.Clone(all), func(t map[string]any) bool { return strings.Compare(fmt.Sprint(t["name"]), after) <= 0 })
			if len(page) <= 4 {
				return map[string]any{"tools": page}
			}
			return map[string]any{"tools": page[:4], "nextCursor": page[3]["name"]}
		},
	}}
}
