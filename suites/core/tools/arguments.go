package tools

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// argumentCases call a tool with arguments that its published schema excludes:
// first how that is said, then whether it is noticed at all.
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
	if mirrored(reply) {
		errHeaders(c)
		return nil
	}
	result, ok := reply.Result()
	switch {
	case reply.Refused() || reply.ErrorFlag():
		heeded(c, call, reply)
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

// refusal calls with what the role says is rejected. A call that succeeds is
// the business of the cases about validation.
func refusal(c *probe.Client) *probe.Reply {
	call := excludedCall(c)
	reply := c.CallTool(call, nil)
	_, isResult := reply.Result()
	switch {
	case isResult && !reply.ErrorFlag():
		c.NotSeen("the arguments are not rejected")
	case mirrored(reply):
		errHeaders(c)
		return nil
	case reply.Refused() || reply.ErrorFlag():
		heeded(c, call, reply)
		return reply
	}
	return reply
}

// heeded makes sure that a call was refused for its arguments. Where what stands behind
// the tool is out of reach, good arguments are refused in the same words, and nothing
// is seen of how bad ones are. Good ones go to a tool that only reads.
func heeded(c *probe.Client, call *probe.ToolCall, reply *probe.Reply) {
	if code, ok := reply.Code(); ok && code == protocol.InvalidParams {
		return
	}
	tools := usable(c)
	if t, ok := tools.Find(call.Tool); !ok || !reads(t) {
		return
	}
	good := c.Role(invalidInput).Call()
	usual := c.CallTool(good, nil)
	if (usual.Refused() || usual.ErrorFlag()) && usual.Outcome() == reply.Outcome() {
		c.Undecide("good arguments get the same: " + usual.Outcome())
	}
}

// mirrored reports whether a call was rejected for headers that repeat its
// arguments: what was changed in the one is no longer what stands in the other.
func mirrored(reply *probe.Reply) bool {
	code, ok := reply.Code()
	return ok && code == protocol.HeaderMismatch && reply.Status() != 0
}

func errHeaders(c *probe.Client) {
	c.NotSeen("the headers of the call are rejected, so its arguments are not looked at")
}

// The pages of these revisions count invalid arguments among protocol errors
// and invalid input among tool errors, and show a code in an example only.
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
