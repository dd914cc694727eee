package tools

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

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
	tools := usable(c)
	if t, ok := tools.Find(call.Tool); !ok || !reads(t) {
		return reply.Violation(unmarked, reply.Outcome()).AtMostWarn() // good arguments would have an effect
	}
	usual := c.CallTool(good, nil)
	well, served := usual.Result()
	if served && !usual.ErrorFlag() && probe.Same(probe.Object(well).Without("_meta"), probe.Object(result).Without("_meta")) {
		return probe.Shown(reply, usual).Violation(unmarked+": good arguments get the same", reply.Outcome())
	}
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
