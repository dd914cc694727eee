package tools

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// effectCases look whether what is asked on a connection changes the list that
// it is shown.
func effectCases() []suite.Case {
	var cases []suite.Case
	for _, d := range doings() {
		cases = append(cases, suite.Case{
			ID:     "tools/list-after-" + d.slug,
			Title:  d.title + " on a connection change nothing in the tools it is shown",
			Checks: []requirements.ID{"tools-list-no-side-effects"},
			Needs:  append(declared(), d.needs...),
			Fix:    "keep no list per connection: offer a tool to every connection or to none",
			Lane:   suite.Fresh,
			Run:    func(ctx context.Context, c *probe.Client) error { return listAfter(ctx, c, d.do) },
		})
	}
	return cases
}

// A doing is a kind of request that might leave something behind.
type doing struct {
	slug, title string
	needs       []suite.Need
	do          func(ctx context.Context, c *probe.Client) (done int, err error)
}

func doings() []doing {
	return []doing{
		{"calls", "calls", []suite.Need{suite.Role(readOnly)}, callTwice},
		{"reads", "reading resources and getting prompts", []suite.Need{suite.Either(suite.Capability("resources"), suite.Capability("prompts"))}, readAround},
	}
}

func callTwice(ctx context.Context, c *probe.Client) (done int, err error) {
	call, err := c.Role(readOnly).Call()
	if err != nil {
		return 0, err
	}
	for range 2 {
		reply, err := c.CallTool(ctx, call, nil)
		if err != nil {
			return done, err
		}
		if _, ok := reply.Result(); ok && !reply.ErrorFlag() {
			done++
		}
	}
	return done, nil
}

// readAround reads some of what is listed. Prompts with arguments are left
// alone: what they take is not known.
func readAround(ctx context.Context, c *probe.Client) (done int, err error) {
	read := func(method string, params probe.Object) error {
		reply, err := c.Call(ctx, method, params)
		if err != nil {
			return err
		}
		if _, ok := reply.Result(); ok {
			done++
		}
		return nil
	}
	lists := c.Survey().Lists
	for _, r := range sample(lists["resources/list"], c.Waits().Reads) {
		if uri, ok := r["uri"].(string); ok {
			if err := read("resources/read", probe.Object{"uri": uri}); err != nil {
				return done, err
			}
		}
	}
	for _, p := range sample(lists["prompts/list"], c.Waits().Reads) {
		arguments, _ := p["arguments"].([]any)
		if name, ok := p["name"].(string); ok && len(arguments) == 0 {
			if err := read("prompts/get", probe.Object{"name": name}); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

func sample(items []any, most int) []map[string]any {
	var taken []map[string]any
	for _, item := range items[:min(len(items), most)] {
		if o, ok := item.(map[string]any); ok {
			taken = append(taken, o)
		}
	}
	return taken
}

// What changes for both connections alike has another cause.
func listAfter(ctx context.Context, c *probe.Client, do func(context.Context, *probe.Client) (int, error)) error {
	other, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	clients := []*probe.Client{c, other}
	lists := func() (each [2]listing, err error) {
		for i, client := range clients {
			if each[i], err = namesOf(ctx, client); err != nil {
				return each, err
			}
		}
		return each, nil
	}
	before, err := lists()
	if err != nil {
		return err
	}
	done, err := do(ctx, c)
	if err != nil {
		return err
	}
	if done == 0 {
		return probe.NotSeen("nothing that was asked had a result, so nothing can have come of it")
	}
	after, err := lists()
	if err != nil {
		return err
	}
	if after[0].sameSet(after[1]) {
		return nil
	}
	again, err := lists()
	if err != nil {
		return err
	}
	if !before[0].sameSet(before[1]) || !again[0].sameSet(after[0]) || !again[1].sameSet(after[1]) {
		return probe.Undecide("the set of tools changed while it was compared")
	}
	return probe.Broken(after[0].evidence(after[1]), "%s, want what other requests did on the first to make no difference", apart(after[0], after[1]))
}
