package tools

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
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
	switch {
	case reply.Served() && !reply.ErrorFlag():
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
	case reply.Message().Class == frame.Result && !reply.Served():
		return reply.WantResult()
	case shown != 0 && coded && code == shown:
		c.Note("arguments that do not fit are answered with error -32602; the page wants a result with isError true, " +
			"the schema's examples show the error")
		return nil
	}
	return reply.Violation("%s, want a result with isError true", reply.AnswerTo("arguments that do not fit the input schema"))
}

// ranWith is the violation of a tool that answers excluded arguments with a result
// that is not marked as an error. Some servers refuse in the text of such a result,
// which nobody can tell from running by its form. So it takes more to say that
// the tool ran: it answered good arguments with the same, or gives back the value
// that its schema excludes.
func ranWith(c *probe.Client, call *probe.ToolCall, reply *probe.Reply) error {
	const unmarked = "the answer to arguments that the input schema excludes is %s, want an error or a result with isError true"
	good := fitting(c, call)
	result, _ := reply.Result()
	if v, ok := odd(good.Arguments, call.Arguments); ok && holds(result, v) {
		return reply.Violation(unmarked+": the tool ran with %s", reply.Outcome(), probe.Show(v))
	}
	if t, ok := usable(c).Find(call.Tool); !ok || !reads(t) {
		c.MustMarkFailures()
		return reply.Violation(unmarked, reply.Outcome()).AtMostWarn() // good arguments would have an effect
	}
	usual := c.CallTool(good, nil)
	well, served := usual.Result()
	if served && !usual.ErrorFlag() && probe.Same(probe.Object(well).Without("_meta"), probe.Object(result).Without("_meta")) {
		return probe.Shown(reply, usual).Violation(unmarked+": valid arguments get the same result", reply.Outcome()).
			Unless(probe.NoContent(reply))
	}
	c.MustMarkFailures()
	return reply.Violation(unmarked, reply.Outcome()).AtMostWarn()
}

// odd is the first argument that good ones have otherwise, if it is an object or
// an array: anything simpler may stand in a result by chance.
func odd(good, bad probe.Object) (any, bool) {
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		if probe.Same(good[name], bad[name]) {
			continue
		}
		switch v := bad[name].(type) {
		case probe.Object, map[string]any, []any:
			return v, true
		}
	}
	return nil, false
}

// holds reports whether a value stands somewhere in a result, as a value and not
// in a sentence: "day is {...}, want a number" refuses it.
func holds(in, value any) bool {
	if probe.Same(in, value) {
		return true
	}
	switch v := in.(type) {
	case map[string]any:
		for _, each := range v {
			if holds(each, value) {
				return true
			}
		}
	case []any:
		for _, each := range v {
			if holds(each, value) {
				return true
			}
		}
	case string:
		if m := frame.Read([]byte(v)); m.Value != nil && m.Value != v {
			return holds(m.Value, value)
		}
	}
	return false
}

// An exclusion turns valid arguments into arguments that the schema of a tool excludes;
// nil if the schema offers no way.
type exclusion struct {
	slug, title string
	spoil       func(schema map[string]any, call *probe.ToolCall) *probe.ToolCall // nil: the configuration gives the arguments
}

func exclusions() []exclusion {
	return []exclusion{
		{"configured", "with arguments that are known to be rejected", nil},
		{"missing", "without an argument that its schema requires", withoutRequired},
		{"type", "with an object where its schema has a string, a number or a boolean", withObject},
		{nested, "with an object where its schema has something else inside of an argument", withObjectInside},
	}
}

// nested is the exclusion that any read-only tool may serve: few tools have arguments with
// something inside.
const nested = "nested"

func withoutRequired(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	for _, each := range probe.ArrayOf(schema["required"]) {
		if name, ok := each.(string); ok {
			return replaced(call, call.Arguments.Without(name))
		}
	}
	return nil
}

func withObject(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	if name, ok := scalar(schema); ok {
		return replaced(call, call.Arguments.With(name, oddity()))
	}
	return nil
}

