package headers

import (
	"maps"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// These are the fields of the read-only role with calls of annotated tools.
const (
	text    = "header"
	integer = "header-integer"
	nested  = "header-nested"
)

func paramCases() []suite.Case {
	const compare = "compare each Mcp-Param header with the argument that it repeats, and reject the call if they differ"
	var cases []suite.Case
	for _, row := range []struct {
		slug, title string
		rule        requirements.ID
		field       string
		fix         string
		run         func(*probe.Client, mirrored) error
	}{
		{"missing", "a call without the header that repeats one of its arguments is rejected", "http-param-header-missing", text,
			"reject a call with an annotated argument and without its Mcp-Param header with HTTP status 400 and error -32020", paramMissing},
		{"mismatch", "a call is rejected when a header differs from the string that it repeats", "http-param-header-mismatch", text,
			compare, paramMismatch},
		{"case", "a call is rejected when a header differs in letter case from the string that it repeats", "http-header-values-case-sensitive",
			text, "compare the header with the argument exactly, also its letter case", paramCase},
		{"mismatch-integer", "a call is rejected when a header differs from the integer that it repeats", "http-param-header-mismatch",
			integer, compare, paramMismatchBeside},
		{"mismatch-nested", "a call is rejected when a header differs from the nested argument that it repeats", "http-param-header-mismatch",
			nested, compare, paramMismatchBeside},
		{"base64", "a header in base64 form is decoded before it is compared with an argument", "http-param-header-base64", text,
			"decode an Mcp-Param header in the form =?base64?...?= before it is compared", paramBase64},
		{"null", "no header is demanded for an argument that is null", "http-param-header-null", text,
			"demand no Mcp-Param header for an argument whose value is null", paramNull},
		{"absent", "no header is demanded for an argument that is not given", "http-param-header-absent-argument", text,
			"demand no Mcp-Param header for an argument that is not in the call", paramAbsent},
		{"integer-numeric", "a header with an integer is compared as a number", "http-param-integer-numeric", integer,
			"compare the header of an integer argument as a number: 42.0 is 42", paramNumeric},
		{"nested-path", "a header repeats the argument at the annotated place, and no other of the same name", "http-param-nested-path", nested,
			"read the argument at exactly the path of properties that leads to its annotation", paramNestedPath},
		{"invalid-characters", "a header with characters beyond ASCII is rejected", "http-header-invalid-characters", text,
			"reject an Mcp-Param header with bytes other than visible ASCII, space and tab; such values come in base64 form", paramInvalid},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/param-header-" + row.slug,
			Title:  row.title,
			Checks: []requirements.ID{row.rule},
			Needs:  []suite.Need{suite.Role(roles.ReadOnlyTool, row.field)},
			Fix:    row.fix,
			Run:    func(c *probe.Client) error { return row.run(c, mirroredCall(c, row.field)) },
		})
	}
	return append(cases, unknownParam())
}

// A mirrored is a call with an argument that a header repeats.
type mirrored struct {
	probe.HeaderParam
	tool      string
	arguments probe.Object
	value     any
}

func mirroredCall(c *probe.Client, field string) mirrored {
	call := c.Role(roles.ReadOnlyTool).Field(field)
	for _, m := range c.HeaderParams(call.Tool) {
		value, given := m.Of(call.Arguments)
		if given && (field == nested) == (len(m.Path) > 1) && (field == nested || (field == integer) == (m.Type == "integer")) {
			return mirrored{m, call.Tool, call.Arguments, value}
		}
	}
	c.Undecide("roles.read-only-tool." + field + " gives no argument of that kind with " + protocol.AnnotatedHeader)
	return mirrored{}
}

// changed returns the arguments with another value for the repeated one, or without it if
// keep is false.
func (m mirrored) changed(value any, keep bool) probe.Object {
	return replaced(m.arguments, m.Path, value, keep)
}

func replaced(arguments map[string]any, path []string, value any, keep bool) probe.Object {
	copied := maps.Clone(arguments)
	switch {
	case len(path) > 1:
		copied[path[0]] = map[string]any(replaced(probe.ObjectOf(copied[path[0]]), path[1:], value, keep))
	case keep:
		copied[path[0]] = value
	default:
		delete(copied, path[0])
	}
	return copied
}

