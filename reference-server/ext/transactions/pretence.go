package transactions

import (
	"encoding/json"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The code here is for faults alone: without one, each function does the normal thing
// in its last line.

// defaultIdleTime is how long a transaction without timeout_seconds may be idle.
func (f Switches) defaultIdleTime() time.Duration {
	switch {
	case f.BriefDefault:
		return 600 * time.Millisecond
	case f.LongDefault:
		return longestIdle
	case f.NoDefault:
		return time.Millisecond
	}
	return defaultIdle
}

// serveOutside serves a call that is not a step.
func (m *manager) serveOutside(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	result, failure := run()
	if m.Faults.UndoesOlder && failure == nil && result["isError"] != true {
		if c, ok := m.Undoing(call.Name, object(result)); ok {
			m.undoer.older.add(c)
		}
	}
	return result, failure
}

// hiddenCommit replaces the method for a commit by a tool that is not listed.
func (m *manager) hiddenCommit() func(*core.Turn, func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	if !m.Faults.CommitHidden {
		return nil
	}
	return func(t *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
		asked := t.Exchange()
		switch {
		case asked.Method == "transaction/commit":
			return nil, &core.Error{Code: core.MethodNotFound, Message: "unknown method"}
		case asked.Tool() != "commit_transaction":
			return next()
		}
		id, _ := text(members(members(t.Params())["arguments"])["transaction_id"])
		x, failure := m.open(t, id)
		if failure != nil {
			return nil, failure
		}
		done := map[string]any{"transaction_id": id, "status": "committed", "steps_completed": len(x.steps)}
		m.store.end(x, false)
		written, err := json.Marshal(done)
		if err != nil {
			return nil, &core.Error{Code: core.InternalError, Message: err.Error()}
		}
		return fault.Message{"content": []any{map[string]any{"type": "text", "text": string(written)}}}, nil
	}
}

// answerUnopened answers a step of a transaction that is not open.
func (m *manager) answerUnopened(run next, failure *core.Error) (fault.Message, *core.Error) {
	switch {
	case m.Faults.UnknownRunsInternal:
		_, _ = run()
		return nil, &core.Error{Code: core.InternalError, Message: "the transaction is missing"}
	case m.Faults.UnknownRunsOutside:
		return run()
	}
	return nil, failure
}

// runOutside runs the tool of a step without its transaction.
func (m *manager) runOutside(asked stepParams, run func() (*core.ToolCall, fault.Message, *core.Error)) (fault.Message, *core.Error) {
	_, result, failure := run()
	if failure != nil {
		return nil, failure
	}
	answer := fault.Message{"transaction_id": asked.transaction, "step_id": asked.id, "status": "ok", "result": object(result)}
	return answer, nil
}

// incomplete answers a transaction/step without a mandatory param.
func (m *manager) incomplete(t *core.Turn, failure *core.Error) (fault.Message, *core.Error) {
	all := members(t.Params())
	switch tool, _ := text(all["tool"]); {
	case m.Faults.StepAnything:
		return fault.Message{"step_id": "step-1", "status": "ok"}, nil
	case m.Faults.IncompleteRuns && tool != "":
		_, _, _ = t.CallTool(tool, all["parameters"])
	}
	return nil, failure
}

// refused answers a transaction/step whose tool does not exist.
func (m *manager) refused(asked stepParams, failure *core.Error) (fault.Message, *core.Error) {
	if m.Faults.UnknownToolOK && failure.Code == envelope.InvalidParams {
		return fault.Message{"transaction_id": asked.transaction, "step_id": asked.id, "status": "ok", "result": map[string]any{}}, nil
	}
	return nil, failure
}

// tells reports whether the last step of a transaction tells how it is undone.
func (f Switches) tells(x *transaction) bool { return !f.OneCompensation || len(x.steps) == 1 }

// told is the call that the answer to a step tells; a fault tells that of the first one.
func (f Switches) told(x *transaction, own *Call) *Call {
	if f.StaleCompensation && x.steps[0].undo != nil {
		return x.steps[0].undo
	}
	return own
}

// failed notes a failed step.
func (m *manager) failed(x *transaction, s step) {
	if m.Faults.CountsFailed || m.Faults.FailedListed {
		x.failed = append(x.failed, s)
	}
	if m.Faults.FailureEnds || m.Faults.FailureUndoes || m.Faults.FailureTold {
		m.undoer.compensate(x)
		x.over, x.undone = m.Faults.FailureEnds, m.Faults.FailureTold
	}
}

// timerRunsOn undoes a transaction although it was committed.
func (f Switches) timerRunsOn(undo func(*transaction) ([]any, bool), x *transaction) {
	if f.TimerRunsOn {
		kept := &transaction{name: x.name, steps: x.steps}
		time.AfterFunc(x.idle, func() { undo(kept) })
	}
}

// acceptInjected accepts a compensation from the client.
func (m *manager) acceptInjected(t *core.Turn, x *transaction) {
	if !m.Faults.Injected {
		return
	}
	for _, raw := range []json.RawMessage{t.Meta("compensation"), members(t.Params())["compensation"]} {
		var sent struct {
			Tool                  string
			Arguments, Parameters map[string]any
		}
		if json.Unmarshal(raw, &sent) == nil && sent.Tool != "" {
			if sent.Arguments == nil {
				sent.Arguments = sent.Parameters
			}
			x.injected = append(x.injected, Call{Tool: sent.Tool, Arguments: sent.Arguments})
		}
	}
}

// callInjected makes the calls that clients have injected.
func (m *manager) callInjected(t *core.Turn, x *transaction) {
	for _, c := range x.injected {
		if raw, err := json.Marshal(c.Arguments); err == nil {
			_, _, _ = t.CallTool(c.Tool, raw)
		}
	}
}

// noteReplay notes that a step of the transaction was repeated under its key.
func (m *manager) noteReplay(x *transaction, known int) {
	if m.Faults.ReplayTwice {
		x.steps = append(x.steps, x.steps[known])
	}
}

// moment is how long two requests that a fault lets overlap wait for each other.
const moment = 200 * time.Millisecond

// overlap lets other requests work on a transaction while its step takes some time.
func (f Switches) overlap(x *transaction) {
	if !f.StepsOverlap {
		return
	}
	<-x.busy
	x.meet()
	<-time.After(moment / 4) // the other request goes first
	x.busy <- struct{}{}
}

// awaitStep lets a step begin that was sent before a rollback, and may come behind it.
func (f Switches) awaitStep(s *store, as name) {
	if !f.StepsOverlap {
		return
	}
	s.mu.Lock()
	x := s.open[as]
	s.mu.Unlock()
	if x != nil {
		x.meet()
	}
}

// meet waits for another request on the transaction that waits as well.
func (x *transaction) meet() {
	select {
	case x.met <- struct{}{}:
	case <-x.met:
	case <-time.After(moment):
	}
}

// endOthers ends the other open transactions of a client.
func (f Switches) endOthers(s *store, x *transaction) {
	if !f.RollbackEnds {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for as := range s.open {
		if as != x.name && as.principal == x.name.principal {
			delete(s.open, as)
		}
	}
}
