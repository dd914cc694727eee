package pagination_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
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
		{Name: "a list that begins anew in another order", Server: shuffled()},
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

// shuffled begins each list at another tool. Its cursors name the beginning, and each gives the same page.
func shuffled() *fakeserver.Server {
	all := fakeserver.Tools(6)
	var lists atomic.Int64
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: all, Answer: fakeserver.Answers{
		"tools/list": func(r fakeserver.Request) any {
			from, page := int(lists.Add(1))%len(all), 0
			if cursor, given := r.Params["cursor"]; given {
				if _, err := fmt.Sscanf(fmt.Sprint(cursor), "%d:%d", &from, &page); err != nil || from >= len(all) || page != 1 {
					return &fakeserver.Error{Code: -32602, Message: "unknown cursor"}
				}
			}
			turned := slices.Concat(all[from:], all[:from])
			if page == 1 {
				return map[string]any{"tools": turned[3:]}
			}
			return map[string]any{"tools": turned[:3], "nextCursor": fmt.Sprintf("%d:1", from)}
		},
	}}
}