func (m mirrored) params(arguments probe.Object) probe.Object {
	return probe.Object{"name": m.tool, "arguments": arguments}
}

// saying makes a call with another value in the header, or without the header.
func (m mirrored) saying(c *probe.Client, values ...string) trial {
	what := "no header " + m.Header
	if len(values) > 0 {
		what = "the header " + m.Header + ": " + values[0]
	}
	what += " and the argument " + probe.Show(m.value)
	return trial{what, c.Compose("tools/call", m.params(m.arguments)), with(m.Header, values...)}
}

func (m mirrored) usual(c *probe.Client) func() *probe.Reply {
	return func() *probe.Reply { return c.Call("tools/call", m.params(m.arguments)) }
}

// unread is the cause where a server looks at no such header.
func unread() probe.Elsewhere {
	return probe.Elsewhere{Case: "http/param-header-mismatch", Why: "any value is served in the header"}
}

func paramMissing(c *probe.Client, m mirrored) error {
	return probe.Unless(rejected(c, m.saying(c)), unread())
}

func paramMismatchBeside(c *probe.Client, m mirrored) error {
	return probe.Unless(paramMismatch(c, m), unread())
}

// paramMismatch appends a digit, which makes another string and another integer.
func paramMismatch(c *probe.Client, m mirrored) error {
	value, _ := m.value.(string)
	if value == "" {
		value = probe.Show(m.value)
	}
	return rejected(c, m.saying(c, value+"1"))
}

func paramCase(c *probe.Client, m mirrored) error {
	value, _ := m.value.(string)
	c.NotSeenIf(!foldable(value), "the argument has no letters that a header can hold")
	return probe.Unless(rejected(c, m.saying(c, otherCase(value))), unread())
}

func paramBase64(c *probe.Client, m mirrored) error {
	return accepted(c, m.saying(c, probe.HeaderBase64(probe.TextOf(m.value))), m.usual(c))
}

// notForHeaders expects no complaint about headers. The tool may treat its arguments as
// it likes.
func notForHeaders(c *probe.Client, arguments probe.Object, m mirrored, what string) error {
	reply := c.Call("tools/call", m.params(arguments))
	if reply.HasCode(protocol.HeaderMismatch) {
		return reply.Violation("a call with %s gets %s, want no complaint about headers", what, outcome(reply))
	}
	return nil
}

func paramNull(c *probe.Client, m mirrored) error {
	return notForHeaders(c, m.changed(nil, true), m, "the argument null and no header "+m.Header)
}

func paramAbsent(c *probe.Client, m mirrored) error {
	return notForHeaders(c, m.changed(nil, false), m, "neither the argument nor the header "+m.Header)
}

func paramNumeric(c *probe.Client, m mirrored) error {
	return accepted(c, m.saying(c, probe.Show(m.value)+".0"), m.usual(c))
}

// paramNestedPath adds an argument of the same name at the top, where a careless server
// looks.
func paramNestedPath(c *probe.Client, m mirrored) error {
	last := m.Path[len(m.Path)-1]
	decoy := m.arguments.With(last, "decoy")
	return notForHeaders(c, decoy, m, "the right header "+m.Header+" and another argument of the name "+last)
}

// paramInvalid puts the same value into header and body, so that only its characters are
// wrong.
func paramInvalid(c *probe.Client, m mirrored) error {
	const value = "Förde"
	t := trial{
		what:   "the bytes of " + value + " in the header " + m.Header,
		text:   c.Compose("tools/call", m.params(m.changed(value, true))),
		change: with(m.Header, value),
	}
	return probe.Unless(rejected(c, t), unread())
}

func unknownParam() suite.Case {
	return suite.Case{
		ID:     "http/param-header-unknown",
		Title:  "an Mcp-Param header that no tool announces is ignored",
		Checks: []requirements.ID{"http-param-unknown-ignored"},
		Needs:  []suite.Need{suite.Role(roles.ReadOnlyTool)},
		Fix:    "look only at the Mcp-Param headers that the annotations of the tool name",
		Run: func(c *probe.Client) error {
			n := toolNaming()
			request, _ := n.request(c)
			t := trial{"a header " + protocol.HeaderParam + "Mcp-Conform", request, with(protocol.HeaderParam+"Mcp-Conform", "1")}
			return accepted(c, t, n.usual(c))
		},
	}
}
