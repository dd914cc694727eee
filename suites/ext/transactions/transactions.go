// Package transactions holds the cases of the transactions proposal: calls that
// belong together are steps of a transaction, and are taken back together.
package transactions

import (
	"fmt"
	"net/http"
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
			rollbacks(), strangeRollbacks(), failingCompensations(), timeouts(), careful(), gates(), denied(), races(),
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
	return contended(bench.Case("ext-transactions/"+slug, title, rule, fix, on(run), offered()...))
}

// contended is a case that begins transactions. A server may have one at a time, which another
// case has just then.
func contended(c suite.Case) suite.Case {
	c.Contends = true
	return c
}

// stepped is a case that runs steps.
func stepped(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error, fields ...string) suite.Case {
	return contended(bench.Observing(roles.Transaction,
		bench.Case("ext-transactions/"+slug, title, rule, fix, bench.After(tried, run), runnable(fields...)...)))
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
		Diagrammed: []string{"commit_transaction", "COMMIT_TRANSACTION"}, Tools: []string{"commit_transaction"}}
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
	needBegun(b, a)
}

// needBegun ends the case where a transaction cannot be opened now: another case may have the
// only one that the server allows.
func needBegun(b *bench.Bench, a proposal.Answer) {
	if !proposal.Done(a.Reply) {
		b.Stop(&probe.Undecided{Reason: "no transaction can be started: " + a.Outcome(), Passing: true})
	}
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
	b.UndecideIf(!observed, fmt.Sprintf("entry %d of roles.transaction.steps has no observe", i+1))
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

// A form is a way to run a step. A server needs one of them.
type form string

const (
	byMethod form = "transaction/step"
	byCall   form = "tools/call"
)

// A way is what was learned about a form: whether the server takes steps in it, and
// where a tools/call names its transaction.
type way struct {
	form    form
	dialect proposal.Dialect
}

// usualForm is the form that a case takes which does not judge forms. Where the server
// showed neither, it is a call that names its transaction in all places.
func usualForm(b *bench.Bench) way {
	if offersMethod(b) {
		return way{form: byMethod}
	}
	_, dialect := readsCalls(b)
	return way{byCall, dialect}
}

// inForm is the form a case is about. A server that takes steps in the other one only
// has nothing to show.
func inForm(b *bench.Bench, f form) way {
	offered := offersMethod(b)
	if f == byMethod {
		b.NotSeenIf(!offered, "the server takes steps as tools/call, which is enough: it has no transaction/step")
		return way{form: f}
	}
	read, dialect := readsCalls(b)
	b.NotSeenIf(!read && offered, "the server takes steps by transaction/step, which is enough: calls are none")
	return way{f, dialect}
}

// offersMethod finds out once for the column whether there is a transaction/step.
// It says too little to run anything.
func offersMethod(b *bench.Bench) bool {
	text := b.Learn("transactions:method", func() string {
		a := stepMethod().Ask(b.Client, probe.Object{"transaction_id": b.ID(), "step_id": "none"})
		if a.Unknown {
			return "unknown"
		}
		return "offered"
	})
	return text == "offered"
}

// readsCalls finds out once for the column whether a tools/call can be a step, and
// where it names its transaction.
func readsCalls(b *bench.Bench) (read bool, dialect proposal.Dialect) {
	text := b.Learn("transactions:calls", func() string {
		tries, read := 0, false
		dialect := proposal.LearnDialect(b.Client, extension, []proposal.Dialect{proposal.Beside},
			func(dialect proposal.Dialect) (bool, bool) {
				tries++
				shown, accepted := try(b, dialect)
				read = read || shown
				return shown, accepted
			})
		if read || tries == 0 { // without a try the configuration says so
			return "read:" + string(dialect)
		}
		return "unread:" + string(dialect)
	})
	word, places, _ := strings.Cut(text, ":")
	dialect = proposal.Dialect(places)
	dialect.NoteOlder(b.Client, "transaction ids", map[proposal.Dialect]string{
		proposal.Beside: "params.transaction_id",
	}, "_meta.transaction_id")
	return word == "read", dialect
}

// try makes a call in a transaction and looks for a sign that it was taken for a
// step: in its answer, or in that of the rollback.
func try(b *bench.Bench, dialect proposal.Dialect) (read, accepted bool) {
	id := open(b, 60)
	s := runStep(b, request{way: way{byCall, dialect}, transaction: id, call: step(b, 0).ToolCall})
	a := b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id})
	b.Over(probe.JSON(id))
	for _, name := range []string{"transaction_id", "step_id", "compensation"} {
		if _, ok := s.property(name); ok {
			read = true
		}
	}
	return read || len(probe.ArrayOf(a.Object["steps_compensated"])) > 0, !proposal.Declined(s.Reply)
}

