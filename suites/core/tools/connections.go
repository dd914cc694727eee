package tools

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// connectionCases look whether what is asked on a connection changes the list
// that it is shown.
func connectionCases() []suite.Case {
	var cases []suite.Case
	for _, d := range doings() {
		cases = append(cases, suite.Case{
			ID:     "tools/list-after-" + d.slug,
			Title:  "tools/list is the same after " + d.title + " on its connection",
			Checks: []requirements.ID{"tools-list-no-side-effects"},
			Needs:  append(declared(), d.needs...),
			Fix:    "keep no list per connection: offer a tool to every connection or to none",
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
	resourcesOrPrompts := suite.Either(suite.Capability("resources"), suite.Capability("prompts"))
	return []doing{
		{"calls", "calls", []suite.Need{suite.Role(readOnly)}, callTwice},
		{"reads", "resources/read and prompts/get", []suite.Need{resourcesOrPrompts}, readAround},
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

// listAfter looks at the connection that is there first: while it is shown what
// others are shown, nothing has come of what was asked on it.
func listAfter(ctx context.Context, c *probe.Client, do func(context.Context, *probe.Client) (int, error)) error {
	done, err := do(ctx, c)
	if err != nil {
		return err
	}
	if done == 0 {
		return probe.NotSeen("nothing that was asked had a result, so nothing can have come of it")
	}
	if same, err := asElsewhere(ctx, c); same || err != nil {
		return err
	}
	return changedBy(ctx, c, do)
}

// changedBy compares two new connections, on one of which nothing but the list
// is asked for. What changes for both alike has another cause.
func changedBy(ctx context.Context, c *probe.Client, do func(context.Context, *probe.Client) (int, error)) error {
	doer, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	other, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	before, err := inTurn(ctx, 1, doer, other)
	if err != nil {
		return err
	}
	if _, err := do(ctx, doer); err != nil {
		return err
	}
	after, err := inTurn(ctx, 2, doer, other)
	if err != nil {
		return err
	}
	one, two := after[0][0], after[1][0]
	switch {
	case one.sameSet(two):
		return nil
	case !before[0][0].sameSet(before[1][0]), !steady(after[0]), !steady(after[1]):
		return probe.Undecide("the set of tools changed while it was compared")
	}
	return one.against(two).Violation("%s, want what other requests did on the first to make no difference", apart(one, two))
}
