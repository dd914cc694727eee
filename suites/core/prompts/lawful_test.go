package prompts_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	offers, prompts := fakeserver.Offers("prompts"), []map[string]any{{"name": "greet"}, {"name": "Greet"}}
	lawful.Servers(t, "prompts", []lawful.Row{
		{Name: "no prompts at all", Server: &fakeserver.Server{Capabilities: offers}},
		{Name: "names that differ in letter case", Server: &fakeserver.Server{Capabilities: offers, Prompts: prompts}},
		{Name: "extra properties everywhere", Server: &fakeserver.Server{Capabilities: offers, Prompts: prompts, Extra: true}},
		{Name: "an empty list that is not declared", Server: &fakeserver.Server{Answer: fakeserver.Answers{
			"prompts/list": func(fakeserver.Request) any { return map[string]any{"prompts": []any{}} },
		}}},
		{Name: "where the prompts are cannot be reached", Server: &fakeserver.Server{Capabilities: offers, Answer: fakeserver.Answers{
			"prompts/list": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32603, Message: "no such host"} },
		}}},
	})
}

// A list that changes by itself shows nothing of connections, or of what was asked on them.
func TestChangingLists(t *testing.T) {
	t.Parallel()
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "prompts" }
	var asked atomic.Int64
	lawful.Stateless(t, "another prompt each time", page, &fault.Fault{
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method != "prompts/list" {
				return items
			}
			return slices.Insert(items, 0, fault.Message{"name": fmt.Sprint("a_notice_", asked.Add(1))})
		},
	})
}
