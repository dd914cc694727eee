package jsonrpc

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// oddIDCases send ids of types that no request may have.
func oddIDCases() []suite.Case {
	var cases []suite.Case
	for _, odd := range []struct{ slug, title, id string }{
		{"boolean", "a boolean", "true"},
		{"object", "an object", "{}"},
		{"list", "a list", "[]"},
	} {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/invalid-id-" + odd.slug,
			Title:  "a request whose id is " + odd.title + " is not served",
			Checks: []requirements.ID{"jsonrpc-invalid-id-rejected"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "check the type of the id before serving a request, and answer error -32600 without an id",
			Lane:   suite.Fresh,
			Run: func(ctx context.Context, c *probe.Client) error {
				if err := notServed(ctx, c, odd.id); err != nil {
					return err
				}
				return noteOddIDs(ctx, c)
			},
		})
	}
	return cases
}

// Any refusal will do, and so will silence: what could not be read as a
// request has no id to be answered under. A lenient server that echoes the id
// is told of and no more, since the rule on ids binds who sends them.
func notServed(ctx context.Context, c *probe.Client, id string) error {
	if err := quiet(ctx, c); err != nil {
		return err
	}
	reply, _, err := c.Glance(ctx, probe.Request(id, list(c).method, c.Params(nil)))
	if err != nil {
		return err
	}
	switch _, served := reply.Result(); {
	case served && frame.SameID(reply.ID(), id):
		c.Note("a request with the id " + id + " is served under it")
	case served:
		return reply.Violation("a request with the id %s is served under the id %s, want a refusal", id, shownID(reply.ID()))
	}
	return nil
}

// Ids that are null or have a fraction are only advised against, so whatever
// becomes of them is told and no more. Servers that round the fraction answer
// under an id that nothing else in the conversation has.
func noteOddIDs(ctx context.Context, c *probe.Client) error {
	for _, id := range []string{"null", "7001.5"} {
		reply, behind, err := c.Glance(ctx, probe.Request(id, list(c).method, c.Params(nil)))
		if err != nil {
			return err
		}
		if !behind.Answered() {
			return nil
		}
		outcome := "passed over in silence"
		switch _, served := reply.Result(); {
		case served:
			outcome = "served under the id " + shownID(reply.ID())
		case reply.Refused():
			outcome = "refused"
		}
		c.Note(fmt.Sprintf("a request with the id %s is %s", id, outcome))
	}
	return nil
}
