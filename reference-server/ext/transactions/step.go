package transactions

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

type next = func() (fault.Message, *core.Error)

// call wraps every tools/call: a call that names a transaction is a step.
func (m *manager) call(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	if call.Exchange().Method != "tools/call" {
		return run() // transaction/step has made the call and does the rest
	}
	id, inside, failure := meta(call.Turn, "transaction_id")
	switch {
	case failure != nil:
		return nil, failure
	case !inside:
		return m.serveOutside(call, run)
	}
	stepID, _, failure := meta(call.Turn, "step_id")
	if failure != nil {
		return nil, failure
	}
	x, failure := m.open(call.Turn, id)
	if failure != nil {
		return m.answerUnopened(run, failure)
	}
	defer m.store.release(x)
	done, failure := m.perform(call.Turn, x, stepID, func() (*core.ToolCall, fault.Message, *core.Error) {
		result, failure := run()
		return call, result, failure
	})
	if failure != nil {
		return nil, failure
	}
	said := map[string]any{"transaction_id": id, "step_id": done.step.id}
	if undo := done.step.undo; undo != nil && !done.failed && m.Faults.tells(x) {
		undo = m.Faults.told(x, undo)
		said["compensation"] = map[string]any{"tool": undo.Tool, "arguments": undo.Arguments, "description": undo.Description}
	}
	mark(call.Turn, done.result, said)
	return done.result, nil
}

// mark writes the metadata of the answer: under bare keys, which older revisions
// allow, and from 2026-07-28 on under prefixed keys too.
func mark(t *core.Turn, result fault.Message, said map[string]any) {
	meta := result.Object("_meta")
	maps.Copy(meta, said)
	if t.Modern() {
		for name, value := range said {
			meta[Prefix+name] = value
		}
	}
}

// meta reads a string from the request's _meta, under the bare or the prefixed key.
func meta(t *core.Turn, name string) (value string, given bool, failure *core.Error) {
	for _, key := range []string{name, Prefix + name} {
		raw := t.Meta(key)
		if raw == nil {
			continue
		}
		s, ok := text(raw)
		switch {
		case !ok || s == "" || len(s) > longestID:
			return "", false, invalid(key + " is not a string of 1 to 256 characters")
		case given && s != value:
			return "", false, invalid("there are two values of " + name)
		}
		value, given = s, true
	}
	return value, given, nil
}

// step serves transaction/step, a tool call with the names of the proposal.
func (m *manager) step(t *core.Turn) (fault.Message, *core.Error) {
	asked, failure := readStep(t.Params())
	if failure != nil {
		return m.incomplete(t, failure)
	}
	run := func() (*core.ToolCall, fault.Message, *core.Error) { return t.CallTool(asked.tool, asked.parameters) }
	x, failure := m.open(t, asked.transaction)
	if failure != nil {
		return m.answerUnopened(func() (fault.Message, *core.Error) { return m.runOutside(asked, run) }, failure)
	}
	defer m.store.release(x)
	done, failure := m.perform(t, x, asked.id, run)
	if failure != nil {
		return m.refused(asked, failure)
	}
	answer := fault.Message{"transaction_id": asked.transaction, "step_id": done.step.id, "status": "ok"}
	if meta, ok := done.result["_meta"]; ok {
		answer["_meta"] = meta
	}
	if done.failed {
		answer["status"], answer["error"] = "failed", done.why()
		return answer, nil
	}
	answer["result"] = object(done.result)
	if undo := done.step.undo; undo != nil && m.Faults.tells(x) {
		undo = m.Faults.told(x, undo)
		answer["compensation"] = map[string]any{"tool": undo.Tool, "parameters": undo.Arguments, "description": undo.Description}
	}
	return answer, nil
}

// A stepOutcome is the outcome of a step.
type stepOutcome struct {
	step   step
	result fault.Message
	failed bool // the step had no effect, and is not part of the transaction
}

// perform runs a step of a transaction that the caller has taken, and notes the call
// that undoes it. A step id is used once, except by a repeat under one idempotency
// key, which the idempotency extension answers without running the tool.
func (m *manager) perform(t *core.Turn, x *transaction, id string, run func() (*core.ToolCall, fault.Message, *core.Error),
) (stepOutcome, *core.Error) {
	key, _, failure := meta(t, "idempotency_key")
	if failure != nil {
		return stepOutcome{}, failure
	}
	known := slices.IndexFunc(x.steps, func(s step) bool { return s.id == id && id != "" || s.key == key && key != "" })
	switch {
	case known >= 0 && x.steps[known].id == id && (key == "" || key != x.steps[known].key) && !m.Faults.StepIDReused:
		return stepOutcome{}, conflict("The step id " + id + " is used already.")
	case len(x.steps) >= maxSteps:
		return stepOutcome{}, tooMany("The transaction has too many steps.")
	}
	m.Faults.overlap(x)
	call, result, failure := run()
	if failure != nil {
		return stepOutcome{}, failure
	}
	x.tries++
	if id == "" {
		id = x.fresh()
	}
	done := stepOutcome{step: step{id: id, key: key}, result: result, failed: result["isError"] == true || gated(result)}
	switch {
	case done.failed && m.Faults.InvalidOK && !call.Ran && !gated(result):
		done.failed = false
		delete(result, "isError")
	case done.failed:
		m.failed(x, done.step)
	case call.Ran:
		if c, ok := m.Undoing(call.Name, object(result)); ok {
			done.step.undo = &c
		}
		x.steps = append(x.steps, done.step)
		m.acceptInjected(t, x)
	case known >= 0:
		done.step = x.steps[known]
		m.noteReplay(x, known)
	default:
		return stepOutcome{}, conflict("The idempotency key was used outside of the transaction.")
	}
	return done, nil
}

// fresh is a new step id for a step without one.
func (x *transaction) fresh() string {
	for n := x.tries; ; n++ {
		id := fmt.Sprintf("step-%d", n)
		if !slices.ContainsFunc(x.steps, func(s step) bool { return s.id == id }) {
			return id
		}
	}
}

// gated reports whether a tool asks for confirmation instead of acting.
func gated(result fault.Message) bool {
	meta, _ := result["_meta"].(map[string]any)
	gate, _ := meta["confirmation"].(map[string]any)
	return gate["status"] == "confirmation_required"
}

// why is the record of a failed step: the tool's own if the tool gives one.
func (p stepOutcome) why() map[string]any {
	if gated(p.result) {
		return record("CONFIRMATION_REQUIRED", "permanent", "The step needs confirmation.")
	}
	meta, _ := p.result["_meta"].(map[string]any)
	if own, ok := meta["error"].(map[string]any); ok {
		return own
	}
	return upstream(firstText(p.result))
}

// object is a tool's answer as an object: the structured content if there is any.
func object(result fault.Message) map[string]any {
	if own, ok := result["structuredContent"].(map[string]any); ok {
		return own
	}
	return map[string]any{"content": result["content"]}
}

// firstText is the first text of a tool's answer.
func firstText(result fault.Message) string {
	content, _ := result["content"].([]any)
	for _, block := range content {
		if b, ok := block.(map[string]any); ok && b["type"] == "text" {
			s, _ := b["text"].(string)
			return s
		}
	}
	return "The tool failed."
}
