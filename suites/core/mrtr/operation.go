package mrtr

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// An operation is a request that is answered with questions before it is served.
type operation struct {
	client  *probe.Client // that can be asked for everything
	name    string        // for a sentence: "the tool of roles.input-required"
	method  string
	params  probe.Object
	answers map[string]any // by the key of the question, as the configuration has them
	mark    string         // part of each text that the kit answers with
}

// able is the client that can be asked for everything.
func able(c *probe.Client) *probe.Client {
	everything := c.Capabilities().With("sampling", probe.Object{"tools": probe.Object{}, "context": probe.Object{}})
	return c.With(everything.With("elicitation", probe.Object{"form": probe.Object{}, "url": probe.Object{}}).With("roots", probe.Object{}))
}

// tool is the operation of the role's own tool. All calls of one operation have the same
// arguments.
func tool(c *probe.Client) operation { return toolOf(c, c.Role(roles.InputRequired).Call()) }

func toolOf(c *probe.Client, call *probe.ToolCall) operation {
	answers, _ := c.Role(roles.InputRequired).Fields().Arguments("answers")
	return operation{
		client: able(c), name: "the tool of roles.input-required", method: "tools/call", params: call.Params(nil), answers: answers,
		mark: "kit-" + c.Nonce(),
	}
}

// prompt is the operation of the role's prompt, and resource that of its resource.
func prompt(c *probe.Client) operation {
	fields := c.Role(roles.InputRequired).Fields().At("prompt")
	params := probe.Object{"name": fields.Text("name")}
	if given, ok := fields.Arguments("arguments"); ok {
		expanded, err := roles.Call{Arguments: given}.Expand(roles.Vars{Nonce: c.Nonce()})
		c.Must(err)
		params["arguments"] = expanded.Arguments
	}
	return operation{client: able(c), name: "the prompt of roles.input-required", method: "prompts/get", params: params, mark: "kit-" +
		c.Nonce()}
}

func resource(c *probe.Client) operation {
	params := probe.Object{"uri": c.Role(roles.InputRequired).Fields().At("resource").Text("uri")}
	return operation{client: able(c), name: "the resource of roles.input-required", method: "resources/read", params: params, mark: "kit-" +
		c.Nonce()}
}

// on is the same operation of another client.
func (o operation) on(client *probe.Client) operation {
	o.client = client
	return o
}

// with is the same operation with other answers.
func (o operation) marked(mark string) operation {
	o.mark = mark
	return o
}

// answer answers a question. Its texts are long, so that much of a state consists of them.
func (o operation) answer(r probe.Request) any {
	if given, ok := o.answers[r.ID]; ok {
		if object := probe.ObjectOf(given); object != nil {
			return probe.Object(object)
		}
		return given
	}
	text := o.mark + "-who-loads-and-unloads-in-the-night-and-in-the-fog"
	switch r.Method {
	case questions.Sampling:
		return questions.Says(text)
	case questions.Roots:
		return probe.Object{"roots": []any{probe.Object{"uri": "file:///" + text, "name": "kit"}}}
	}
	form := probe.ObjectOf(r.Params["requestedSchema"])
	if form == nil {
		return probe.Object{"action": "accept"}
	}
	return probe.Object{"action": "accept", "content": questions.FillWith(form, text)}
}

// begin asks for the operation, and ends the case where it does not ask in return.
func (o operation) begin() *probe.Reply {
	reply := o.client.Call(o.method, o.params)
	o.client.NotSeenIf(!asks(reply), o.name+" does not ask: "+reply.Outcome())
	o.sound(reply)
	return reply
}

