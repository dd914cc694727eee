package lists

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// after are the cases on whether what is asked on a connection changes the list
// that it is shown.
func (l list) after(r Rules) []suite.Case {
	var cases []suite.Case
	for _, d := range doings() {
		cases = append(cases, suite.Case{
			ID:     l.id("list-after-" + d.slug),
			Title:  l.Method + " is the same after " + d.title + " on its connection",
			Checks: checks(r.NoSideEffects),
			Needs:  append(l.declared(), d.need),
			Fix:    "keep no list per connection: offer a " + l.Noun + " to every connection or to none",
			Run:    func(c *probe.Client) error { return l.same(c, d.do) },
		})
	}
	return cases
}

// A doing is a kind of request that might leave something behind.
type doing struct {
	slug, title string
	need        suite.Need
	do          func(c *probe.Client) (done int)
}

func doings() []doing {
	return []doing{
		{"calls", "calls", suite.Role(roles.ReadOnlyTool), callTwice},
		{"reads", "resources/read and prompts/get", suite.Either(suite.Capability("resources"), suite.Capability("prompts")), readAround},
	}
}

func callTwice(c *probe.Client) (done int) {
	call := c.Role(roles.ReadOnlyTool).Call()
	for range 2 {
		reply := c.CallTool(call, nil)
		if reply.Succeeded() {
			done++
		}
	}
	return done
}

// readAround reads some of what is listed. Prompts with arguments are left
// alone: what they take is not known.
func readAround(c *probe.Client) (done int) {
	read := func(method string, params probe.Object) (answered bool) {
		reply := c.Call(method, params)
		if reply.Served() {
			done++
		}
		return !reply.Silent()
	}
	listed := c.Survey().Lists
	for _, r := range sample(listed["resources/list"], c.Waits().Reads) {
		if uri, ok := r["uri"].(string); ok && !read("resources/read", probe.Object{"uri": uri}) {
			break
		}
	}
	for _, p := range sample(listed["prompts/list"], c.Waits().Reads) {
		name, ok := p["name"].(string)
		if ok && len(probe.ArrayOf(p["arguments"])) == 0 && !read("prompts/get", probe.Object{"name": name}) {
			break
		}
	}
	return done
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

// same looks at the connection that is there first: while it is shown what other
// connections are shown, nothing has come of what was asked on it.
func (l list) same(c *probe.Client, do func(*probe.Client) int) error {
	done := do(c)
	c.NotSeenIf(done == 0, "nothing that was asked had a result, so nothing can have come of it")
	if l.asElsewhere(c) {
		return nil
	}
	return l.changedBy(c, do)
}

// changedBy compares two new connections, on one of which nothing but the list
// is asked for. What changes for both alike has another cause.
func (l list) changedBy(c *probe.Client, do func(*probe.Client) int) error {
	doer := c.Opened()
	other := c.Opened()
	before := l.inTurn(1, doer, other)
	do(doer)
	after := l.inTurn(2, doer, other)
	one, two := after[0][0], after[1][0]
	switch {
	case one.sameSet(two):
		return nil
	case !before[0][0].sameSet(before[1][0]), !steady(after[0]), !steady(after[1]):
		c.Undecide("the set of " + l.items() + " changed while it was compared")
	}
	return one.against(two).Violation("%s, want what other requests did on the first to make no difference", one.apart(two))
}
