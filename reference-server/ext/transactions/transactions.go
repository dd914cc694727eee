// Package transactions serves the transactions extension: related tool calls are the
// steps of a transaction, and their effects are undone when the client rolls the
// transaction back or stops sending.
//
// A client begins a transaction under an id of its own. A step is a tools/call with
// that id in its _meta, or a transaction/step. For each step that changed something
// the server notes the call that undoes it, and tells the client. A rollback makes
// those calls, the last step first; a commit forgets them.
package transactions

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// A Call is a call that undoes a step.
type Call struct {
	Tool        string
	Arguments   map[string]any
	Description string
}

// Options are the options of the extension.
type Options struct {
	// Undoing returns the call that undoes a tool's call, from its structured result;
	// ok is false if nothing can be undone. Clients cannot choose the call: they could
	// make the server call anything.
	Undoing func(tool string, result map[string]any) (c Call, ok bool)
	// Undo executes such a call. It gets no context of a request: a transaction also
	// ends without one.
	Undo  func(c Call) error
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension. All connections share its transactions.
func New(o Options) core.Extension {
	m := &manager{Options: o, Faults: switches(o.Fault)}
	m.undoer = undoer{undo: o.Undo, faults: m.Faults, store: &m.store}
	return core.Extension{
		Name:     "transactions",
		Key:      Prefix + "transactions",
		Serve:    m.hiddenCommit(),
		CallTool: m.call,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){
			"transaction/begin":    m.begin,
			"transaction/step":     m.step,
			"transaction/commit":   m.commit,
			"transaction/rollback": m.rollback,
		},
	}
}

type manager struct {
	Options
	Faults Switches
	store  store
	undoer undoer
}

func (m *manager) begin(t *core.Turn) (fault.Message, *core.Error) {
	asked, failure := readBegin(t.Params(), m.Faults)
	if failure != nil {
		return nil, failure
	}
	switch problem := m.store.begin(m.Faults.name(t, asked.id), asked.idle, m.expire, m.Faults); problem {
	case taken:
		return nil, conflict("The transaction " + asked.id + " is open already.")
	case full:
		return nil, tooMany("Too many transactions are open.")
	case none:
	}
	return fault.Message{"transaction_id": asked.id, "status": "begun"}, nil
}

// commit forgets how to undo the steps: their effects stay.
func (m *manager) commit(t *core.Turn) (fault.Message, *core.Error) {
	x, failure := m.take(t)
	if failure != nil {
		return m.pretend(t, failure, "committed")
	}
	if m.Faults.CommitUndoes {
		m.undoer.compensate(x)
	}
	done := len(x.steps)
	if m.Faults.CountsFailed {
		done += len(x.failed)
	}
	answer := fault.Message{"transaction_id": x.name.id, "status": "committed", "steps_completed": done}
	if x.undone {
		answer["status"] = "rolled_back"
	}
	m.Faults.timerRunsOn(m.undoer.compensate, x)
	m.store.end(x, m.Faults.RollbackAfterCommit)
	return answer, nil
}

func (m *manager) rollback(t *core.Turn) (fault.Message, *core.Error) {
	if id, ok := text(members(t.Params())["transaction_id"]); ok {
		m.Faults.awaitStep(&m.store, m.Faults.name(t, id))
	}
	x, failure := m.take(t)
	if failure != nil {
		return m.pretend(t, failure, "rolled_back")
	}
	if m.Faults.EmptyRefused && len(x.steps) == 0 {
		m.store.release(x)
		return nil, conflict("The transaction has no steps.")
	}
	m.callInjected(t, x)
	undone, whole := m.undoer.compensate(x)
	m.Faults.endOthers(&m.store, x)
	m.store.end(x, m.Faults.RollbackAgain)
	if m.Faults.FailureInternal && !whole {
		return nil, &core.Error{Code: core.InternalError, Message: "the rollback failed"}
	}
	status := "rolled_back"
	if !whole {
		status = "partially_rolled_back"
	}
	return fault.Message{"transaction_id": x.name.id, "status": status, "steps_compensated": undone}, nil
}

// take returns the open transaction in the params for exclusive use: end or release
// gives it back. For other principals the transaction does not exist.
func (m *manager) take(t *core.Turn) (*transaction, *core.Error) {
	id, failure := requiredText(members(t.Params()), "transaction_id", longestID)
	if failure != nil {
		return nil, failure
	}
	return m.open(t, id)
}

func (m *manager) open(t *core.Turn, id string) (*transaction, *core.Error) {
	x, stopped := m.store.take(m.Faults.name(t, id), t.Stopped())
	switch {
	case stopped:
		return nil, &core.Error{Code: core.InternalError, Message: "the request was stopped"}
	case x == nil:
		return nil, unknown(id)
	case x.ended && t.Exchange().Method != "transaction/rollback":
		m.store.release(x)
		return nil, unknown(id)
	}
	return x, nil
}

// pretend is a faulty server's answer about a transaction that is not open.
func (m *manager) pretend(t *core.Turn, failure *core.Error, status string) (fault.Message, *core.Error) {
	id, _ := text(members(t.Params())["transaction_id"])
	switch {
	case status == "committed" && m.Faults.CommitAnything, status == "rolled_back" && m.Faults.RollbackAnything:
		answer := fault.Message{"transaction_id": id, "status": status}
		if status == "rolled_back" {
			answer["steps_compensated"] = []any{}
		}
		return answer, nil
	case status == "committed" && m.Faults.CommitInternal:
		return nil, &core.Error{Code: core.InternalError, Message: "the transaction is missing"}
	}
	return nil, failure
}

// expire rolls back a transaction that was idle for too long. No client is told.
func (m *manager) expire(x *transaction) {
	if !m.store.takeIdle(x) {
		return
	}
	if m.Faults.LastExpires {
		x.steps = x.steps[max(0, len(x.steps)-1):]
	}
	if !m.Faults.HandleDropped {
		m.undoer.compensate(x)
	}
	m.store.end(x, false)
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal(raw, &all) // only an object has members
	return all
}
