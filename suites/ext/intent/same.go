package intent

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// An answer that changes by itself shows nothing: calls without an intent are answered
// alike, and those with one as well. What differs has to differ a second time, with the
// calls in the other order: then it neither grows, nor comes in turns, and is hardly chance.
func resultSame(a *asker) error {
	var plain, told []*probe.Reply
	for _, order := range [][]any{{nil, usual, usual, nil}, {usual, nil, nil, usual}} {
		for _, intent := range order {
			reply := a.with(intent)
			a.Require(proposal.WantDone(reply), "the call has no result: "+reply.Outcome())
			_, suggests := suggestion(a.Client, reply, a.ToolCall.Tool)
			a.NotSeenIf(suggests || intent != nil && mentions(reply), "the server makes a suggestion")
			if intent == nil {
				plain = append(plain, reply)
			} else {
				told = append(told, reply)
			}
		}
		if differs(plain, told) == nil {
			return nil
		}
	}
	return differs(plain, told)
}

// mentions reports whether some block of an answer may be a suggestion, in whatever form.
func mentions(reply *probe.Reply) bool {
	result, _ := reply.Result()
	return strings.Contains(probe.JSON(result["content"]), "recommended_tool")
}

// differs is what all answers with an intent have otherwise than those without.
func differs(plain, told []*probe.Reply) error {
	last := probe.Shown(plain[len(plain)-1], told[len(told)-1])
	before, after := steady(plain, proposal.Lasting), steady(told, proposal.Lasting)
	if before != nil && after != nil && !probe.Same(before[0], after[0]) {
		return last.Violation("the result is %s with an intent, want %s as without", probe.Show(after[0]), probe.Show(before[0]))
	}
	without, with := blocks(plain), blocks(told)
	if block, ok := only(with, without); ok {
		return last.Violation("$.result.content has %s with an intent, and never without, want the same content", probe.Show(block))
	}
	if block, ok := only(without, with); ok {
		return last.Violation("$.result.content lacks %s with an intent, want it as without", probe.Show(block))
	}
	return nil
}

// steady is what all replies hold alike, as the one element of a list; nil where they differ.
func steady(replies []*probe.Reply, read func(*probe.Reply) any) []any {
	first := read(replies[0])
	for _, reply := range replies[1:] {
		if !probe.Same(first, read(reply)) {
			return nil
		}
	}
	return []any{first}
}

// only is a block that each answer of some has, and no answer of the others. The order of
// the blocks does not count.
func only(some, others [][]any) (any, bool) {
	has := func(block any) func([]any) bool {
		return func(answer []any) bool {
			return slices.ContainsFunc(answer, func(one any) bool { return probe.Same(one, block) })
		}
	}
	for _, block := range some[0] {
		lacks := func(answer []any) bool { return !has(block)(answer) }
		if !slices.ContainsFunc(some, lacks) && !slices.ContainsFunc(others, has(block)) {
			return block, true
		}
	}
	return nil, false
}

// blocks are the content of each answer without what is told anew each time: what is
// said about a block is no part of it, and a text that is JSON counts as what it says.
func blocks(replies []*probe.Reply) [][]any {
	all := make([][]any, len(replies))
	for i, reply := range replies {
		result, _ := reply.Result()
		for _, one := range probe.ArrayOf(result["content"]) {
			block, ok := proposal.Steady(one).(map[string]any)
			if !ok {
				continue
			}
			delete(block, "_meta")
			delete(block, "annotations")
			text, _ := block["text"].(string)
			if m := frame.Read([]byte(text)); m.Class != frame.NotJSON {
				block["text"] = proposal.Steady(m.Value)
			}
			all[i] = append(all[i], block)
		}
	}
	return all
}
