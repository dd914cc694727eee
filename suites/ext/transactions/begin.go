package transactions

import (
	"cmp"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func beginnings() []suite.Case {
	return []suite.Case{
		{
			ID:     "ext-transactions/begin",
			Title:  "transaction/begin opens a transaction under the id of the client",
			Checks: []requirements.ID{"ext-transaction-begin"},
			Proves: []suite.Need{suite.Claim(extension)},
			Fix:    `open a transaction under the transaction_id of the params, and answer with that id and the status "begun"`,
			Run:    on(begin),
		},
		// In the lane Alone no other case has a transaction: a server may have one at a time.
		bench.In(suite.Alone, claimed("begin-answer", "the answer to transaction/begin has the id and the status", "ext-transaction-begin",
			`answer with the transaction_id of the params, and with the status "begun"`, beginAnswer)),
		claimed("form", "transactions are offered in a form that clients find", "ext-transaction-begin",
			"offer the methods transaction/begin, transaction/commit and transaction/rollback, or list the tools that do their work", formsFound),
		bench.In(suite.Alone, claimed("begin-id-alone", "a transaction can be opened without a timeout and a description",
			"ext-transaction-begin", "take 300 seconds when timeout_seconds is missing, and do without a description", beginIDAlone)),
		withoutID("without-id", "a transaction without an id is rejected", probe.Object{}),
		withoutID("number-id", "a transaction with a number as id is rejected", probe.Object{"transaction_id": 5}),
		claimed("begin-duplicate", "an id that is in use is rejected, and its transaction can still be committed",
			"ext-transaction-begin-duplicate",
			"look the id up among the open transactions, and reject a known one as TRANSACTION_CONFLICT", beginDuplicate),
		stepped("begin-duplicate-keeps-steps", "a second transaction/begin leaves the steps of the transaction alone",
			"ext-transaction-begin-duplicate",
			"do not replace an open transaction when its id is sent again", beginDuplicateKeepsSteps),
		contended(bench.Observing(roles.Transaction, suite.Case{
			ID:     "ext-transactions/needs-idempotency",
			Title:  "a server that declares transactions has idempotency too",
			Checks: []requirements.ID{"ext-transaction-needs-idempotency"},
			Needs:  offered(),
			Fix:    "declare io.github.mcp-extension-proposals/idempotency beside transactions, and keep its rules",
			Run:    on(needsIdempotency),
		})),
	}
}

func begin(b *bench.Bench) error {
	_, err := wantBegun(b, probe.Object{"transaction_id": b.ID(), "timeout_seconds": 60, "description": "a test of transactions"})
	return err
}

func beginIDAlone(b *bench.Bench) error {
	_, err := wantBegun(b, probe.Object{"transaction_id": b.ID()})
	return err
}

// wantBegun expects a transaction under the id that was sent.
func wantBegun(b *bench.Bench, params probe.Object) (proposal.Answer, error) {
	a := b.CallMethod(proposal.BeginTransaction(), params)
	id, _ := params["transaction_id"].(string)
	if a.Unknown {
		return a, a.Violation("%s, want a result", proposal.BeginTransaction().Tried(b.Client))
	}
	rollbackLater(b, id)
	b.Must(proposal.WantDone(a.Reply))
	return a, agrees(a, id, "begun")
}

func beginAnswer(b *bench.Bench) error {
	a, err := wantBegun(b, probe.Object{"transaction_id": b.ID()})
	b.Must(err)
	return complete(a)
}

// agrees expects the id and the status in an answer, if it has them.
func agrees(a proposal.Answer, id, status string) error {
	for _, want := range []struct{ name, value string }{{"transaction_id", id}, {"status", status}} {
		if got, ok := a.Object[want.name]; ok && got != want.value {
			return a.Violation("%s of the answer to %s is %s, want %s", want.name, a.Method, probe.Show(got), probe.Show(want.value))
		}
	}
	return nil
}

// complete expects that they are there. No answer to a begin or a commit is
// published, so that this is worth a warning.
func complete(a proposal.Answer) error {
	for _, name := range []string{"transaction_id", "status"} {
		if _, ok := a.Object[name]; !ok {
			return a.Violation("%s of the answer to %s is absent, want it there", name, a.Method).AtMostWarn()
		}
	}
	return nil
}

// formsFound looks at the forms of the three methods. What an older form is worth
// does not count against anything else.
func formsFound(b *bench.Bench) error {
	var forms []error
	for i, end := range []proposal.Method{commitMethod(), proposal.RollbackTransaction()} {
		id := b.ID()
		begun := b.CallMethod(proposal.BeginTransaction(), probe.Object{"transaction_id": id})
		rollbackLater(b, id)
		if i == 0 {
			forms = append(forms, proposal.BeginTransaction().NoteForm(b.Client, begun))
		}
		forms = append(forms, end.NoteForm(b.Client, b.CallMethod(end, probe.Object{"transaction_id": id})))
	}
	return cmp.Or(forms...) // one finding says it for all of them
}

func withoutID(slug, title string, params probe.Object) suite.Case {
	return claimed("begin-"+slug, title, "ext-transaction-begin-requires-id",
		"check that transaction_id is a string, and reject other params as invalid", func(b *bench.Bench) error {
			a := b.CallMethod(proposal.BeginTransaction(), params)
			if id, ok := a.Object["transaction_id"]; ok {
				rollbackLater(b, id)
			}
			return wantRejected(b, a.Reply)
		})
}

func beginDuplicate(b *bench.Bench) error {
	id := open(b, 60)
	again := b.CallMethod(proposal.BeginTransaction(), probe.Object{"transaction_id": id, "timeout_seconds": 60})
	refused := wantRejected(b, again.Reply, "TRANSACTION_CONFLICT", "CONFLICT")
	if refused != nil && proposal.WantDeclined(again.Reply) != nil {
		return refused
	}
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	if !proposal.Done(a.Reply) {
		return b.Said.Violation("%s, want a result", a.AnswerTo("the commit of a transaction whose id was sent again in transaction/begin")).
			Unless(a.NotObject())
	}
	b.Over(probe.JSON(id))
	return refused
}

func beginDuplicateKeepsSteps(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	runAll(b, w, id, calls)
	b.CallMethod(proposal.BeginTransaction(), probe.Object{"transaction_id": id})
	end(b, proposal.RollbackTransaction(), id)
	return wantUndone(b, calls[0], "a second transaction/begin with the id of its transaction, and the rollback")
}

// ready learns how steps are run, reads the state that they are going to change, and
// begins a transaction. What learning leaves behind is in the state already.
func ready(b *bench.Bench, n int) (w way, id string, calls []bench.Watched) {
	w = usualForm(b)
	id, calls = prepare(b, n)
	return w, id, calls
}

func prepare(b *bench.Bench, n int) (id string, calls []bench.Watched) {
	calls = steps(b, n)
	id = open(b, 60)
	return id, calls
}

// The kit takes the claim as one of both, and judges keys too. A server that is seen to read
// them supports what it does not declare.
func needsIdempotency(b *bench.Bench) error {
	claim, ok := b.Survey().Claims["idempotency"]
	b.UndecideIf(!ok, "idempotency is left out of this run")
	if !strings.HasSuffix(claim.Where, ", by "+extension) {
		return nil
	}
	place := strings.TrimSuffix(claim.Where, ", by "+extension)
	if onceUnderKey(b) {
		b.Note("idempotency is not declared beside transactions in " + place + ", and a call that is repeated under its key runs once")
		return nil
	}
	return probe.Shown().Violation("idempotency is not declared, and no repeat under a key was seen to be one, "+
		"want it declared beside transactions in %s", place).AtMostWarn()
}
