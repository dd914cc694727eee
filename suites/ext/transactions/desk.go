package transactions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

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

// A desk is where a case works: it keeps what was said as evidence, and rolls back
// at the end what is still open.
type desk struct {
	client *probe.Client
	said   probe.Evidence
	open   []any // ids, as the server knows them
}

// on makes a case of a procedure.
func on(procedure func(d *desk) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		d := &desk{client: c}
		c.Cleanup(d.tidy)
		return procedure(d)
	}
}

// tidy takes back what is open; what the server answers to that is not judged.
func (d *desk) tidy() {
	for _, id := range d.open {
		_ = d.client.Try(func() {
			proposal.RollbackTransaction().Ask(d.client, probe.Object{"transaction_id": id, "reason": "the test is over"})
		})
	}
}

// id is a fresh one for a transaction, or for a step.
func (d *desk) id() string { return "kit-" + d.client.Nonce() }

// ask calls a method and keeps the answer as evidence.
func (d *desk) ask(m proposal.Method, params probe.Object) proposal.Answer {
	a := m.Ask(d.client, params)
	d.said = d.said.And(a)
	return a
}

// begin opens a transaction. That it can be opened is the rule of another case.
func (d *desk) begin() string { return d.beginFor(60) }

func (d *desk) beginFor(seconds int) string {
	id := d.id()
	d.begun(probe.Object{"transaction_id": id, "timeout_seconds": seconds})
	return id
}

func (d *desk) begun(params probe.Object) {
	a := d.ask(proposal.BeginTransaction(), params)
	id, _ := params["transaction_id"].(string)
	d.open = append(d.open, id)
	if proposal.WantDone(a.Reply) != nil {
		d.client.Undecide("no transaction can be started: " + a.Outcome())
	}
}

// end commits a transaction or rolls it back, for cases that judge something else.
func (d *desk) end(m proposal.Method, id string) proposal.Answer {
	a := d.ask(m, probe.Object{"transaction_id": id})
	if proposal.WantDone(a.Reply) != nil {
		d.client.Undecide("the answer to " + m.Name + " is not a result: " + a.Outcome())
	}
	d.over(id)
	return a
}

// over says that nothing is left to roll back.
func (d *desk) over(id string) {
	d.open = slices.DeleteFunc(d.open, func(open any) bool { return open == id })
}

// A watched call is one whose effect is looked for.
type watched struct {
	*probe.ToolCall
	before probe.State
}

// step makes a logical call of a step of the role. A third is made from the first.
func (d *desk) step(i int) watched {
	role := d.client.Role(roles.Transaction)
	if i >= len(role.Fields().List("steps")) {
		i = 0
	}
	call, observed := role.Entry("steps", i)
	if !observed {
		d.client.Undecide(fmt.Sprintf("entry %d of roles.transaction.steps has no observe", i+1))
	}
	return d.watch(call)
}

// field makes a logical call of another field of the role.
func (d *desk) field(role roles.Name, name string) watched {
	call := d.client.Role(role).Field(name)
	if _, observed := d.client.Role(role).Fields().At(name).Observe(); !observed {
		d.client.Undecide("roles." + string(role) + "." + name + " has no observe")
	}
	return d.watch(call)
}

func (d *desk) watch(call *probe.ToolCall) watched {
	return watched{call, d.client.Before(call)}
}

// steps makes several of them.
func (d *desk) steps(n int) []watched {
	all := make([]watched, n)
	for i := range all {
		all[i] = d.step(i)
	}
	return all
}

// wantGone expects that the state is what it was before. What is taken back may be
// taken back some time after the answer.
func (d *desk) wantGone(w watched, after string) error {
	seen, same := d.look(w, true)
	if same {
		return nil
	}
	return d.said.And(seen).Violation("the state that %s changes is not what it was before, after %s, want no effect", w.Tool, after)
}

// wantThere expects that the state shows an effect.
func (d *desk) wantThere(w watched, after string) error {
	seen, same := d.look(w, false)
	if !same {
		return nil
	}
	return d.said.And(w.before, seen).Violation("the state that %s changes is what it was before, after %s, want the effect", w.Tool, after)
}

// look reads the state until it is, or is not, what it was before: for as long as
// twenty usual answers take.
func (d *desk) look(w watched, wanted bool) (seen probe.State, same bool) {
	const looks, least = 10, 300 * time.Millisecond
	patience := min(max(20*d.client.Survey().RoundTrip, least), d.client.Waits().Event)
	for i := range looks {
		seen = d.client.Observe(w.ToolCall)
		if same = w.before.Same(seen); same == wanted || i == looks-1 {
			break
		}
		proposal.Pause(d.client, patience/looks)
	}
	return seen, same
}

// wantUntouched expects that nothing has happened. Something that comes late is not
// seen; it would be a false alarm to wait for it each time.
func (d *desk) wantUntouched(w watched, after string) error {
	seen := d.client.Observe(w.ToolCall)
	if w.before.Same(seen) {
		return nil
	}
	return d.said.And(seen).Violation("the state that %s changes has changed after %s, want no effect", w.Tool, after)
}

// wantRejected expects a refusal, with one of the codes where it has a record.
func (d *desk) wantRejected(r *probe.Reply, codes ...string) error {
	if err := proposal.WantDeclined(r); err != nil {
		return err
	}
	record, place, ok := proposal.Record(r)
	if !ok {
		return nil
	}
	if len(codes) > 0 && !slices.Contains(codes, fmt.Sprint(record["code"])) {
		d.client.Note(fmt.Sprintf("the record in %s has the code %s; %s says more", place, probe.Show(record["code"]),
			strings.Join(codes, " or ")))
	}
	if result, done := r.Result(); done && !r.ErrorFlag() && result["status"] != "failed" {
		return r.Violation("the record stands in %s of a result that is not marked as an error, want a JSON-RPC error or isError",
			place).AtMostWarn()
	}
	return nil
}
