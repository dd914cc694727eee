package streaming

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func resuming() []suite.Case {
	needs := []suite.Need{suite.Either(suite.Role(roles.SlowTool, "resumable"), suite.Role(roles.StreamTool))}
	return []suite.Case{
		{
			ID:     "ext-streaming/resume-continues",
			Title:  "a resumed call continues behind the checkpoint, and is answered with the whole result",
			Checks: []requirements.ID{"ext-resume-continues"},
			Needs:  needs,
			Lane:   suite.Waits,
			Fix:    "work on from the checkpoint, count on from its sequence, and answer as the first call would have been",
			Run:    resumeContinues,
		},
		{
			ID:       "ext-streaming/resume-no-double-effect",
			Title:    "resuming a call has no effect that it had already",
			Checks:   []requirements.ID{"ext-resume-no-double-effect"},
			Needs:    []suite.Need{suite.Role(roles.SlowTool, "resumable"), suite.Role(roles.SlowTool, "observe")},
			Lane:     suite.Waits,
			Observes: roles.SlowTool,
			Fix:      "work on from the checkpoint: neither run the tool again from its start, nor leave out what it still has to do",
			Run:      noDoubleEffect,
		},
		{
			ID:     "ext-streaming/resume-no-gap",
			Title:  "chunks that come behind a checkpoint have no gap",
			Checks: []requirements.ID{"ext-resume-no-gap"},
			Needs:  needs,
			Lane:   suite.Waits,
			Fix:    "send every chunk behind the checkpoint again, or none of them; the answer is whole in any case",
			Run:    resumeNoGap,
		},
		{
			ID:     "ext-streaming/resume-operation",
			Title:  "chunks that come behind a checkpoint have the operation_id of the call",
			Checks: []requirements.ID{"ext-stream-operation-id"},
			Needs:  needs,
			Lane:   suite.Waits,
			Fix:    "keep the operation_id of a call that is resumed, and send it with every chunk",
			Run:    resumeOperation,
		},
		{
			ID:     "ext-streaming/resume-final",
			Title:  "of the chunks behind a checkpoint only the last one is the final one",
			Checks: []requirements.ID{"ext-stream-final-once"},
			Needs:  needs,
			Lane:   suite.Waits,
			Fix:    "mark the last chunk of a call that is resumed as the final one, as without the interruption",
			Run:    resumeFinal,
		},
		{
			ID:     "ext-streaming/resume-foreign-caller",
			Title:  "one caller cannot resume the call of another one",
			Checks: []requirements.ID{"ext-resume-bound"},
			Needs:  append(slices.Clone(needs), suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second")),
			Lane:   suite.Waits,
			Fix:    "look an operation up together with the authenticated caller",
			Run:    foreignCaller,
		},
	}
}

// resumed interrupts a call behind its second checkpoint and resumes it.
func resumed(c *probe.Client, role roles.Name) (*interrupted, resumption) {
	x := interrupt(c, role, 2)
	r := x.carryOn(role)
	c.UndecideIf(x.ended && !proposal.Done(r.Reply),
		"the call was answered before it could be interrupted; let roles.slow-tool take longer")
	return x, r
}

// What comes behind the checkpoint may come again or not: the answer decides.
func resumeContinues(c *probe.Client) error {
	role := resumable(c)
	x, r := resumed(c, role)
	shown := x.Said.And(r.Reply)
	if !proposal.Done(r.Reply) {
		return shown.Violation("%s, want the result of the call", r.AnswerTo("resume with the last checkpoint"))
	}
	data, through, numbered := x.delivered()
	c.NotSeenIf(r.again && x.anew(r) && !proposal.Explicit(c, "streaming"),
		"the server resumes neither by a method nor by making the call again; a tool resume is called only where "+
			"streaming is claimed by name")
	for _, chunk := range r.chunks {
		if n, ok := chunk.Sequence(); ok && numbered && n <= through {
			return operations.Shown(shown, chunk.Seen).Violation(
				"$.params.sequence is %d after a resumption behind chunk %d, want only what comes after it", n, through).Unless(unordered())
		}
	}
	whole := c.Role(role).Call()
	uninterrupted := c.CallTool(whole, nil, probe.Within(patience(c, role)))
	c.Require(proposal.WantDone(uninterrupted), "a call to compare with had no result: "+uninterrupted.Outcome())
	if r.again && !r.resumed(x) {
		if x.anew(r) {
			return shown.Violation("the call made again with operation_id and checkpoint_token begins from its start, want it to continue")
		}
		c.NotSeen(unread)
	}
	got, want := proposal.Lasting(r.Reply), renamed(proposal.Lasting(uninterrupted), whole.Arguments, x.ToolCall.Arguments)
	switch {
	case probe.Same(got, want):
		return x.continued(r)
	case completes(data, got, want):
		return shown.Violation("the answer to resume holds only what was not delivered before, want the whole result").AtMostWarn()
	}
	return shown.And(uninterrupted).Violation("the answer to resume is %s, want %s as without the interruption",
		probe.Show(got), probe.Show(want))
}

// A server need not send any chunk behind a checkpoint. Those that it sends follow on
// those that came before, whichever of the two answers they came with.
func resumeNoGap(c *probe.Client) error {
	role := resumable(c)
	x, r := resumed(c, role)
	if !proposal.Done(r.Reply) || x.anew(r) {
		c.Undecide("the call is not resumed, which ext-streaming/resume-continues judges: " + r.Outcome())
	}
	_, through, numbered := x.delivered()
	c.NotSeenIf(len(r.chunks) == 0 || !numbered, "no chunk comes behind the checkpoint of a chunk that has a number")
	came := map[int]bool{}
	for _, chunk := range operations.Chunks(c.Since(x.from)) {
		id, _ := chunk.Text("operation_id")
		n, ok := chunk.Sequence()
		c.NotSeenIf(!ok, unnumbered)
		c.NotSeenIf(id == "", unidentified)
		came[n] = came[n] || id == x.id
	}
	for n := range through + 1 {
		c.UndecideIf(!came[n], "the chunks ahead of the checkpoint do not have all numbers from 0 on, which "+
			"ext-streaming/sequence-order and ext-streaming/sequence-complete judge")
	}
	before := through
	for _, chunk := range r.chunks {
		n, _ := chunk.Sequence()
		for missing := before + 1; missing < n; missing++ {
			if !came[missing] {
				return operations.Shown(x.Said, chunk.Seen, r.Reply).Violation(
					"$.params.sequence is %d behind the checkpoint of chunk %d, and chunk %d never came, want no gap", n, through, missing)
			}
		}
		before = max(before, n)
	}
	return nil
}

// What a checkpoint opens is the result of the call that it was handed out for.
func foreignCaller(c *probe.Client) error {
	x := interrupt(c, resumable(c), 1)
	own := x.params()
	foreign := *x
	foreign.Bench = x.With(c.As("second"))
	r := foreign.resume(own)
	switch {
	case r.again:
		c.NotSeen("the server resumes by the call made again, and a call of another caller is one of its own")
	case proposal.Declined(r.Reply), !proposal.Done(r.Reply) && r.Answered():
		return nil
	}
	return x.Said.And(r.Reply).Violation("%s, want a rejection as for an operation that does not exist",
		r.AnswerTo("resume with the operation and the checkpoint of another caller"))
}

// continued is the verdict on a resumption that was answered with the whole result.
func (x *interrupted) continued(r resumption) error {
	switch {
	case x.unplaced(r):
		x.Undecide("the first chunk of the call came again, and no chunk has the checkpoint, " +
			"so that nothing says whether it lies before that chunk or behind it")
	case r.late:
		x.Undecide("resume was refused at first and done later, and the refusal did not say that it was for the moment only, " +
			"as the category transient does")
	}
	return resumeMethod().NoteForm(x.Client, r.answer)
}

// renamed puts one call's strings in the place of another's: two calls have
// different nonces, and a tool may repeat them.
func renamed(v any, from, to probe.Object) any {
	switch v := v.(type) {
	case string:
		for name, value := range from {
			old, ok := value.(string)
			if now, same := to[name].(string); ok && same && old != now && old != "" {
				v = strings.ReplaceAll(v, old, now)
			}
		}
		return v
	case []any:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = renamed(item, from, to)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, item := range v {
			all[name] = renamed(item, from, to)
		}
		return all
	default:
		return v
	}
}

// completes reports whether what was delivered before and what came now make up
// the whole.
func completes(data []any, got, want any) bool {
	if len(data) == 0 {
		return false
	}
	switch want := want.(type) {
	case string:
		before, ok := concatenated(data)
		rest, text := got.(string)
		return ok && text && before+rest == want
	case []any:
		rest, ok := got.([]any)
		return ok && probe.Same(append(flattened(data), rest...), want)
	case map[string]any:
		rest, ok := got.(map[string]any)
		return ok && slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(name string) bool {
			_, text := want[name].(string)
			return (text || probe.ArrayOf(want[name]) != nil) && completes(data, rest[name], want[name])
		})
	default:
		return false
	}
}

