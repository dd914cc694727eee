package streaming

import (
	"context"
	"strings"

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
			Fix:    "keep what an operation has done up to each checkpoint, work on from there, and answer as the first call would have been",
			Run:    resumeContinues,
		},
		{
			ID:       "ext-streaming/resume-no-double-effect",
			Title:    "resuming a call has no effect that it had already",
			Checks:   []requirements.ID{"ext-resume-no-double-effect"},
			Needs:    []suite.Need{suite.Role(roles.SlowTool, "resumable"), suite.Role(roles.SlowTool, "observe")},
			Lane:     suite.Waits,
			Observes: roles.SlowTool,
			Fix:      "work on from the checkpoint instead of running the tool again from its start",
			Run:      noDoubleEffect,
		},
	}
}

// resumed interrupts a call behind its second checkpoint and resumes it.
func resumed(ctx context.Context, c *probe.Client, role roles.Name) (*interrupted, resumption, error) {
	x, err := interrupt(ctx, c, role, 2)
	if err != nil {
		return nil, resumption{}, err
	}
	r, err := x.carryOn(ctx, role)
	if err != nil {
		return nil, r, err
	}
	if x.ended && proposal.WantDone(r.Reply) != nil {
		return nil, r, probe.Undecide("the call was answered before it could be interrupted; let roles.slow-tool take longer")
	}
	return x, r, nil
}

// What comes behind the checkpoint may come again or not: the answer decides.
func resumeContinues(ctx context.Context, c *probe.Client) error {
	role := resumable(c)
	x, r, err := resumed(ctx, c, role)
	if err != nil {
		return err
	}
	shown := x.shown.And(r.Reply)
	if proposal.WantDone(r.Reply) != nil {
		return shown.Violation("%s, want the result of the call", r.AnswerTo("resume with the last checkpoint"))
	}
	data, through, numbered := x.delivered()
	if r.again && x.anew(r) && !proposal.Explicit(c, "streaming") {
		return probe.NotSeen("the server resumes neither by a method nor by making the call again; a tool resume is called only where " +
			"streaming is claimed by name")
	}
	for _, chunk := range r.chunks {
		if n, ok := chunk.Sequence(); ok && numbered && n <= through {
			return operations.Shown(shown, chunk.Seen).Violation(
				"$.params.sequence is %d after a resumption behind chunk %d, want only what comes after it", n, through)
		}
	}
	whole, err := c.Role(role).Call()
	if err != nil {
		return err
	}
	uninterrupted, err := c.CallTool(ctx, whole, nil, probe.Within(patience(c, role)))
	if err != nil {
		return err
	}
	if proposal.WantDone(uninterrupted) != nil {
		return probe.Undecide("a call to compare with had no result: " + uninterrupted.Outcome())
	}
	if r.again && !r.resumed(x) {
		if x.anew(r) {
			return shown.Violation("the call made again with operation_id and checkpoint_token begins from its start, want it to continue")
		}
		return probe.NotSeen(unread)
	}
	got, want := own(r.Reply), renamed(own(uninterrupted), whole.Arguments, x.call.Arguments)
	switch {
	case probe.Same(got, want):
		return x.continued(r)
	case completes(data, got, want):
		return shown.Violation("the answer to resume holds only what was not delivered before, want the whole result").AtMostWarn()
	}
	return shown.And(uninterrupted).Violation("the answer to resume is %s, want %s as without the interruption",
		probe.Show(got), probe.Show(want))
}

// continued is the verdict on a resumption that was answered with the whole result.
func (x *interrupted) continued(r resumption) error {
	switch {
	case x.unplaced(r):
		return probe.Undecide("the first chunk of the call came again, and no chunk has the checkpoint, " +
			"so that nothing says whether it lies before that chunk or behind it")
	case r.late:
		return probe.Undecide("resume was refused at first and done later, and the refusal did not say that it was for the moment only, " +
			"as the category transient does")
	}
	return resumeMethod().NoteForm(x.client, r.answer)
}

// own is a tool's answer without what is told anew each time.
func own(reply *probe.Reply) any {
	result, _ := reply.Result()
	return proposal.Steady(probe.Payload(result))
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
	default:
		return false
	}
}

// The effect may come along the way or at the end, so that only the number at the
// end counts.
func noDoubleEffect(ctx context.Context, c *probe.Client) error {
	whole, err := c.Role(roles.SlowTool).Call()
	if err != nil {
		return err
	}
	want, _, err := effects(ctx, c, whole, func() error {
		reply, err := c.CallTool(ctx, whole, nil, probe.Within(patience(c, roles.SlowTool)))
		if err == nil && proposal.WantDone(reply) != nil {
			err = probe.Undecide("a call to compare with had no result: " + reply.Outcome())
		}
		return err
	})
	if err != nil {
		return err
	}
	if want == 0 {
		return probe.Undecide("an uninterrupted call has no effect that the observer sees")
	}
	d, err := dialect(ctx, c, roles.SlowTool)
	if err != nil {
		return err
	}
	call, err := c.Role(roles.SlowTool).Call()
	if err != nil {
		return err
	}
	var x *interrupted
	var r resumption
	got, seen, err := effects(ctx, c, call, func() (err error) {
		if x, err = interruptCall(ctx, c, roles.SlowTool, call, d, 2); err != nil {
			return err
		}
		r, err = x.carryOn(ctx, roles.SlowTool)
		if err == nil && proposal.WantDone(r.Reply) != nil {
			err = probe.Undecide("resume had no result, which ext-streaming/resume-continues judges: " + r.Outcome())
		}
		if err == nil && r.again && !r.resumed(x) {
			err = probe.NotSeen(unread)
		}
		return err
	})
	if err != nil {
		return err
	}
	if got != want {
		return x.shown.And(r.Reply, seen).Violation(
			"the observed state shows %d effects after a resumed call, want %d as after an uninterrupted one", got, want)
	}
	return nil
}

// effects counts those of what is done with a call.
func effects(ctx context.Context, c *probe.Client, call *probe.ToolCall, do func() error) (int, probe.State, error) {
	before, err := c.Before(ctx, call)
	if err != nil {
		return 0, before, err
	}
	if err := do(); err != nil {
		return 0, before, err
	}
	after, err := c.Observe(ctx, call)
	if err != nil {
		return 0, after, err
	}
	n, err := before.Effects(after)
	return n, after, err
}
