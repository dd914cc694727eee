package transactions

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every
// rule.
type Switches struct {
	DescriptionInternal bool // a begin with a description is answered with -32603
	TimeoutDemanded     bool // a begin without timeout_seconds is refused
	MadeUpID            bool // a begin without an id gets an id of the server
	MissingIDInternal   bool // a begin without an id is answered with -32603
	BeginAgain          bool // a begin with an id in use is answered like the first
	BeginEnds           bool // a begin with an id in use ends the transaction that has the id
	BeginResets         bool // a begin with an id in use drops the steps of the transaction that has the id

	OneCompensation   bool // only the first step of a transaction tells its compensation
	StaleCompensation bool // each step of a transaction tells the compensation of the first one
	UnknownToolOK     bool // a transaction/step of an unknown tool is answered with ok
	InvalidOK         bool // a step whose tool refuses the arguments is answered with success

	StepIDReused   bool // a step id may be used twice
	StepAnything   bool // a transaction/step without a mandatory param is answered with success
	IncompleteRuns bool // a transaction/step without a mandatory param is refused after its tool was run
	Injected       bool // the client may choose the compensation of a step
	GateSkipped    bool // a tool does not ask for confirmation in a transaction
	ReplayTwice    bool // a step repeated under its key is registered again

	UnknownRunsInternal bool // a step of a transaction that is not open runs, and is answered with -32603
	UnknownRunsOutside  bool // a step of a transaction that is not open runs like any call

	CommitHidden        bool // a commit is a tool that is not listed
	CommitUndoes        bool // a commit undoes the steps
	CommitAnything      bool // a transaction that is not open is committed
	CommitInternal      bool // the commit of a transaction that is not open is answered with -32603
	CountsFailed        bool // a commit counts failed steps
	FailureEnds         bool // a failed step ends the transaction and undoes the others
	FailureUndoes       bool // a failed step undoes the others, and the transaction stays open
	FailureTold         bool // the same, and the commit says that the transaction is rolled back; that is doubtful
	RollbackAfterCommit bool // a committed transaction can be rolled back
	TimerRunsOn         bool // a committed transaction is undone when its idle time is over

	OnlyLastUndone   bool // only the last step is undone
	NothingUndone    bool // no step is undone
	UndoesOlder      bool // calls before the transaction are undone too
	ForwardOrder     bool // the first step is undone first
	OrderByText      bool // steps are undone in the order of their ids
	FailedListed     bool // failed steps are listed as undone
	EmptyRefused     bool // a transaction without steps is not rolled back
	RollbackAgain    bool // a transaction can be rolled back again
	RollbackAnything bool // a transaction that is not open is rolled back
	RollbackAll      bool // the steps of all open transactions are undone
	ListsOthers      bool // steps of other transactions are listed
	RollbackEnds     bool // a rollback ends the other transactions of its client, and undoes nothing of them
	StepsOverlap     bool // neither a rollback nor another step waits for a running step
	SharedPrincipals bool // all principals share the transactions

	FailureHidden   bool // a step that could not be undone is listed as undone
	StopsAtFailure  bool // steps before one that could not be undone stay
	StopsAndSays    bool // the same, and the answer lists them as not_tried; that is lawful
	FailureInternal bool // a rollback with a step that cannot be undone is answered with -32603

	TimeoutIgnored bool // a transaction always has the default timeout
	NeverExpires   bool // a transaction never expires
	HandleDropped  bool // an idle transaction ends without being rolled back
	LastExpires    bool // of an idle transaction only the last step is undone
	FromBegin      bool // the timeout counts from the begin
	BriefDefault   bool // without timeout_seconds a transaction may be idle for less than a second
	NoDefault      bool // without timeout_seconds a transaction ends at once
	LongDefault    bool // without timeout_seconds a transaction may be idle for a day

	PerConnection string // transactions with this prefix of their id are known only on the connection of their begin
}

// name identifies the requester's transaction in the store.
func (f Switches) name(t *core.Turn, id string) name {
	if start := f.PerConnection; start != "" && strings.HasPrefix(id, start) {
		return name{t.Principal() + " on " + t.Caller(), id}
	}
	if f.SharedPrincipals {
		return name{"", id}
	}
	return name{t.Principal(), id}
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

// SkipsGate reports whether a fault lets a step skip the confirmation that its tool
// asks for.
func SkipsGate(f *fault.Fault, t *core.Turn) bool {
	return switches(f).GateSkipped && (t.Exchange().Method == "transaction/step" || t.Meta("transaction_id") != nil)
}
