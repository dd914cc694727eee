package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// argumentCases call a tool with arguments that its published schema excludes:
// first how that is said, then whether it is noticed at all.
func argumentCases() []suite.Case {
	refused := []suite.Need{suite.Role(invalidInput)}
	cases := []suite.Case{
		{
			ID:     "tools/invalid-arguments-protocol-error",
			Title:  "arguments that do not fit the input schema are answered with an error",
			Checks: []requirements.ID{"tools-invalid-arguments-protocol-error"},
			Needs:  refused,
			Fix:    "validate the arguments before the tool runs, and answer error -32602 if they do not fit",
			Lane:   suite.Fresh,
			Run:    protocolError,
		},
		{
			ID:     "tools/invalid-arguments-tool-error",
			Title:  "arguments that do not fit the input schema are answered with a result marked as an error",
			Checks: []requirements.ID{"tools-invalid-arguments-tool-error"},
			Needs:  refused,
			Fix:    "return a result with isError true that says what is wrong with the arguments, so that a model can mend them",
			Lane:   suite.Fresh,
			Run:    toolError,
		},
	}
	for _, e := range exclusions() {
		cases = append(cases, suite.Case{
			ID:     "tools/inputs-validated-" + e.slug,
			Title:  "a tool does not run " + e.title,
			Checks: []requirements.ID{"tools-inputs-validated"},
			Needs:  refused,
			Fix:    "validate the arguments against the published input schema before the tool runs",
			Lane:   suite.Fresh,
			Run:    func(ctx context.Context, c *probe.Client) error { return inputsValidated(ctx, c, e) },
		})
	}
	return cases
}

// An exclusion makes arguments that the schema of a tool excludes out of good
// ones; nil where the schema gives no occasion.
type exclusion struct {
	slug, title string
	bend        func(schema map[string]any, call *probe.ToolCall) *probe.ToolCall // nil: as the configuration says
}

func exclusions() []exclusion {
	return []exclusion{
		{"configured", "with arguments that are known to be refused", nil},
		{"missing", "without an argument that its schema requires", withoutRequired},
		{"type", "with an object where its schema has a number or a boolean", withObject},
	}
}

func withoutRequired(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	for _, each := range required(schema) {
		if name, ok := each.(string); ok {
			return replaced(call, call.Arguments.Without(name))
		}
	}
	return nil
}

func withObject(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(map[string]any)
		_, header := property["x-mcp-header"]
		switch property["type"] {
		case "number", "integer", "boolean":
			if header {
				continue // what headers repeat is refused for the header
			}
			return replaced(call, call.Arguments.With(name, probe.Object{"mcp-conform": "an object"}))
		}
	}
	return nil
}

func replaced(call *probe.ToolCall, arguments probe.Object) *probe.ToolCall {
	other := *call
	other.Arguments = arguments
	return &other
}

// bent is a call of the role's tool that its published schema surely excludes,
// or why there is none.
func bent(ctx context.Context, c *probe.Client, e exclusion) (*probe.ToolCall, error) {
	role := c.Role(invalidInput)
	call, err := role.Call()
	if err != nil {
		return nil, err
	}
	tools, err := list(ctx, c)
	if err != nil {
		return nil, err
	}
	t, _ := find(tools, call.Tool)
	schema, ok := t.member("inputSchema").(map[string]any)
	if !ok {
		return nil, probe.Undecide("the tool " + probe.Show(call.Tool) + " is not listed with an input schema")
	}
	var out *probe.ToolCall
	switch known := role.From("invalid-arguments") == roles.Config; {
	case e.bend == nil && !known:
		return nil, probe.NotSeen("no arguments are known to be refused")
	case e.bend == nil:
		out, err = call.Using("invalid-arguments")
	case known && !t.reads():
		return nil, probe.NotSeen("the configuration says what the tool refuses, and nothing else is tried on one that may change something")
	default:
		out = e.bend(schema, call)
	}
	switch {
	case err != nil:
		return nil, err
	case out == nil:
		return nil, probe.NotSeen("the schema of the tool gives no occasion for this")
	case !excludes(schema, out.Arguments):
		return nil, probe.Undecide("the published input schema of " + probe.Show(call.Tool) + " does not exclude these arguments for certain")
	}
	return out, nil
}

