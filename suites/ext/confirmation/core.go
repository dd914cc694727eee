package confirmation

import (
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const elicitation = "elicitation/create"

// core are about servers that ask by elicitation, within their result. That is as good as the
// question of the proposal, and the rules of the protocol bind it.
func core() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, title, fix string
		run              func(d *desk) error
	}{
		{
			"core-declined", "a call whose elicitation the user declines does not run", "run the tool only when action is accept",
			refusedBy("decline"),
		},
		{
			"core-cancelled", "a call whose elicitation the user cancels does not run", "run the tool only when action is accept",
			refusedBy("cancel"),
		},
		{
			"core-altered", "a call with an altered requestState does not run",
			"sign requestState, and answer error -32602 when it does not verify", coreAltered,
		},
		{
			"core-undeclared", "a client that does not declare elicitation is not asked by one",
			"look at the capabilities of the client before you ask, and answer error -32021 without elicitation", coreUndeclared,
		},
	} {
		c := gated(row.slug, row.title, "ext-confirm-core-mapping", row.fix, func(d *desk) error {
			d.NotSeenIf(d.form != byForm, "the server does not ask by elicitation")
			return row.run(d)
		})
		c.Revisions = protocol.Stateless()
		cases = append(cases, c)
	}
	return cases
}

// eliciting is a desk of a client that can be asked by elicitation.
func eliciting(c *probe.Client) *desk {
	d := &desk{Bench: bench.New(c.With(c.Capabilities().With("elicitation", probe.Object{"form": probe.Object{}}))), form: byForm}
	d.ToolCall = d.Role(roles.Gated).Call()
	return d
}

// An elicited call is the last answer to a call whose elicitations were answered.
type elicited struct {
	*probe.Reply
	asked bool
}

// nobody is the action of a user who gives no answer. A server that waits for one is declined.
const nobody = ""

// elicit makes the call, and answers all that is asked with one action.
func (d *desk) elicit(action string) elicited {
	var asked atomic.Bool
	d.Answers(elicitation, func(r probe.Request) any {
		asked.Store(true)
		switch waits := protocol.HasHandshake(string(d.Revision())); {
		case action == nobody && waits:
			return answer(r.Params, "decline")
		case action == nobody:
			return nil
		}
		return answer(r.Params, action)
	})
	reply := d.MakeCall(bench.Call{Dialect: proposal.Bare})
	return elicited{reply, asked.Load()}
}

// answer fills a form in as somebody does who agrees.
func answer(params map[string]any, action string) probe.Object {
	content := probe.Object{}
	for name, value := range probe.ObjectOf(probe.ObjectOf(params["requestedSchema"])["properties"]) {
		field := probe.ObjectOf(value)
		choices, least := probe.ArrayOf(field["enum"]), field["minimum"]
		switch {
		case field["type"] == "boolean":
			content[name] = true
		case len(choices) > 0:
			content[name] = choices[0]
		case field["type"] == "string":
			content[name] = "confirmed by the kit"
		case least != nil:
			content[name] = least
		default:
			content[name] = 1
		}
	}
	if action != "accept" {
		return probe.Object{"action": action}
	}
	return probe.Object{"action": action, "content": content}
}

// A round is a result that asks, and what answers it.
type round struct {
	*probe.Reply
	state any // nil: there is none
}

// first is the call without an answer. What the server asks is left open.
func (d *desk) first() round {
	d.Answers(elicitation, func(probe.Request) any { return nil })
	reply := d.MakeCall(bench.Call{Dialect: proposal.Bare})
	kind, _ := reply.At("/result/resultType")
	d.NotSeenIf(kind != "input_required", "the call asks nothing: "+reply.Outcome())
	state, _ := reply.At("/result/requestState")
	return round{reply, state}
}

// accepted is what a repeat of the call carries that the user has agreed to.
func (r round) accepted() probe.Object {
	asked, _ := r.At("/result/inputRequests")
	answers := probe.Object{}
	for key, question := range probe.ObjectOf(asked) {
		answers[key] = answer(probe.ObjectOf(probe.ObjectOf(question)["params"]), "accept")
	}
	params := probe.Object{"inputResponses": answers}
	if r.state != nil {
		params["requestState"] = r.state
	}
	return params
}

// acceptedRuns is approvedRuns for a server that asks by elicitation.
func (d *desk) acceptedRuns() error {
	d.Earlier = d.Before(d.ToolCall)
	e := d.elicit("accept")
	d.NotSeenIf(!e.asked, "the call asks nothing this time: "+e.Outcome())
	if kind, _ := e.At("/result/resultType"); kind == "input_required" {
		return e.Violation("the answer to the call whose questions were answered asks again, want its result")
	}
	d.Must(proposal.WantDone(e.Reply))
	return d.ranOnce("the call whose questions were accepted")
}

func refusedBy(action string) func(d *desk) error {
	return func(d *desk) error {
		w := d.Watch(d.ToolCall)
		e := d.elicit(action)
		d.NotSeenIf(!e.asked, "the call asks nothing this time: "+e.Outcome())
		return d.WantNoEffect(w, "a call whose elicitation got the action "+action)
	}
}

// coreAltered changes one letter in the middle of the state.
func coreAltered(d *desk) error {
	r := d.first()
	state := []byte(probe.TextOf(r.state))
	d.NotSeenIf(len(state) == 0, "the result that asks has no requestState")
	middle := len(state) / 2
	if state[middle]++; state[middle] != 'b' && (state[middle] < '1' || state[middle] > '9') {
		state[middle] = 'a'
		if probe.TextOf(r.state)[middle] == 'a' {
			state[middle] = 'b'
		}
	}
	w := d.Watch(d.ToolCall)
	reply := d.MakeCall(bench.Call{Dialect: proposal.Bare, Params: r.accepted().With("requestState", string(state))})
	d.Must(d.WantNoEffect(w, "a call with an altered requestState"))
	if kind, _ := reply.At("/result/resultType"); kind == "input_required" || proposal.Declined(reply) {
		return nil
	}
	return d.Said.Violation("%s, want error -32602", reply.AnswerTo("a call with an altered requestState")).AtMostWarn()
}

// coreUndeclared calls as a client that declares everything but elicitation.
func coreUndeclared(d *desk) error {
	unable := d.Client.With(d.Capabilities().Without("elicitation"))
	reply := unable.CallTool(d.ToolCall, nil)
	asked, _ := reply.At("/result/inputRequests")
	for _, question := range probe.ObjectOf(asked) {
		if probe.ObjectOf(question)["method"] == elicitation {
			return reply.Violation("a client that does not declare elicitation is asked by elicitation/create, want error -32021")
		}
	}
	return nil
}

// formBound brings the state of a call to another. The protocol says that it should be bound,
// and not that it must.
func (d *desk) formBound(other *probe.ToolCall) error {
	r := d.first()
	d.NotSeenIf(r.state == nil, "the result that asks has no requestState")
	w := d.Watch(other)
	d.MakeCall(bench.Call{Tool: other, Dialect: proposal.Bare, Params: r.accepted()})
	return probe.AtMostWarn(d.WantNoEffect(w, "a call with the requestState for other arguments"))
}
