package transactions

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The code here is for faults alone: without one, each function does the normal thing
// in its last line.

// outsideCalls are the calls outside of transactions, which a fault undoes too.
type outsideCalls struct {
	mu    sync.Mutex
	calls []Call
}

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
			m.older.mu.Lock()
			m.older.calls = append(m.older.calls, c)
			m.older.mu.Unlock()
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

// failed notes a failed step.
func (m *manager) failed(x *transaction, s step) {
	if m.Faults.CountsFailed || m.Faults.FailedListed {
		x.failed = append(x.failed, s)
	}
	if m.Faults.FailureEnds {
		m.compensate(x)
		x.over = true
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

// order returns the steps in the order of the rollback.
func (m *manager) order(x *transaction) []step {
	steps := slices.Clone(x.steps)
	switch {
	case m.Faults.ForwardOrder:
		return steps
	case m.Faults.OrderByText:
		slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.id, b.id) })
		return steps
	}
	slices.Reverse(steps)
	return steps
}

// takeBack undoes a step.
func (m *manager) takeBack(x *transaction, s step) error {
	last := x.steps[len(x.steps)-1].id
	if m.Faults.NothingUndone || m.Faults.OnlyLastUndone && s.id != last {
		return nil
	}
	return m.Undo(*s.undo)
}

// undoFurther undoes calls outside the transaction, and adds them to the answer.
func (m *manager) undoFurther(x *transaction, undone []any) []any {
	if m.Faults.FailedListed {
		for _, s := range x.failed {
			undone = append(undone, map[string]any{"step_id": s.id, "status": "compensated"})
		}
	}
	if m.Faults.UndoesOlder {
		m.older.mu.Lock()
		defer m.older.mu.Unlock()
		for _, c := range m.older.calls {
			_ = m.Undo(c)
		}
		m.older.calls = nil
	}
	for _, other := range m.others(x) {
		for _, s := range other.steps {
			switch {
			case m.Faults.ListsOthers:
				undone = append(undone, map[string]any{"step_id": s.id, "status": "compensated"})
			case s.undo != nil:
				_ = m.Undo(*s.undo)
			}
		}
		<-other.busy
	}
	return undone
}

// others takes the other open transactions that are not busy.
func (m *manager) others(x *transaction) []*transaction {
	if !m.Faults.RollbackAll && !m.Faults.ListsOthers {
		return nil
	}
	m.store.mu.Lock()
	defer m.store.mu.Unlock()
	var all []*transaction
	for _, other := range m.store.open {
		if other == x {
			continue
		}
		select {
		case other.busy <- struct{}{}:
			all = append(all, other)
		default:
		}
	}
	return all
}
