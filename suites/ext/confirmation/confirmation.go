// Package confirmation holds the cases of the confirmation proposal: a call that somebody
// would regret runs only when the user has agreed to this very call.
package confirmation

import (
	"errors"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// name is that of the extension in the catalogue.
const name = "confirmation"

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-confirmation",
		Title:     "a call that somebody would regret waits for the user",
		Extension: proposal.Extension(name),
		Cases:     slices.Concat(declared(), gates(), approvals(), tokens(), others(), core()),
	}
}

// gated is a case about calls of a tool that asks. That it asks at all is proved by
// gate-blocks: what comes after it would only say the same again.
func gated(slug, title string, rule requirements.ID, fix string, run func(d *desk) error, more ...suite.Need) suite.Case {
	needs := append([]suite.Need{suite.Role(roles.Gated, "observe"), suite.Claim(name)}, more...)
	c := bench.Case("ext-confirmation/"+slug, title, rule, fix, careful(bench.After(at, run)), needs...)
	return bench.Observing(roles.Gated, c)
}

// careful warns at most of a server that flags its tools and does not claim the extension by
// name: the text of the proposal binds the client to ask, and not the server.
func careful(run func(*probe.Client) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		if proposal.Explicit(c, name) {
			return run(c)
		}
		var verdict error
		stopped := c.Try(func() { verdict = run(c) })
		if broken := (*probe.Violation)(nil); errors.As(stopped, &broken) {
			return broken.AtMostWarn()
		} else if stopped != nil {
			c.Stop(stopped)
		}
		return probe.AtMostWarn(verdict)
	}
}

// A desk is where calls are made that wait for the user.
type desk struct {
	*bench.Bench
	form form
}

// A form is the way in which a server asks.
type form string

const (
	byRecord form = "record"      // by its answer, as in the proposal
	byForm   form = "elicitation" // by elicitation, as in the protocol itself
	byNone   form = "none"        // it does not ask, or refuses
)

// at learns once for the column how the server asks. A client that can be asked by
// elicitation is a new connection on most revisions, so that is tried last.
func at(c *probe.Client) *desk {
	learned := c.Learn("confirmation:form", func() string {
		d := &desk{Bench: bench.New(c)}
		d.ToolCall = c.Role(roles.Gated).Call()
		reply := d.MakeCall(bench.Call{Dialect: proposal.Bare})
		d.Permitted(d.ToolCall, reply)
		if _, asks := gateOf(c, reply, d.ToolCall.Tool); asks {
			return string(byRecord)
		}
		asked := false
		_ = c.Try(func() { asked = eliciting(c).elicit(nobody).asked }) // a server may refuse such a client
		if asked {
			return string(byForm)
		}
		return string(byNone)
	})
	d := &desk{Bench: bench.New(c), form: form(learned)}
	if d.form == byForm {
		d.Bench = eliciting(c).Bench
	}
	d.ToolCall = d.Role(roles.Gated).Call()
	return d
}

const noQuestion = "the call got no question with a record; ext-confirmation/gate-blocks judges whether there is a question, and " +
	"ext-confirmation/gate-shape its record"

// learn finds out where the server reads the consent of the user. What learning leaves behind
// is in the state before it is watched.
func (d *desk) learn() {
	d.NotSeenIf(d.form == byForm, "the server asks by elicitation, which has no token of the proposal")
	d.UndecideIf(d.form == byNone, noQuestion)
	d.Dialect = proposal.LearnDialect(d.Client, name, []proposal.Dialect{proposal.Beside, proposal.Within},
		func(dialect proposal.Dialect) (read, accepted bool) {
			reply := d.tried(dialect)
			_, again := gateOf(d.Client, reply, d.ToolCall.Tool)
			done := proposal.Done(reply)
			return done && !again, done
		})
	d.Dialect.NoteOlder(d.Client, "confirmations", map[proposal.Dialect]string{
		proposal.Beside: "params.user_confirmed",
		proposal.Within: "arguments.user_confirmed",
	}, "_meta.user_confirmed")
}

// tried is the answer to a call that is confirmed in a dialect.
func (d *desk) tried(dialect proposal.Dialect) *probe.Reply {
	call := d.Role(roles.Gated).Call()
	return d.MakeCall(bench.Call{Tool: call, Dialect: dialect, Values: d.ask(call).consent()})
}

// works ends a case that rests on confirmed calls being done, which approved-runs judges.
func (d *desk) works() {
	d.learn()
	works := d.Learn("confirmation:works", func() string {
		reply := d.tried(d.Dialect)
		if _, again := gateOf(d.Client, reply, d.ToolCall.Tool); again || !proposal.Done(reply) {
			return reply.Outcome()
		}
		return ""
	})
	d.UndecideIf(works != "", "a call that is confirmed is not done, which ext-confirmation/approved-runs judges: "+works)
}

// ask makes a call that nobody has confirmed.
func (d *desk) ask(call *probe.ToolCall) gate {
	reply := d.MakeCall(bench.Call{Tool: call, Dialect: proposal.Bare})
	d.Permitted(call, reply)
	g, asks := gateOf(d.Client, reply, call.Tool)
	d.UndecideIf(!asks, "the call of "+call.Tool+" got no question: "+reply.Outcome())
	return g
}

// issued is ask for a case about tokens.
func (d *desk) issued(call *probe.ToolCall) gate {
	g := d.ask(call)
	d.NotSeenIf(g.token() == "", "the server issues no confirmation_token, the form of the text of the proposal")
	return g
}

// send makes a call with properties of the extension.
func (d *desk) send(call *probe.ToolCall, values probe.Object) *probe.Reply {
	return d.MakeCall(bench.Call{Tool: call, Values: values})
}

// wantStopped expects that a call which was not confirmed has no effect, and that its answer
// says so.
func (d *desk) wantStopped(w bench.Watched, reply *probe.Reply, what string) error {
	if err := d.WantNoEffect(w, what); err != nil {
		return err
	}
	if _, asks := gateOf(d.Client, reply, w.Tool); asks || proposal.Declined(reply) {
		return nil
	}
	return d.Said.Violation("%s, want a refusal, or the question again", reply.AnswerTo(what)).AtMostWarn()
}
