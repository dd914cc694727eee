package tools

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// argumentCases call a tool with arguments that its published schema excludes: the first
// cases judge the form of the refusal, the others whether the tool refuses at all.
func argumentCases() []suite.Case {
	rejected := []suite.Need{suite.Role(invalidInput)}
	cases := []suite.Case{
		{
			ID:     "tools/invalid-arguments-protocol-error",
			Title:  "arguments that do not fit the input schema are answered with an error",
			Checks: []requirements.ID{"tools-invalid-arguments-protocol-error"},
			Needs:  rejected,
			Fix:    "validate the arguments before the tool runs, and answer error -32602 if they do not fit",
			Run:    protocolError,
		},
		{
			ID:     "tools/invalid-arguments-tool-error",
			Title:  "arguments that do not fit the input schema are answered with a result marked as an error",
			Checks: []requirements.ID{"tools-invalid-arguments-tool-error"},
			Needs:  rejected,
			Fix:    "return a result with isError true that says what is wrong with the arguments, so that a model can correct them",
			Run:    toolError,
		},
	}
	for _, e := range exclusions() {
		cases = append(cases, suite.Case{
			ID:     "tools/inputs-validated-" + e.slug,
			Title:  "a tool does not run " + e.title,
			Checks: []requirements.ID{"tools-inputs-validated"},
			Needs:  rejected,
			Fix:    "validate the arguments against the published input schema before the tool runs",
			Run:    func(c *probe.Client) error { return inputsValidated(c, e) },
		})
	}
	return cases
}

func inputsValidated(c *probe.Client, e exclusion) error {
	call := excluded(c, e)
	reply := c.CallTool(call, nil)
	if refusedForHeaders(reply) {
		headersRefused(c)
		return nil
	}
	result, ok := reply.Result()
	switch {
	case reply.Refused() || reply.ErrorFlag():
		refusedForArguments(c, call, reply)
		return nil
	case reply.Died():
		return reply.Violation("%s, want an error", reply.AnswerTo("arguments that the input schema excludes"))
	case !ok:
		c.Undecide(reply.AnswerTo("arguments that the input schema excludes"))
	case !final(result):
		c.Undecide("the call was answered with something else than its outcome")
	}
	return ranWith(c, call, reply)
}

// refusal makes a call with excluded arguments and returns the refusal. The cases about
// validation judge a call that succeeds.
func refusal(c *probe.Client) *probe.Reply {
	call := excludedCall(c)
	reply := c.CallTool(call, nil)
	_, isResult := reply.Result()
	switch {
	case isResult && !reply.ErrorFlag():
		c.NotSeen("the arguments are not rejected")
	case refusedForHeaders(reply):
		headersRefused(c)
		return nil
	case reply.Refused() || reply.ErrorFlag():
		refusedForArguments(c, call, reply)
		return reply
	}
	return reply
}

// refusedForArguments ends the case undecided if a call was refused for another reason than its
// arguments. Where a backend of the tool is out of reach, valid arguments are refused in
// the same words, which shows nothing about invalid ones. Only a read-only tool is called
// with valid arguments.
func refusedForArguments(c *probe.Client, call *probe.ToolCall, reply *probe.Reply) {
	if code, ok := reply.Code(); ok && code == protocol.InvalidParams {
		return
	}
	tools := usable(c)
	if t, ok := tools.Find(call.Tool); !ok || !reads(t) {
		return
	}
	usual := c.CallTool(fitting(c, call), nil)
	if (usual.Refused() || usual.ErrorFlag()) && usual.Outcome() == reply.Outcome() {
		c.Undecide("good arguments get the same: " + usual.Outcome())
	}
}

// refusedForHeaders reports whether a call was rejected for the headers that repeat its arguments:
// the changed arguments no longer match the headers.
func refusedForHeaders(reply *probe.Reply) bool {
	code, ok := reply.Code()
	return ok && code == protocol.HeaderMismatch && reply.Status() != 0
}

func headersRefused(c *probe.Client) {
	c.NotSeen("the headers of the call are rejected, so its arguments are not looked at")
}

// protocolError only notes other codes: the pages of these revisions count invalid
// arguments among protocol errors and invalid input among tool errors, and show a code
// only in an example.
func protocolError(c *probe.Client) error {
	reply := refusal(c)
	code, coded := reply.Code()
	switch {
	case reply.ErrorFlag():
		c.Note("arguments that do not fit are answered with a result marked as an error, which the page has for invalid input")
		return nil
	case coded && (code == protocol.MethodNotFound || code == protocol.ParseError):
		return reply.WantError(protocol.InvalidParams)
	case coded && code != protocol.InvalidParams:
		c.Note(fmt.Sprintf("the error for arguments that do not fit has the code %d; the page shows -32602", code))
		return nil
	case reply.Refused():
		return nil
	}
	return reply.WantError(protocol.InvalidParams)
}

func toolError(c *probe.Client) error {
	reply := refusal(c)
	shown := protocol.InvalidArguments().At(c.Revision())
	code, coded := reply.Code()
	switch {
	case reply.ErrorFlag():
		return nil
	case shown != 0 && coded && code == shown:
		c.Note("arguments that do not fit are answered with error -32602; the page wants a result with isError true, " +
			"the schema's examples show the error")
		return nil
	}
	return reply.Violation("%s, want a result with isError true", reply.AnswerTo("arguments that do not fit the input schema"))
}
