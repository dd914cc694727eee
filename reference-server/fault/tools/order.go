package tools

import (
	"crypto/rand"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func order() []fault.Fault {
	return []fault.Fault{
		{
			Name:   "tools-list-order-varies",
			Title:  "the tools are listed in another order after the first time",
			Breaks: "tools-list-stable-order",
			In:     fault.OverStdio(requirements.R20260728), // where requests are counted by connection
			List: func(x fault.Exchange, items []fault.Message) []fault.Message {
				if x.Method == "tools/list" && x.Nth > 1 && len(items) > 1 {
					items[0], items[1] = items[1], items[0]
				}
				return items
			},
		}, {
			Name:   "tools-list-of-connection",
			Title:  "each connection has a tool of its own",
			Breaks: "tools-list-not-per-connection",
			In:     fault.OverStdio(requirements.R20260728), // where each connection has its own registry
			Domain: func(r fault.Registry) {
				r.AddTool(crane("name", "a_crane_"+rand.Text()), func(map[string]any) string { return "Done." })
			},
		},
		{Breaks: "tools-list-no-side-effects", In: fault.OverStdio(requirements.R20260728), Each: []fault.Fault{{
			Name:  "tools-list-after-call",
			Title: "a tools/call adds a tool on the connection that made it",
			Kills: []string{"tools/list-after-calls"},
			List:  appearingAfter("tools/call"),
		}, {
			Name:  "tools-list-after-read",
			Title: "a resources/read adds a tool on the connection that made it",
			Kills: []string{"tools/list-after-reads"},
			List:  appearingAfter("resources/read"),
		}}},
	}
}

// appearingAfter lists one more tool once something was asked on the
// connection.
func appearingAfter(method string) func(fault.Exchange, []fault.Message) []fault.Message {
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		if x.Method != "tools/list" || !x.After(method) {
			return items
		}
		return slices.Insert(items, 0, crane("name", "a_crane"))
	}
}