// withObjectInside puts the object one level deeper: into an object or an array.
func withObjectInside(schema map[string]any, call *probe.ToolCall) *probe.ToolCall {
	properties := probe.ObjectOf(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := probe.ObjectOf(properties[name])
		switch property["type"] {
		case "object":
			if member, ok := scalar(property); ok {
				inside := probe.Object(probe.ObjectOf(call.Arguments[name])).With(member, oddity())
				return replaced(call, call.Arguments.With(name, inside))
			}
		case "array":
			items := probe.ObjectOf(property["items"])
			if member, ok := scalar(items); ok {
				return replaced(call, call.Arguments.With(name, []any{probe.Object{member: oddity()}}))
			}
			if isScalar(items) {
				return replaced(call, call.Arguments.With(name, []any{oddity()}))
			}
		}
	}
	return nil
}

func oddity() probe.Object { return probe.Object{"mcp-conform": "an object"} }

// scalar is a property of an object's schema that holds a number or a boolean, or else a
// string. It leaves out what a header repeats: the header would be rejected.
func scalar(schema map[string]any) (name string, ok bool) {
	properties := probe.ObjectOf(schema["properties"])
	for _, each := range slices.Sorted(maps.Keys(properties)) {
		property := probe.ObjectOf(properties[each])
		switch {
		case !isScalar(property):
		case property["type"] != "string":
			return each, true
		case !ok:
			name, ok = each, true
		}
	}
	return name, ok
}

func isScalar(schema map[string]any) bool {
	_, header := schema["x-mcp-header"]
	return !header && slices.Contains([]any{"string", "number", "integer", "boolean"}, schema["type"])
}

func replaced(call *probe.ToolCall, arguments probe.Object) *probe.ToolCall {
	other := *call
	other.Arguments = arguments
	return &other
}

// excluded is a call of the role's tool with arguments that its published schema surely
// excludes. The case ends if there is no such call.
func excluded(c *probe.Client, e exclusion) *probe.ToolCall {
	role := c.Role(invalidInput)
	call := role.Call()
	t, schema := published(c, call.Tool)
	c.UndecideIf(schema == nil, "the tool "+probe.Show(call.Tool)+" is not listed with an input schema")
	var out *probe.ToolCall
	known := role.From("invalid-arguments") == roles.Config
	if e.spoil != nil && (!known || reads(t)) {
		out = e.spoil(schema, call)
	}
	if out == nil && e.slug == nested {
		out, schema = elsewhere(c, e)
	}
	switch {
	case out != nil:
	case e.spoil == nil && !known:
		c.NotSeen("no arguments are known to be rejected; roles.invalid-input.invalid-arguments may name some")
	case e.spoil == nil:
		out = call.Using("invalid-arguments")
	case known && !reads(t):
		c.NotSeen("the configuration says what the tool rejects, and nothing else is tried on one that may change something")
	default:
		c.NotSeen("the input schema of " + probe.Show(call.Tool) + " excludes no arguments in this way")
	}
	c.UndecideIf(!excludes(schema, out.Arguments),
		"the published input schema of "+probe.Show(out.Tool)+
			" does not exclude these arguments for certain")
	return out
}

// elsewhere is a call of the first read-only tool whose arguments can be spoilt in a way.
func elsewhere(c *probe.Client, e exclusion) (*probe.ToolCall, map[string]any) {
	for _, safe := range c.Survey().Safe {
		_, schema := published(c, safe.Tool)
		if out := e.spoil(schema, &probe.ToolCall{Tool: safe.Tool, Arguments: safe.Arguments}); out != nil {
			return out, schema
		}
	}
	return nil, nil
}

func published(c *probe.Client, tool string) (probe.Item, map[string]any) {
	tools := usable(c)
	t, _ := tools.Find(tool)
	return t, probe.ObjectOf(t.Get("inputSchema"))
}

// fitting is a call of the same tool with arguments that fit: of the role, or else those
// that the kit made up.
func fitting(c *probe.Client, call *probe.ToolCall) *probe.ToolCall {
	own := c.Role(invalidInput).Call()
	for _, safe := range c.Survey().Safe {
		if safe.Tool == call.Tool && own.Tool != call.Tool {
			return replaced(call, safe.Arguments)
		}
	}
	return own
}

// reads reports whether the tool is annotated as read-only.
func reads(t probe.Item) bool {
	return probe.ObjectOf(t.Get("annotations"))["readOnlyHint"] == true
}

// excludedCall is the first call that has to be rejected.
func excludedCall(c *probe.Client) (call *probe.ToolCall) {
	var why error
	for _, e := range exclusions() {
		if why = c.Try(func() { call = excluded(c, e) }); why == nil {
			return call
		}
	}
	c.Stop(why)
	return nil
}
