package idempotency

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func replays() []suite.Case {
	return []suite.Case{
		{
			ID:       "ext-idempotency/first-runs",
			Title:    "the first call with a fresh key runs once",
			Checks:   []requirements.ID{"ext-idempotency-first-runs"},
			Needs:    counted(),
			Proves:   []suite.Need{suite.Claim("idempotency")},
			Observes: roles.StateChange,
			Fix:      "run the tool when the key was never seen, and let it do its work as without a key",
			Run:      on(firstRuns),
		},
		{
			ID:       "ext-idempotency/no-second-effect",
			Title:    "repeating a call with its key has no further effect",
			Checks:   []requirements.ID{"ext-idempotency-no-second-effect"},
			Needs:    counted(),
			Proves:   []suite.Need{suite.Claim("idempotency")},
			Observes: roles.StateChange,
			Fix:      "look the key up before the tool runs, and answer a known one from the stored result",
			Run:      on(noSecondEffect),
		},
		keyed("same-result", "a repeat is answered with the stored result of the first call", "ext-idempotency-same-result",
			"store content, structuredContent and isError of the first call as they are, with its key, and send them again for a repeat",
			sameResult),
		failedAgain(),
		keyed("repeat-reordered", "a repeat whose arguments come in another order is a repeat", "ext-idempotency-same-result",
			"compare arguments as JSON values, where the order of properties does not count, and not as text", repeatReordered),
		keyed("repeat-progress-token", "a repeat with a progress token of its own is a repeat", "ext-idempotency-same-result",
			"compare the tool and its arguments alone: a client makes a progress token for each request, and writes it into _meta",
			repeatProgressToken),
		keyed("replay-flag", "a repeat is marked as a replay", "ext-idempotency-replay-flag",
			"set _meta.was_replay to the boolean true on an answer from the store", replayFlag),
		keyed("replay-flag-first", "the first call is not marked as a replay", "ext-idempotency-replay-flag",
			"set _meta.was_replay to false on an answer that does not come from the store, or leave it out", replayFlagFirst),
		keyed("key-echo", "the answer repeats the key as it was sent", "ext-idempotency-key-echo",
			"copy the key of the request into _meta.idempotency_key of its answer, character by character", keyEcho),
	}
}

func firstRuns(b *bench.Bench) error {
	b.Must(proposal.WantDone(send(b, b.Key())))
	return b.WantEffects(1, "the first call with a key")
}

// Some stores forget a key when it is used, so that the third call runs again.
func noSecondEffect(b *bench.Bench) error {
	key := b.Key()
	spend(b, key)
	for range 2 {
		send(b, key)
	}
	seen := b.Observe(b.ToolCall)
	got := b.Earlier.Effects(seen)
	if got <= 1 {
		return nil // that the first call has its effect is the rule of first-runs
	}
	return b.Said.And(seen).Violation("the observed state shows %s after three calls with one key, want one effect", bench.Effects(got))
}

// What a server says about the repeat, in metadata or in properties of this
// extension, is not part of the result.
func sameResult(b *bench.Bench) error {
	key := b.Key()
	first := spend(b, key)
	repeat := send(b, key)
	b.Must(proposal.WantDone(repeat))
	before, _ := first.Result()
	after, _ := repeat.Result()
	want, got := own(probe.Payload(before)), own(probe.Payload(after))
	if !probe.Same(want, got) {
		return b.Said.Violation("the repeat is answered with %s, want %s as the first call", probe.Show(got), probe.Show(want))
	}
	if texts := first.TextContent(); texts != "" && repeat.TextContent() == "" {
		return b.Said.Violation("the text blocks of the first call are left out of the repeat, want the stored result")
	} else if before["structuredContent"] != nil && after["structuredContent"] == nil {
		return b.Said.Violation("the structuredContent of the first call is left out of the repeat, want the stored result")
	}
	return sameTexts(b, before, after)
}

// sameTexts warns of a replay that tells in other words what its structuredContent repeats: that
// content belongs to the stored result is a rule of the kit.
func sameTexts(b *bench.Bench, before, after map[string]any) error {
	want, got := textsOf(before), textsOf(after)
	if probe.Same(want, got) {
		return nil
	}
	return b.Said.Violation("the text blocks of the repeat are %s, while its structuredContent is that of the first call, "+
		"want %s as the first call", probe.Show(got), probe.Show(want)).AtMostWarn()
}

// textsOf is what the text blocks of a result say. One that is JSON may hold properties of the
// extension, or nothing else.
func textsOf(result map[string]any) []any {
	told := []any{}
	for _, block := range probe.ArrayOf(result["content"]) {
		text, ok := probe.ObjectOf(block)["text"].(string)
		if !ok {
			continue
		}
		answer := own(frame.Read([]byte(text)).Value)
		properties, object := answer.(map[string]any)
		switch {
		case !object:
			told = append(told, text)
		case len(properties) > 0:
			told = append(told, answer)
		}
	}
	return told
}

// A client that repeats a call may write it anew, from a map that has no order.
func repeatReordered(b *bench.Bench) error {
	other := bench.Reversed(b.ToolCall.Arguments)
	b.NotSeenIf(other == nil, "the arguments of roles.state-change can be written in one order only")
	return runsOthers(likePlain(b, bench.Call{Params: probe.Object{"arguments": other}}, "a repeat with its arguments in another order"))
}

func repeatProgressToken(b *bench.Bench) error {
	return probe.Unless(likePlain(b, bench.Call{Meta: probe.Object{"progressToken": b.Nonce()}}, "a repeat with a progress token"),
		probe.Elsewhere{Case: "progress/token-string", Why: "a progress token that is a string is rejected"})
}

