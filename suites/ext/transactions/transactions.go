// Package transactions holds the cases of the transactions proposal: calls that
// belong together are steps of a transaction, and are taken back together.
package transactions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-transactions",
		Title:     "calls that belong together are undone together",
		Extension: proposal.Extension("transactions"),
		Cases: slices.Concat(
			beginnings(), compensations(), stepIDs(), incompleteSteps(), strangeSteps(), commits(), strangeCommits(),
			rollbacks(), strangeRollbacks(), failingCompensations(), timeouts(), careful(), gates(),
		),
	}
}

// offered are the needs of cases that rest on transactions being there at all, which
// begin proves: what comes after it would only say the same again.
func offered(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Claim(extension)}, more...)
}

// runnable are the needs of cases that have steps to run, and perhaps a field of the
// role beside them.
func runnable(fields ...string) []suite.Need {
	needs := offered(suite.Role(roles.Transaction, "steps"))
	for _, field := range fields {
		needs = append(needs, suite.Role(roles.Transaction, field))
	}
	return needs
}

// claimed is a case about the methods alone.
func claimed(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error) suite.Case {
	return bench.Case("ext-transactions/"+slug, title, rule, fix, on(run), offered()...)
}

// stepped is a case that runs steps.
func stepped(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error, fields ...string) suite.Case {
	return bench.Observing(roles.Transaction, bench.Case("ext-transactions/"+slug, title, rule, fix, on(run), runnable(fields...)...))
}

// extension is how the catalogue names it.
const extension = "transactions"

// The methods that nobody else calls. Other servers have tools of such names too, so
// that none is called on suspicion.
func stepMethod() proposal.Method {
	return proposal.Method{Extension: extension, Name: "transaction/step"}
}

func commitMethod() proposal.Method {
	return proposal.Method{Extension: extension, Name: "transaction/commit", Aliases: []string{"COMMIT"},
		Tools: []string{"commit_transaction"}}
}

// on makes a case of a procedure.
func on(judge func(b *bench.Bench) error) func(*probe.Client) error {
	return bench.After(bench.New, judge)
}

// rollbackLater has a transaction rolled back when the case has ended, unless it is
// over by then.
func rollbackLater(b *bench.Bench, id any) {
	b.Did(probe.JSON(id), func() {
		proposal.RollbackTransaction().Ask(b.Client, probe.Object{"transaction_id": id, "reason": "the test is over"})
	})
}

// open begins a transaction for so many seconds. That it can be opened is the rule of
// another case.
func open(b *bench.Bench, seconds int) string {
	id := b.ID()
	openWith(b, probe.Object{"transaction_id": id, "timeout_seconds": seconds})
	return id
}

func openWith(b *bench.Bench, params probe.Object) {
	a := b.CallMethod(proposal.BeginTransaction(), params)
	rollbackLater(b, params["transaction_id"])
	b.Require(proposal.WantDone(a.Reply), "no transaction can be started: "+a.Outcome())
}

// end commits a transaction or rolls it back, for cases that judge something else.
func end(b *bench.Bench, m proposal.Method, id string) proposal.Answer {
	a := b.CallMethod(m, probe.Object{"transaction_id": id})
	b.Require(proposal.WantDone(a.Reply), "the answer to "+m.Name+" is not a result: "+a.Outcome())
	b.Over(probe.JSON(id))
	return a
}

// step makes a logical call of a step of the role. A third is made from the first.
func step(b *bench.Bench, i int) bench.Watched {
	role := b.Role(roles.Transaction)
	if i >= len(role.Fields().List("steps")) {
		i = 0
	}
	call, observed := role.Entry("steps", i)
	if !observed {
		b.Undecide(fmt.Sprintf("entry %d of roles.transaction.steps has no observe", i+1))
	}
	return b.Watch(call)
}

// steps makes several of them.
func steps(b *bench.Bench, n int) []bench.Watched {
	all := make([]bench.Watched, n)
	for i := range all {
		all[i] = step(b, i)
	}
	return all
}

// wantRejected expects a refusal, with one of the codes where it has a record.
func wantRejected(b *bench.Bench, r *probe.Reply, codes ...string) error {
	if err := proposal.WantDeclined(r); err != nil {
		return err
	}
	record, place, ok := proposal.Record(r)
	if !ok {
		return nil
	}
	if len(codes) > 0 && !slices.Contains(codes, fmt.Sprint(record["code"])) {
		b.Note(fmt.Sprintf("the record in %s has the code %s; %s says more", place, probe.Show(record["code"]), strings.Join(codes, " or ")))
	}
	if result, done := r.Result(); done && !r.ErrorFlag() && result["status"] != "failed" {
		return r.Violation("the record stands in %s of a result that is not marked as an error, want a JSON-RPC error or isError",
			place).AtMostWarn()
	}
	return nil
}