// A request is one step, as it is sent.
type request struct {
	way
	transaction string
	call        *probe.ToolCall
	id          string       // empty: the server names the step, if it can
	key         string       // an idempotency key; empty: none
	params      probe.Object // further params
	meta        probe.Object // further members of _meta
}

// A done step is the answer to one.
type done struct {
	*probe.Reply
	bench *bench.Bench
	sent  request
}

// runStep sends a step and keeps the answer as evidence.
func runStep(b *bench.Bench, s request) done {
	return s.done(b, s.start(b))
}

// done waits for the answer to a step.
func (s request) done(b *bench.Bench, p *probe.Pending) done {
	reply := p.Reply()
	b.Said = b.Said.And(reply)
	b.Permitted(s.call, reply)
	return done{reply, b, s}
}

// start sends a step; the server may have others under way.
func (s *request) start(b *bench.Bench) *probe.Pending {
	if s.form == byMethod {
		if s.id == "" {
			s.id = b.ID()
		}
		return b.Start(stepMethod().Name, s.whole())
	}
	values := probe.Object{"transaction_id": s.transaction}
	if s.id != "" {
		values["step_id"] = s.id
	}
	if s.key != "" {
		values["idempotency_key"] = s.key
	}
	header := http.Header{}
	if s.key != "" {
		header.Set("X-Idempotency-Key", s.key) // where some servers read it, whatever else they read
	}
	return b.StartCall(bench.Call{
		Tool: s.call, Dialect: s.dialect, Values: values, Params: s.params, Meta: s.meta, Header: header,
	})
}

// whole are the params of a transaction/step.
func (s *request) whole() probe.Object {
	params := probe.Object{"transaction_id": s.transaction, "step_id": s.id, "tool": s.call.Tool, "parameters": s.call.Arguments}
	for name, value := range s.params {
		params[name] = value
	}
	meta := s.meta
	if s.key != "" {
		meta = meta.With("idempotency_key", s.key).With(proposal.Prefix+"idempotency_key", s.key)
	}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	return params
}

// needStep runs a step that has to succeed for the case to go on. That it can is the
// rule of the cases about compensation.
func needStep(b *bench.Bench, s request) done {
	step := runStep(b, s)
	b.UndecideIf(step.wantDone() != nil, "a step has no result: "+step.Outcome())
	return step
}

// runAll runs steps in one transaction.
func runAll(b *bench.Bench, w way, id string, calls []bench.Watched) []done {
	steps := make([]done, len(calls))
	for i, call := range calls {
		steps[i] = needStep(b, request{way: w, transaction: id, call: call.ToolCall})
	}
	return steps
}

// wantDone expects that a step succeeded.
func (s done) wantDone() error { return proposal.WantDone(s.Reply) }

// object is the payload of a transaction/step.
func (s done) object() map[string]any {
	result, _ := s.Result()
	for _, wrapper := range []string{"result", "data"} {
		if inner, ok := result[wrapper].(map[string]any); ok && result["step_id"] == nil && inner["step_id"] != nil {
			return inner
		}
	}
	return result
}

// property finds what an answer says of its step. In the tool's own answer it counts
// only beside the id of the transaction, and not where the tool itself declares it.
func (s done) property(name string) (proposal.Located, bool) {
	if s.sent.form == byMethod {
		if value, ok := s.object()[name]; ok {
			return proposal.Located{Value: value, Place: "result." + name}, true
		}
	}
	result, _ := s.Result()
	explicit := proposal.Explicit(s.bench.Client, extension)
	return proposal.Locate(result, name, "transaction", func(record map[string]any) bool {
		return record["transaction_id"] == s.sent.transaction &&
			(explicit || !proposal.Declares(s.bench.Client, s.sent.call.Tool, "transaction_id"))
	})
}

// stepID is the id that the answer gives to the step, or the one that was sent.
func (s done) stepID() string {
	found, _ := s.property("step_id")
	if id, ok := found.Value.(string); ok {
		return id
	}
	return s.sent.id
}