// refusable is the first call there is that has to be refused.
func refusable(ctx context.Context, c *probe.Client) (call *probe.ToolCall, err error) {
	for _, e := range exclusions() {
		if call, err = bent(ctx, c, e); err == nil || ctx.Err() != nil {
			return call, err
		}
	}
	return nil, err
}

// accepts reports whether a schema surely takes arguments.
func accepts(schema map[string]any, arguments probe.Object) bool {
	faults, decided := tried(schema, arguments)
	return decided && len(faults) == 0
}

// excludes reports whether a schema surely rejects arguments.
func excludes(schema map[string]any, arguments probe.Object) bool {
	faults, decided := tried(schema, arguments)
	return decided && len(faults) > 0
}

// tried puts arguments to a schema; they go through JSON to be judged as they
// are sent.
func tried(schema map[string]any, arguments probe.Object) (faults []schemas.Fault, decided bool) {
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return nil, false
	}
	faults, undecided := compiled.Validate(frame.Read([]byte(probe.JSON(arguments))).Value)
	return faults, !undecided
}

func inputsValidated(ctx context.Context, c *probe.Client, e exclusion) error {
	call, err := bent(ctx, c, e)
	if err != nil {
		return err
	}
	reply, err := c.CallTool(ctx, call, nil)
	if err != nil {
		return err
	}
	if mirrored(reply) {
		return probe.NotSeen("the headers of the call are refused, so its arguments are not looked at")
	}
	result, ok := reply.Result()
	switch {
	case reply.Refused() || reply.ErrorFlag():
		return nil
	case reply.Died():
		return reply.Violation("the answer to arguments that the input schema excludes is %s, want an error", reply.Outcome())
	case !ok:
		return probe.Undecide("the answer to arguments that the input schema excludes is " + reply.Outcome())
	case !final(result):
		return probe.Undecide("the call was answered with something else than its outcome")
	}
	return reply.Violation("the answer to arguments that the input schema excludes is %s, want an error or a result with isError true", reply.Outcome())
}

// refusal calls with what the role says is refused. A call that succeeds is
// the business of the cases about validation.
func refusal(ctx context.Context, c *probe.Client) (*probe.Reply, error) {
	call, err := refusable(ctx, c)
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
		return nil, probe.NotSeen("the arguments are not refused")
	case mirrored(reply):
		return nil, probe.NotSeen("the headers of the call are refused, so its arguments are not looked at")
	}
	return reply, nil
}

// mirrored reports whether a call was refused for headers that repeat its
// arguments: what is bent in the one is no longer what stands in the other.
func mirrored(reply *probe.Reply) bool {
	code, ok := reply.Code()
	return ok && code == probe.HeaderMismatch && reply.Status() != 0
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
	case coded && (code == probe.MethodNotFound || code == probe.ParseError):
		return reply.WantError(probe.InvalidParams)
	case coded && code != probe.InvalidParams:
		c.Note(fmt.Sprintf("the error for arguments that do not fit has the code %d; the page shows -32602", code))
		return nil
	case reply.Refused():
		return nil
	}
	return reply.WantError(probe.InvalidParams)
}

func toolError(ctx context.Context, c *probe.Client) error {
	reply, err := refusal(ctx, c)
	if err != nil {
		return err
	}
	// The schema of this revision still shows the code in its examples.
	shown, tolerated := map[requirements.Revision]int{requirements.R20260728: probe.InvalidParams}[c.Revision()]
	code, coded := reply.Code()
	switch {
	case reply.ErrorFlag():
		return nil
	case tolerated && coded && code == shown:
		c.Note("arguments that do not fit are answered with error -32602; the page wants a result with isError true, the schema's examples show the error")
		return nil
	}
	return reply.Violation("the answer to arguments that do not fit the input schema is %s, want a result with isError true", reply.Outcome())
}
