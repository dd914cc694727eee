// Package transactions serves the transactions extension: tool calls that belong
// together are steps of a transaction, and what they did is taken back when the
// client rolls it back or is not heard of any more.
//
// A client begins a transaction under an id of its own. A step is a tools/call with
// that id in its _meta, or a transaction/step. To each step that changed something
// the server notes the call that undoes it, and tells the client. A rollback makes
// those calls, the last step first; a commit forgets them.
package transactions

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix is what the keys of the extension begin with where they have to be
// told from those of others.
const Prefix = "io.github.mcp-extension-proposals/"

// A Call is one that takes a step back.
type Call struct {
	Tool        string
	Arguments   map[string]any
	Description string
}

// Options are what the extension is made with.
type Options struct {
	// Undoing says which call takes back what a call of a tool did, from its
	// structured result; ok is false where there is nothing to take back. Clients
	// have no say in it: they could make the server call anything.
	Undoing func(tool string, result map[string]any) (c Call, ok bool)
	// Undo does what such a call does. It is not called on behalf of a request: a
	// transaction also ends when nobody asks.
	Undo  func(c Call) error
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension. Its transactions are shared by all connections.
func New(o Options) core.Extension {
	m := &manager{Options: o, Faults: switches(o.Fault)}
	return core.Extension{
		Name:     "transactions",
		Key:      Prefix + "transactions",
		Serve:    m.hides(),
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
	older  older
}

func (m *manager) begin(t *core.Turn) (fault.Message, *core.Error) {
	asked, failure := m.beginning(t.Params())
	if failure != nil {
		return nil, failure
	}
	switch problem := m.store.begin(m.name(t, asked.id), asked.idle, m.expire, m.Faults); problem {
	case taken:
		return nil, conflict("The transaction " + asked.id + " is open already.")
	case full:
		return nil, tooMany("Too many transactions are open.")
	case none:
	}
	return fault.Message{"transaction_id": asked.id, "status": "begun"}, nil
}

// commit forgets how the steps are taken back: their effects stay.
func (m *manager) commit(t *core.Turn) (fault.Message, *core.Error) {
	x, failure := m.take(t)
	if failure != nil {
		return m.pretend(t, failure, "committed")
	}
	if m.Faults.CommitUndoes {
		m.compensate(x)
	}
	done := len(x.steps)
	if m.Faults.CountsFailed {
		done += len(x.failed)
	}
	m.store.end(x, m.Faults.RollbackAfterCommit)
	return fault.Message{"transaction_id": x.name.id, "status": "committed", "steps_completed": done}, nil
}

func (m *manager) rollback(t *core.Turn) (fault.Message, *core.Error) {
	x, failure := m.take(t)
	if failure != nil {
		return m.pretend(t, failure, "rolled_back")
	}
	if m.Faults.EmptyRefused && len(x.steps) == 0 {
		m.store.release(x)
		return nil, conflict("The transaction has no steps.")
	}
	m.springBait(t, x)
	undone, whole := m.compensate(x)
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

// take gives the open transaction that the params name, to whoever asks alone: end
// or release gives it back. Somebody else's is not there.
func (m *manager) take(t *core.Turn) (*transaction, *core.Error) {
	id, failure := wantText(members(t.Params()), "transaction_id", longestID)
	if failure != nil {
		return nil, failure
	}
	return m.open(t, id)
}

func (m *manager) open(t *core.Turn, id string) (*transaction, *core.Error) {
	x, stopped := m.store.take(m.name(t, id), t.Stopped())
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

// pretend is what a faulty server answers about a transaction that is not there.
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

// expire rolls a transaction back that was idle for too long. Nobody is told.
func (m *manager) expire(x *transaction) {
	if !m.store.takeIdle(x) {
		return
	}
	if !m.Faults.HandleDropped {
		m.compensate(x)
	}
	m.store.end(x, false)
}

// compensate takes the steps back, the last one first, and says what became of
// each. A step that cannot be taken back keeps none of the others: the client is
// better off with as little left as can be.
func (m *manager) compensate(x *transaction) (undone []any, whole bool) {
	undone, whole = []any{}, true
	for _, s := range m.order(x) {
		if s.undo == nil {
			continue // there is nothing to take back
		}
		entry := map[string]any{"step_id": s.id, "status": "compensated"}
		if err := m.takeBack(x, s); err != nil {
			whole = false
			if !m.Faults.FailureHidden {
				entry["status"], entry["error"] = "compensation_failed", upstream(err.Error())
			}
		}
		undone = append(undone, entry)
		if !whole && m.Faults.StopsAtFailure {
			break
		}
	}
	return m.further(x, undone), whole || m.Faults.FailureHidden
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal(raw, &all) // what is no object has no members
	return all
}