// sound ends the case where a result asks in a form that other cases judge.
func (o operation) sound(reply *probe.Reply) {
	state, given := reply.At(stateAt)
	_, text := state.(string)
	asked, asking := reply.At(requestsAt)
	o.client.NotSeenIf(given && !text || asking && probe.ObjectOf(asked) == nil, "a result that asks has another form than the schema")
	for _, each := range probe.ObjectOf(asked) {
		q := questions.Question{Asks: probe.TextOf(probe.ObjectOf(each)["method"])}
		o.client.NotSeenIf(!q.Known(), "a result that asks has another form than the schema")
	}
}

// asks reports whether a reply asks for input.
func asks(reply *probe.Reply) bool {
	kind, _ := reply.At(kindAt)
	return kind == protocol.InputRequired
}

// bring are the properties of a request that brings good answers to a reply.
func (o operation) bring(reply *probe.Reply) probe.Object {
	return questions.Retry(reply, questions.Responses(reply, o.answer))
}

// retry repeats the request with what it brings.
func (o operation) retry(beside probe.Object) *probe.Reply { return o.start(beside).Reply() }

func (o operation) start(beside probe.Object) *probe.Pending {
	params := maps.Clone(o.params)
	maps.Copy(params, beside)
	return o.client.Start(o.method, params)
}

// A run is an operation from the first request to its end.
type run struct {
	asked []*probe.Reply // the results that asked
	end   *probe.Reply
}

// whole goes through with the operation.
func (o operation) whole() run { return o.onward(o.begin()) }

// onward answers a reply, and each that asks again.
func (o operation) onward(reply *probe.Reply) run {
	r := run{end: reply}
	most := o.client.Waits().Rounds
	for asks(r.end) && len(r.asked) < most {
		o.sound(r.end)
		r.asked = append(r.asked, r.end)
		r.end = o.retry(o.bring(r.end))
	}
	o.client.NotSeenIf(asks(r.end), fmt.Sprintf("%s asks more than %d times, as often as limits.rounds allows", o.name, most))
	return r
}

// usual goes through with the operation twice, with two marks, and tells the outcome that
// both have in common. It ends the case where there is none.
func (o operation) usual() (first run, outcome questions.Shape) {
	first = o.whole()
	o.client.UndecideIf(!first.end.Succeeded(), o.name+" ends with "+first.end.Outcome())
	other := o.marked("kit-" + o.client.Nonce())
	second := other.whole()
	outcome = questions.Outcome(first.end, o.mark)
	o.client.UndecideIf(!second.end.Succeeded() || questions.Outcome(second.end, other.mark) != outcome ||
		len(first.asked) != len(second.asked),
		o.name+" has another outcome each time")
	return first, outcome
}

// last goes through with the operation up to the last result that asks, which is that of the
// given number.
func (o operation) last(rounds int) *probe.Reply {
	reply := o.begin()
	for range rounds - 1 {
		reply = o.retry(o.bring(reply))
		o.client.UndecideIf(!asks(reply), o.name+" asks less often than before: "+reply.Outcome())
		o.sound(reply)
	}
	return reply
}

// takes reports whether a reply is the usual outcome.
func (o operation) takes(reply *probe.Reply, usual questions.Shape) bool {
	return reply.Succeeded() && !asks(reply) && questions.Outcome(reply, o.mark) == usual
}

// stateful goes through with the operation, and ends the case unless its states make a
// difference: a server may send states that it never reads, and then it need not guard them.
func (o operation) stateful() (rounds int, usual questions.Shape) {
	first, usual := o.usual()
	rounds = len(first.asked)
	reply := o.last(rounds)
	_, given := reply.At(stateAt)
	o.client.NotSeenIf(!given, o.name+" asks without a requestState")
	made := o.retry(o.bring(reply).With("requestState", "made-up-"+o.client.Nonce()))
	o.client.NotSeenIf(o.takes(made, usual), o.name+" does not look at its requestState")
	return rounds, usual
}

// several are the keys of the questions of a reply, in order.
func keysOf(reply *probe.Reply) []string {
	asked, _ := reply.At(requestsAt)
	return slices.Sorted(maps.Keys(probe.ObjectOf(asked)))
}