// likePlain expects that a call is answered as its plain repeat would be. The proposal does not
// say what makes two calls the same, so that a conflict is worth a warning.
func likePlain(b *bench.Bench, made bench.Call, what string) error {
	key := b.Key()
	spend(b, key)
	made.Values = under(key)
	reply := call(b, made)
	if err := b.WantEffects(1, "a call and "+what); err != nil {
		return err
	}
	return probe.AtMostWarn(wantRepeat(b, reply))
}

func failedAgain() suite.Case {
	c := keyed("same-result-failed", "the repeat of a call that acted and ended in a tool error is answered with that error",
		"ext-idempotency-same-result",
		"store content, structuredContent and isError of a failure as they are too, and send them again for a repeat", failedResult,
		suite.Role(roles.StateChange, "failing-arguments"))
	c.Checks = append(c.Checks, "ext-idempotency-no-second-effect", "ext-idempotency-replay-flag")
	return c
}

// A failure without effect may leave its key unused. One that had an effect is a call
// that ran.
func failedResult(b *bench.Bench) error {
	made := bench.Call{Tool: b.ToolCall.Using("failing-arguments"), Values: under(b.Key())}
	first := call(b, made)
	if !first.ErrorFlag() {
		b.Undecide("the call with roles.state-change.failing-arguments does not end in a tool error: " + first.Outcome())
	}
	b.Did("the call that fails", func() { b.Undo(made.Tool, first) })
	if _, same := b.Look(bench.Watched{ToolCall: b.ToolCall, Before: b.Earlier}, false); same {
		b.NotSeen("the call with roles.state-change.failing-arguments has no effect, so its key may be unused")
	}
	watched := b.Watch(b.ToolCall)
	repeat := call(b, made)
	b.Must(probe.Under(b.WantNoEffect(watched, "the repeat of a call that ended in a tool error"), "ext-idempotency-no-second-effect"))
	before, _ := first.Result()
	after, _ := repeat.Result()
	want, got := own(probe.Payload(before)), own(probe.Payload(after))
	switch {
	case repeat.ErrorFlag() && probe.Same(want, got):
		return failedFlag(b, repeat)
	case repeat.ErrorFlag():
		return b.Said.Violation("the repeat is answered with %s, want %s as the first call", probe.Show(got), probe.Show(want))
	// A result that is not marked is no refusal, whatever record it has.
	case !repeat.Served() && proposal.Declined(repeat):
		b.Note("the repeat of a call that ended in a tool error is rejected; the stored error says more")
		return nil
	}
	return b.Said.Violation("%s, want isError and the stored result", repeat.AnswerTo("the repeat of a call that ended in a tool error"))
}

// failedFlag looks whether a stored failure says that it was made just now. Nobody can see
// whether the tool ran again and failed before it acted, so that is a warning.
func failedFlag(b *bench.Bench, repeat *probe.Reply) error {
	if flag, ok := locate(b, repeat, "was_replay"); ok && flag.Value == false {
		return b.Said.Violation("%s is false on the repeat of a call that ended in a tool error, and it had no effect, want true", flag.Place).
			Under("ext-idempotency-replay-flag").AtMostWarn()
	}
	return nil
}

// own is a tool's answer without what the extension, or the state token of
// another one, put into it, and without what is told anew each time.
func own(payload any) any {
	answer, ok := proposal.Steady(payload).(map[string]any)
	if !ok {
		return payload
	}
	for _, name := range []string{"idempotency_key", "was_replay", "original_timestamp", "session_state", "state_changed"} {
		delete(answer, name)
	}
	for _, group := range []string{"idempotency", "session", "_meta"} {
		if _, ok := answer[group].(map[string]any); ok {
			delete(answer, group)
		}
	}
	return answer
}

func replayFlag(b *bench.Bench) error {
	_, repeat := pair(b, b.Key())
	flag, ok := property(b, repeat, "was_replay")
	switch {
	case !ok:
		return b.Said.Violation("$.result._meta.was_replay of the repeat is absent, want true")
	case flag.Value != true:
		return b.Said.Violation("%s of the repeat is %s, want true", flag.Place, probe.Show(flag.Value))
	}
	return proposal.Agree(repeat, "was_replay", flag)
}

func replayFlagFirst(b *bench.Bench) error {
	first, repeat := pair(b, b.Key())
	if flag, ok := property(b, first, "was_replay"); ok && flag.Value != false {
		again, _ := property(b, repeat, "was_replay")
		_, marked := flag.Value.(bool)
		_, marking := again.Value.(bool)
		b.NotSeenIf(!marked && !marking, "was_replay is not a boolean in any answer, which ext-idempotency/replay-flag judges")
		return first.Violation("%s of the first call is %s, want false or no such property", flag.Place, probe.Show(flag.Value))
	}
	return nil
}

// The key has both cases of letters: a server that folds them tells its client
// of a key that the client does not know.
func keyEcho(b *bench.Bench) error {
	key := "Kit" + b.Nonce() + "Echo"
	first, repeat := pair(b, key)
	for _, answer := range []struct {
		reply *probe.Reply
		of    string
	}{{first, "the first call"}, {repeat, "the repeat"}} {
		echo, ok := property(b, answer.reply, "idempotency_key")
		switch {
		case !ok:
			return answer.reply.Violation("$.result._meta.idempotency_key of %s is absent, want %q", answer.of, key)
		case echo.Value != key:
			return answer.reply.Violation("%s of %s is %s, want %q", echo.Place, answer.of, probe.Show(echo.Value), key)
		}
		b.Must(proposal.Agree(answer.reply, "idempotency_key", echo))
	}
	return nil
}
