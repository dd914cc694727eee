package tools

import (
	"errors"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// unknownCases call what does not exist.
func unknownCases() []suite.Case {
	return refusals.Cases(refusals.Row{
		ID: "tools/unknown-name", Title: "a call of a tool that does not exist is an error",
		Checks: []requirements.ID{"tools-unknown-name-error", refusals.Answer}, Needs: declared(),
		Fix:    "look the tool up first, and answer error -32602 when it is not there",
		Method: "tools/call", Well: true, Judge: unknownName,
		Params: func(c *probe.Client) probe.Object {
			return probe.Object{"name": "no_such_tool_" + c.Nonce(), "arguments": probe.Object{}}
		},
	})
}

// Most servers say it by a result that is marked as an error. All pages count
// unknown tools among protocol errors; what distinguishes the two kinds of errors,
// so that it is not the one or the other, is said from 2025-11-25 on.
func unknownName(c *probe.Client, reply *probe.Reply) error {
	code, coded := reply.Code()
	if reply.Refused() || reply.ErrorFlag() && !protocol.ErrorKindsTold().At(c.Revision()) {
		c.Must(unknownPath(c))
	}
	switch {
	case reply.Refused():
		if coded && code != protocol.InvalidParams {
			c.Note(fmt.Sprintf("the error for an unknown tool has the code %d; the page shows -32602", code))
		}
		return nil
	case reply.ErrorFlag() && !protocol.ErrorKindsTold().At(c.Revision()):
		c.Note("an unknown tool is reported by a result with isError; the page counts unknown tools among protocol errors")
		return nil
	case reply.ErrorFlag():
		return reply.Violation("an unknown tool is reported by a result with isError, want a protocol error").Under("tools-unknown-name-error")
	}
	return reply.Violation("%s, want an error", reply.AnswerTo("a call of a tool that does not exist")).
		Under("tools-unknown-name-error")
}

// unknownPath calls a tool by a name with the marks by which gateways divide names. It
// leaves to the plain name which kind of error it is.
func unknownPath(c *probe.Client) error {
	reply := c.Call("tools/call", probe.Object{"name": "tools/no_such:tool." + c.Nonce(), "arguments": probe.Object{}})
	if reply.Succeeded() {
		return reply.Violation("%s, want an error", reply.AnswerTo("a call of a tool that does not exist, with a slash in its name,")).
			Under("tools-unknown-name-error")
	}
	return nil
}

// A malformed call breaks the schema of the request itself. Those that name a
// tool name one that is safe to call, should it be called after all. A call without a
// name is jsonrpc/invalid-params-call-without-name: one slip is one finding.
func malformedCases() []suite.Case {
	safe := []suite.Need{suite.Role(readOnly)}
	const checkArguments = "check that params.arguments is an object before calling the tool"
	arguments := func(value any) func(*probe.Client) probe.Object {
		return func(c *probe.Client) probe.Object {
			return probe.Object{"name": c.Role(readOnly).Call().Tool, "arguments": value}
		}
	}
	number := func(*probe.Client) probe.Object { return probe.Object{"name": 7, "arguments": probe.Object{}} }
	return refusals.Cases(
		malformed("numeric-name", "a call whose name is a number",
			"check that params.name is a string before looking for the tool", declared(), number),
		malformed("text-arguments", "a call whose arguments are a string", checkArguments, safe, arguments("day")),
		malformed("list-arguments", "a call whose arguments are an array", checkArguments, safe, arguments([]any{"day"})),
	)
}

func malformed(slug, what, fix string, needs []suite.Need, params func(*probe.Client) probe.Object) refusals.Row {
	return refusals.Row{
		ID: "tools/malformed-call-" + slug, Title: what + " is a protocol error",
		Checks: []requirements.ID{"tools-malformed-call-error", refusals.Answer}, Needs: needs,
		Fix: fix + ", and answer error -32602", Method: "tools/call", Params: params,
		Judge: func(c *probe.Client, reply *probe.Reply) error { return protocolErrorFor(c, reply, what) },
	}
}

// The page says that it is a protocol error, and not which one; the codes of
// bad parameters are judged by jsonrpc/invalid-params-....
func protocolErrorFor(c *probe.Client, reply *probe.Reply, what string) error {
	code, coded := reply.Code()
	switch {
	case reply.ErrorFlag():
		c.Note("a malformed call gets a result with isError; the page counts malformed requests among protocol errors")
	case !reply.Refused(), !reply.Answered():
		// An HTTP status without a JSON-RPC error in its body is no protocol error.
		return reply.Violation("%s, want a protocol error", reply.AnswerTo(what)).Under("tools-malformed-call-error")
	case coded && code != protocol.InvalidParams && code != protocol.HeaderMismatch:
		c.Note(fmt.Sprintf("the malformed call is rejected with %d; -32602 is meant for parameters", code))
	}
	return nil
}

func failureCases() []suite.Case {
	return []suite.Case{{
		ID:     "tools/failure-flagged",
		Title:  "a failure inside a tool is a result with isError",
		Checks: []requirements.ID{"tools-execution-error-flag"},
		Needs:  []suite.Need{suite.Role(roles.Failure, "tool")}, // the role has more than a tool
		Fix:    "catch what goes wrong inside the tool, and answer a result whose content says what, and whose isError is true",
		Run:    failureFlagged,
	}}
}

// A model can only correct its call when it reads what went wrong; it is shown
// results, and mostly no protocol errors.
func failureFlagged(c *probe.Client) error {
	reply := c.CallTool(c.Role(roles.Failure).Call(), nil)
	c.Must(reply.WantResult())
	err := reply.Want("/result/isError", probe.Equal(true))
	if v, ok := errors.AsType[*probe.Violation](err); ok {
		return v.Unless(probe.NoContent(reply))
	}
	return err
}
