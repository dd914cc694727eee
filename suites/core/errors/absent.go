package errors

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// absentCases ask for lists that the server does not declare.
func absentCases() []suite.Case {
	var cases []suite.Case
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		cases = append(cases, suite.Case{
			ID:     "errors/undeclared-" + l.Name,
			Title:  l.Method + " is an unknown method where " + l.Capability + " is not declared",
			Checks: []requirements.ID{"errors-unadvertised-capability"},
			Fix:    "answer error -32601 to " + l.Method + ", or declare the " + l.Capability + " capability",
			Run:    func(c *probe.Client) error { return undeclared(c, l) },
		})
	}
	return cases
}

// A list with entries belongs to a capability that should be declared, which is
// the rule of the page of that list.
func undeclared(c *probe.Client, l protocol.List) error {
	if _, declared := c.Survey().Capabilities[l.Capability]; declared {
		c.NotSeen("the server declares " + l.Capability)
	}
	reply := c.Call(l.Method, nil)
	listed, _ := reply.At("/result/" + l.Items)
	entries, _ := listed.([]any)
	code, coded := reply.Code()
	switch _, served := reply.Result(); {
	case len(entries) > 0:
		c.NotSeen("the server lists " + l.Name + " without declaring them, which is another rule's")
	case served && !protocol.UndeclaredUnknown().At(c.Revision()):
		c.Note(l.Method + " is answered with a result, and " + l.Capability + " is not declared")
		return nil
	case served || coded:
		if code == protocol.MethodNotFound {
			return nil
		}
		return reply.WantError(protocol.MethodNotFound)
	case reply.Refused():
		return nil // over HTTP by the status alone
	}
	c.Undecide("the answer to " + l.Method + " is " + reply.Outcome())
	return nil
}

// removedCases ask for what 2026-07-28 has no more. The params do nothing where a
// server still serves it: they name no level, and a resource that nobody has.
func removedCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, method string
		params       func(c *probe.Client) probe.Object
	}{
		{"ping", "ping", func(*probe.Client) probe.Object { return nil }},
		{"set-level", "logging/setLevel", func(*probe.Client) probe.Object { return probe.Object{} }},
		{"subscribe", "resources/subscribe", nowhere},
		{"unsubscribe", "resources/unsubscribe", nowhere},
	} {
		cases = append(cases, suite.Case{
			ID:     "errors/removed-" + row.slug,
			Title:  row.method + " is an unknown method",
			Checks: []requirements.ID{"errors-removed-methods"},
			Fix:    "answer error -32601 to " + row.method + " wherever the metadata of the request names 2026-07-28",
			Run: func(c *probe.Client) error {
				return unknown(c.Call(row.method, row.params(c)))
			},
		})
	}
	return cases
}

func nowhere(c *probe.Client) probe.Object { return probe.Object{"uri": "test://no-such-" + c.Nonce()} }

// That an unknown method has this code and no other is the rule of
// jsonrpc/method-not-found; what is served is the slip here.
func unknown(reply *probe.Reply) error {
	err := reply.WantError(protocol.MethodNotFound)
	switch {
	case reply.Status() == http.StatusNotFound && !reply.Answered():
		return nil
	case reply.Failed():
		return probe.AtMostWarn(err)
	}
	return err
}
