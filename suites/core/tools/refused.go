package tools

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// refusedForArguments ends the case undecided if a call was refused for another reason than its
// arguments. Where a backend of the tool is out of reach, valid arguments are refused in
// the same words, which shows nothing about invalid ones. Only a read-only tool is called
// with valid arguments.
func refusedForArguments(c *probe.Client, call *probe.ToolCall, reply *probe.Reply) {
	if reply.HasCode(protocol.InvalidParams) {
		return
	}
	if t, ok := usable(c).Find(call.Tool); !ok || !reads(t) {
		return
	}
	valid := fitting(c, call)
	usual := c.CallTool(valid, nil)
	said := wording(call, valid)
	c.UndecideIf((usual.Refused() || usual.ErrorFlag()) && said(usual) == said(reply),
		"cannot tell: the tool also fails with valid arguments: "+usual.Outcome())
}

// wording gives the words of an answer without what differs between two calls that fail alike: times
// and other numbers, and the values that were sent.
func wording(calls ...*probe.ToolCall) func(*probe.Reply) string {
	var sent []string
	for _, call := range calls {
		for _, value := range call.Arguments {
			sent = append(sent, probe.Texts(value)...)
		}
	}
	slices.SortFunc(sent, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	return func(reply *probe.Reply) string {
		refusal, found := reply.At("/error")
		if !found {
			refusal, _ = reply.At("/result")
		}
		said := probe.JSON(refusal)
		for _, text := range sent {
			said = strings.ReplaceAll(said, text, "")
		}
		return strings.Join(strings.FieldsFunc(said, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
	}
}

// refusedForHeaders reports whether a call was rejected for the headers that repeat its arguments:
// the changed arguments no longer match the headers.
func refusedForHeaders(reply *probe.Reply) bool {
	return reply.HasCode(protocol.HeaderMismatch) && reply.Status() != 0
}

func headersRefused(c *probe.Client) {
	c.NotSeen("the headers of the call are rejected, so its arguments are not looked at")
}
