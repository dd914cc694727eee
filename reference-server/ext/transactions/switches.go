package transactions

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches are the ways in which a fault makes the extension misbehave. The zero
// Switches keep every rule.
type Switches struct {
	DescriptionInternal bool // a begin with a description is answered with -32603
	TimeoutDemanded     bool // a begin without timeout_seconds is refused
	MadeUpID            bool // a begin without an id gets one of the server
	MissingIDInternal   bool // a begin without an id is answered with -32603
	BeginAgain          bool // a begin with an id in use is answered like the first
	BeginEnds           bool // it ends the transaction that has the id
	BeginResets         bool // it drops the steps of the transaction that has the id

	StepIDReused   bool // a step id may be used twice
	StepAnything   bool // a transaction/step that lacks something is answered as done
	IncompleteRuns bool // a transaction/step that lacks something is refused after its tool was run
	Injected       bool // the client may say how a step is taken back
	GateSkipped    bool // a tool does not ask for confirmation in a transaction
	ReplayTwice    bool // a step repeated under its key is registered again

	UnknownRunsInternal bool // a step of a transaction that is not open runs, and is answered with -32603
	UnknownRunsOutside  bool // a step of a transaction that is not open runs like any call

	CommitHidden        bool // a commit is a tool that is not listed
	CommitUndoes        bool // a commit takes the steps back
	CommitAnything      bool // a transaction that is not open is committed
	CommitInternal      bool // the commit of a transaction that is not open is answered with -32603
	CountsFailed        bool // a commit counts the steps that failed
	FailureEnds         bool // a step that fails ends the transaction and takes the others back
	RollbackAfterCommit bool // a committed transaction can be rolled back

	OnlyLastUndone   bool // only the last step is taken back
	NothingUndone    bool // no step is taken back
	UndoesOlder      bool // what was done before the transaction is taken back, too
	ForwardOrder     bool // the first step is taken back first
	OrderByText      bool // steps are taken back in the order of their ids
	FailedListed     bool // failed steps are said to be taken back
	EmptyRefused     bool // a transaction without steps is not rolled back
	RollbackAgain    bool // a transaction can be rolled back again
	RollbackAnything bool // a transaction that is not open is rolled back
	RollbackAll      bool // the steps of all open transactions are taken back
	ListsOthers      bool // steps of other transactions are listed

	FailureHidden   bool // a step that could not be taken back is said to be
	StopsAtFailure  bool // steps before one that could not be taken back stay
	FailureInternal bool // a rollback with such a step is answered with -32603

	TimeoutIgnored bool // a transaction has the default timeout, whatever its begin asks for
	NeverExpires   bool // a transaction is open for ever
	HandleDropped  bool // an idle transaction ends without being rolled back
	FromBegin      bool // the timeout counts from the beginning
	BriefDefault   bool // without timeout_seconds a transaction may be idle for less than a second
	NoDefault      bool // without timeout_seconds a transaction ends at once
	LongDefault    bool // without timeout_seconds a transaction may be idle for a day

	PerConnection string // transactions whose ids begin so are known only on the connection of their begin
}

// name is what a transaction of whoever asks is known by.
func (m *manager) name(t *core.Turn, id string) name {
	if start := m.Faults.PerConnection; start != "" && strings.HasPrefix(id, start) {
		return name{t.Principal() + " on " + t.Caller(), id}
	}
	return name{t.Principal(), id}
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // another extension's are none of this one's business
	return own
}

// SkipsGate reports whether a fault lets a step do without the confirmation that its
// tool asks for.
func SkipsGate(f *fault.Fault, t *core.Turn) bool {
	return switches(f).GateSkipped && (t.Exchange().Method == "transaction/step" || t.Meta("transaction_id") != nil)
}
