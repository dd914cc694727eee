package errors

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// absentCases ask for lists that the server does not declare.
func absentCases() []suite.Case {
	var rows []declared.Row
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		rows = append(rows, declared.Row{
			ID: "errors/undeclared-" + l.Name, List: l,
			Title:  l.Method + " is an unknown method where " + l.Capability + " is not declared",
			Checks: []requirements.ID{"errors-unadvertised-capability"},
			Fix:    "answer error -32601 to " + l.Method + ", or declare the " + l.Capability + " capability",
		})
	}
	return declared.Unknown(rows...)
}

// removedCases ask for what 2026-07-28 has no more. The params do nothing where a
// server still serves it: they name no level, and a resource that nobody has.
func removedCases() []suite.Case {
	var rows []refusals.Row
	for _, row := range []struct {
		slug, method string
		params       func(c *probe.Client) probe.Object
	}{
		{"ping", "ping", func(*probe.Client) probe.Object { return nil }},
		{"set-level", "logging/setLevel", nil},
		{"subscribe", "resources/subscribe", nowhere},
		{"unsubscribe", "resources/unsubscribe", nowhere},
	} {
		rows = append(rows, refusals.Row{
			ID: "errors/removed-" + row.slug, Method: row.method, Params: row.params, Well: true, Judge: unknown,
			Title:  row.method + " is an unknown method",
			Checks: []requirements.ID{"errors-removed-methods"},
			Fix:    "answer error -32601 to " + row.method + " wherever the metadata of the request names 2026-07-28",
		})
	}
	return refusals.Cases(rows...)
}

func nowhere(c *probe.Client) probe.Object { return probe.Object{"uri": "test://no-such-" + c.Nonce()} }

// That an unknown method has this code and no other is the rule of
// jsonrpc/method-not-found; what is served is the slip here.
func unknown(_ *probe.Client, reply *probe.Reply) error {
	err := reply.WantError(protocol.MethodNotFound)
	switch {
	case reply.Status() == http.StatusNotFound && !reply.Answered():
		return nil
	case reply.Failed():
		return probe.AtMostWarn(err)
	}
	return err
}
