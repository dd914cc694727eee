package jsonrpc

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// invalidIDCases send ids of types that are forbidden for requests.
func invalidIDCases() []suite.Case {
	var cases []suite.Case
	for _, invalid := range []struct{ slug, title, id string }{
		{"boolean", "a boolean", "true"},
		{"object", "an object", "{}"},
		{"list", "an array", "[]"},
	} {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/invalid-id-" + invalid.slug,
			Title:  "a request whose id is " + invalid.title + " is not served",
			Checks: []requirements.ID{"jsonrpc-invalid-id-rejected"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "check the type of the id before serving a request, and answer error -32600 without an id",
			Run: func(c *probe.Client) error {
				c.Must(notServed(c, invalid.id))
				noteUnadvised(c)
				return nil
			},
		})
	}
	return cases
}

// notServed allows any refusal, and silence too: a server that could not read the request
// has no id to answer. A lenient server that echoes the id only gets a note, since the
// rule on ids binds senders.
func notServed(c *probe.Client, id string) error {
	c.Quiet()
	reply := withID(c, id)
	switch _, served := reply.Result(); {
	case served && frame.SameID(reply.ID(), id):
		c.Note("a request with the id " + id + " got a result with that id")
	case served:
		return reply.Violation("a request with the id %s got a result with the id %s, want a refusal", id, shownID(reply.ID()))
	}
	return nil
}

// withID asks for a list under an id that a correct client would not use.
func withID(c *probe.Client, id string) *probe.Reply {
	return c.Ask(probe.RequestText(id, c.AnyList().Method, c.Params(nil)), probe.ThenBarrier())
}

// noteUnadvised only notes how the server treats null and fractions, because the text
// merely advises against such ids. Servers that round the fraction answer under an id
// that the conversation does not use otherwise.
func noteUnadvised(c *probe.Client) {
	for _, id := range []string{"null", "7000001.5"} {
		reply := withID(c, id)
		if !reply.Behind().Answered() {
			return
		}
		outcome := "is ignored"
		switch _, served := reply.Result(); {
		case served:
			outcome = "got a result with the id " + shownID(reply.ID())
		case reply.Refused():
			outcome = "is rejected"
		}
		c.Note(fmt.Sprintf("a request with the id %s %s", id, outcome))
	}
}
