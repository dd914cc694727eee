package tools

import (
	"context"
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
			Run:    func(ctx context.Context, c *probe.Client) error { return inputsValidated(ctx, c, e) },
		})
	}
	return cases
}

func inputsValidated(ctx context.Context, c *probe.Client, e exclusion) error {
	call, err := excluded(ctx, c, e)
	if err != nil {
		return err
	}
	reply, err := c.CallTool(ctx, call, nil)
	if err != nil {
		return err
	}
	if mirrored(reply) {
		return errHeaders()
	}
	result, ok := reply.Result()
	switch {
	case reply.Refused() || reply.ErrorFlag():
		return heeded(ctx, c, call, reply)
	case reply.Died():
		return reply.Violation("%s, want an error", reply.AnswerTo("arguments that the input schema excludes"))
	case !ok:
		return probe.Undecide(reply.AnswerTo("arguments that the input schema excludes"))
	case !final(result):
		return probe.Undecide("the call was answered with something else than its outcome")
	}
	return ranWith(ctx, c, call, reply)
}

// refusal calls with what the role says is rejected. A call that succeeds is
// the business of the cases about validation.
func refusal(ctx context.Context, c *probe.Client) (*probe.Reply, error) {
	call, err := excludedCall(ctx, c)
	if err != nil {
		return nil, err
	}
	reply, err := c.CallTool(ctx, call, nil)
	if err != nil {
		return nil, err
	}
	_, isResult := reply.Result()
	switch {
	case isResult && !reply.ErrorFlag():
		return nil, probe.NotSeen("the arguments are not rejected")
	case mirrored(reply):
		return nil, errHeaders()
	case reply.Refused() || reply.ErrorFlag():
		return reply, heeded(ctx, c, call, reply)
	}
	return reply, nil
}

// heeded makes sure that a call was refused for its arguments. Where what stands behind
// the tool is out of reach, good arguments are refused in the same words, and nothing
// is seen of how bad ones are. Good ones go to a tool that only reads.
func heeded(ctx context.Context, c *probe.Client, call *probe.ToolCall, reply *probe.Reply) error {
	if code, ok := reply.Code(); ok && code == protocol.InvalidParams {
		return nil
	}
	tools, err := usable(ctx, c)
	if err != nil {
		return err
	}
	if t, ok := tools.Find(call.Tool); !ok || !reads(t) {
		return nil
	}
	good, err := c.Role(invalidInput).Call()
	if err != nil {
		return err
	}
	usual, err := c.CallTool(ctx, good, nil)
	if err != nil {
		return err
	}
	if (usual.Refused() || usual.ErrorFlag()) && usual.Outcome() == reply.Outcome() {
		return probe.Undecide("good arguments get the same: " + usual.Outcome())
	}
	return nil
}

// mirrored reports whether a call was rejected for headers that repeat its
// arguments: what was changed in the one is no longer what stands in the other.
func mirrored(reply *probe.Reply) bool {
	code, ok := reply.Code()
	return ok && code == protocol.HeaderMismatch && reply.Status() != 0
}

func errHeaders() error {
	return probe.NotSeen("the headers of the call are rejected, so its arguments are not looked at")
}

// The pages of these revisions count invalid arguments among protocol errors
// and invalid input among tool errors, and show a code in an example only.
func protocolError(ctx context.Context, c *probe.Client) error {
	reply, err := refusal(ctx, c)
	if err != nil {
		return err
	}
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

func toolError(ctx context.Context, c *probe.Client) error {
	reply, err := refusal(ctx, c)
	if err != nil {
		return err
	}
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
