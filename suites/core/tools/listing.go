package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// listCases judge whether there is a list, and what its entries are.
func listCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/capability-declared",
			Title:  "a server that lists tools declares the tools capability",
			Checks: []requirements.ID{"tools-capability-declared"},
			Fix:    "add tools to the declared capabilities as soon as there is a tool",
			Run:    capabilityDeclared,
		},
		{
			ID:     "tools/list-answered",
			Title:  "tools/list is answered where the tools capability is declared",
			Checks: []requirements.ID{"tools-list-answered", "tools-list-answered-legacy"},
			Needs:  declared(),
			Proves: declared(),
			Fix:    "serve tools/list, with an empty array if need be, or leave tools out of the capabilities",
			Run:    listAnswered,
		},
		{
			ID:     "tools/list-schema",
			Title:  "each listed tool has a name and an input schema, and properties without a rule of their own have their types",
			Checks: []requirements.ID{"tools-list-schema"},
			Needs:  declared(),
			Fix:    "give every tool a name that is a string and an inputSchema that is an object, on every page",
			Owns:   []suite.Part{{Of: "tools/list", At: "/tools"}},
			Run:    listSchema,
		},
	}
}

// A server without tools may answer as it likes.
func capabilityDeclared(c *probe.Client) error {
	if c.Survey().Capabilities["tools"] != nil {
		return nil
	}
	p := probe.FetchPage(c, protocol.Tools(), nil)
	switch {
	case len(p.Items) > 0:
		return p.Reply.Violation("$.result.tools has %d tools and the server does not declare the tools capability, want it declared",
			len(p.Items))
	case p.Array:
		c.Note("tools/list is answered with an empty array, and the tools capability is not declared")
	}
	c.NotSeen("the server offers no tools")
	return nil
}

// An internal error is a proper answer where the tools come from somewhere
// that cannot be reached.
func listAnswered(c *probe.Client) error {
	p := probe.FetchPage(c, protocol.Tools(), nil)
	if code, ok := p.Reply.Code(); ok && !disowns(code) {
		c.Undecide("the list could not be read: " + p.Reply.AnswerTo("tools/list"))
	}
	if err := p.Reply.WantResult(); err != nil {
		return err
	}
	return p.Reply.Want("/result/tools", probe.AnArray())
}

// disowns reports whether an error says that the request itself is wrong,
// which a good request for a declared list is not.
func disowns(code int) bool {
	switch code {
	case protocol.ParseError, protocol.InvalidRequest, protocol.MethodNotFound, protocol.InvalidParams:
		return true
	}
	return false
}

func listSchema(c *probe.Client) error {
	tools := probe.List(c, protocol.Tools())
	for _, page := range tools.Pages[1:] {
		if _, ok := page.Result(); !ok {
			continue // whether it has to be served is judged with its cursor
		}
		if err := page.Want("/result/tools", probe.AnArray()); err != nil {
			return err
		}
	}
	if len(tools.All) == 0 {
		c.NotSeen("the server lists no tools")
	}
	return tools.Judge(func(t probe.Item) probe.Opinion {
		return t.Fits(c, "Tool")
	})
}