// The effect may come along the way or at the end, so that only the number at the
// end counts.
func noDoubleEffect(c *probe.Client) error {
	whole := c.Role(roles.SlowTool).Call()
	want, _ := effects(c, whole, func() {
		reply := c.CallTool(whole, nil, probe.Within(patience(c, roles.SlowTool)))
		bench.WantRun(c, roles.SlowTool, reply)
	})
	c.UndecideIf(want == 0, "an uninterrupted call has no effect that the observer sees")
	d := dialect(c, roles.SlowTool)
	call := c.Role(roles.SlowTool).Call()
	var x *interrupted
	var r resumption
	got, seen := effects(c, call, func() {
		x = interruptCall(c, roles.SlowTool, call, d, 2)
		r = x.carryOn(roles.SlowTool)
		c.Require(proposal.WantDone(r.Reply), "resume had no result, which ext-streaming/resume-continues judges: "+r.Outcome())
		c.NotSeenIf(r.again && !r.resumed(x), unread)
	})
	if got != want {
		return x.Said.And(r.Reply, seen).Violation(
			"the observed state shows %d effects after a resumed call, want %d as after an uninterrupted one", got, want)
	}
	return nil
}

// effects counts those of what is done with a call.
func effects(c *probe.Client, call *probe.ToolCall, do func()) (int, probe.State) {
	before := c.Before(call)
	do()
	after := c.Observe(call)
	return before.Effects(after), after
}
