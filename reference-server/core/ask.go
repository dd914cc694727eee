package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An Unanswered says why a question has no answer. A tool that returns it unchanged is
// answered as the revision wants it: with a result marked as an error, or, at
// 2026-07-28 and for an undeclared capability, with the error that names the
// capability.
type Unanswered struct {
	Why     string
	Lacking map[string]any // the capabilities that the client does not declare; nil for another cause
	Refusal *Error         // the error that the client answered with; nil for another cause
}

func (u *Unanswered) Error() string { return u.Why }

// refusal is the error for a client that does not declare the capabilities for a
// question.
func (u *Unanswered) refusal() *Error {
	return &Error{Code: MissingCapability, Message: u.Why, Data: map[string]any{"requiredCapabilities": u.Lacking}}
}

// Ask asks the client while its request is being served: the method is
// sampling/createMessage, roots/list, elicitation/create or, before 2026-07-28, ping.
// The answer is a result that fits the schema of the revision, and for an accepted
// form the requested schema too. Any other outcome is an Unanswered or an Error.
//
// Before 2026-07-28 Ask sends a request to where the server will send the answer to the
// served request, and waits. At 2026-07-28 nothing waits: the server answers the served
// request with a result that asks, and the client repeats the request together with its
// answer. Then the tool runs again from the start, and Ask returns the client's answers
// to the questions of the earlier runs. So a tool
//
//   - has its effects after its last question: the code before runs once for each
//     question, and perhaps the code after never runs;
//   - asks the same questions in the same order as long as the answers are the same:
//     an answer to another question is dropped;
//   - asks one question after the other, not in parallel, and returns on an error.
func (t *Turn) Ask(method string, params map[string]any) (json.RawMessage, error) {
	return t.AskWithin(0, method, params)
}

// AskWithin is Ask with a limit of its own for the wait; zero is the usual limit.
func (t *Turn) AskWithin(limit time.Duration, method string, params map[string]any) (json.RawMessage, error) {
	answers, err := askAll(t, limit, []Question{{Method: method, Params: params}})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// A Question is one of several that a request asks together.
type Question struct {
	Method string
	Params map[string]any
}

// AskTogether is Ask for several questions. At 2026-07-28 one result asks them all; before,
// one follows the other.
func AskTogether(t *Turn, each ...Question) ([]json.RawMessage, error) { return askAll(t, 0, each) }

func askAll(t *Turn, limit time.Duration, each []Question) ([]json.RawMessage, error) {
	all := make([]asking, len(each))
	for i, q := range each {
		all[i] = asking{turn: t, method: q.Method, limit: cmp.Or(limit, t.core.Patience)}
		if q.Params != nil {
			own, err := reread(q.Params) // hooks of faults write into sent params
			if err != nil {
				return nil, err
			}
			all[i].params, _ = own.(map[string]any)
		}
		if err := all[i].allowed(); err != nil {
			return nil, err
		}
	}
	if aside := t.Aside(); aside != nil {
		return askAside(aside, all)
	}
	if t.meta.modern && !t.core.Fault.Skips(fault.CheckInputRequest) {
		if t.rounds == nil {
			t.rounds = &rounds{turn: t}
		}
		return t.rounds.ask(all)
	}
	answers := make([]json.RawMessage, len(all))
	for i, a := range all {
		var err error
		if answers[i], err = a.askAndWait(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// An asking is one question that a request asks its client.
type asking struct {
	turn   *Turn
	method string
	params map[string]any // nil for none
	meta   map[string]any // metadata of the request
	limit  time.Duration  // of the wait for the answer
}

// request is the question without id and JSON-RPC version.
func (a asking) request() fault.Message {
	request := fault.Message{"method": a.method}
	if a.params != nil {
		request["params"] = a.params
	}
	return request
}

// offering is the request with a token under which the client may report its progress.
// Questions without params stay without them.
func (a asking) offering(token string) fault.Message {
	request := a.request()
	if a.params == nil || a.turn.meta.modern {
		return request
	}
	meta := map[string]any{"progressToken": token}
	maps.Copy(meta, a.meta)
	return request.With("params", map[string]any(fault.Message(a.params).With("_meta", meta)))
}

// allowed says why the server cannot ask the client the question; nil if it can.
func (a asking) allowed() error {
	t := a.turn
	switch since, known := askableSince(a.method); {
	case !known || t.Revision().Before(since) || (t.meta.modern && a.method == "ping"):
		return &Unanswered{Why: "a server cannot send " + a.method + " at this revision"}
	case t.meta.modern && !mayAskByResult(t.in.Method):
		return &Unanswered{Why: "a result of " + oneLine(t.in.Method) + " cannot ask"}
	case !t.meta.modern && a.method != "ping" && !t.conv.isReady():
		return &Unanswered{Why: "the client has not said that it is initialized"}
	}
	return t.Lacks(a.method, a.params)
}

// askableSince returns the first revision at which servers may send the method.
func askableSince(method string) (since requirements.Revision, known bool) {
	switch method {
	case "ping", "roots/list", "sampling/createMessage":
		return requirements.R20241105, true
	case "elicitation/create":
		return requirements.R20250618, true
	default:
		return "", false
	}
}

func mayAskByResult(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// lacking names the undeclared capabilities for a question.
func lacking(declared json.RawMessage, revision requirements.Revision, method string, params map[string]any) map[string]any {
	own := members(declared)
	none := map[string]any{}
	part := func(capability, name string) map[string]any {
		return map[string]any{capability: map[string]any{name: none}}
	}
	switch method {
	case "roots/list":
		if !isObject(own["roots"]) {
			return map[string]any{"roots": none}
		}
	case "sampling/createMessage":
		switch detailed := members(own["sampling"]); {
		case !isObject(own["sampling"]):
			return map[string]any{"sampling": none}
		case revision.Before(requirements.R20251125):
		case (params["tools"] != nil || params["toolChoice"] != nil) && !isObject(detailed["tools"]):
			return part("sampling", "tools")
		case params["includeContext"] != nil && params["includeContext"] != "none" && !isObject(detailed["context"]):
			return part("sampling", "context")
		}
	case "elicitation/create":
		switch modes := members(own["elicitation"]); {
		case !isObject(own["elicitation"]):
			return map[string]any{"elicitation": none}
		case revision.Before(requirements.R20251125):
		case params["mode"] == "url" && !isObject(modes["url"]):
			return part("elicitation", "url")
		case params["mode"] != "url" && !isObject(modes["form"]) && isObject(modes["url"]): // a client that declares no mode takes forms
			return part("elicitation", "form")
		}
	}
	return nil
}

// askAndWait sends the question as a request and waits for the answer.
func (a asking) askAndWait() (json.RawMessage, error) {
	t := a.turn
	if t.inOrder {
		// The transport would read the answer only after this request.
		return nil, &Unanswered{Why: "an answer to " + a.method + " cannot be awaited while " + oneLine(t.in.Method) + " is served"}
	}
	q := t.conv.questions.open(t.in.Principal)
	defer t.conv.questions.drop(q)
	t.send(a.offering(q.id).With("jsonrpc", "2.0").With("id", q.id))
	if t.conv.Alone {
		return nil, &Unanswered{Why: "an answer to " + a.method + " would be a message of its own"}
	}
	patience := time.NewTimer(a.limit)
	defer patience.Stop()
	select {
	case got, open := <-q.answer:
		if !open {
			return nil, &Unanswered{Why: "the client cannot answer any more"}
		}
		return a.read(got)
	case <-t.ctx.Done():
		return nil, &Unanswered{Why: "the request was stopped"}
	case <-patience.C:
		if !t.meta.modern {
			t.Notify("notifications/cancelled", map[string]any{"requestId": q.id, "reason": "the server waits no longer"})
		}
		return nil, &Unanswered{Why: fmt.Sprintf("the client did not answer %s within %s", a.method, a.limit)}
	}
}

// read returns the result of a response.
func (a asking) read(got reply) (json.RawMessage, error) {
	switch {
	case got.problem != "":
		return nil, &Unanswered{Why: "the answer to " + a.method + " cannot be read: " + got.problem}
	case got.refusal != nil:
		return nil, &Unanswered{Why: "the client refused " + a.method + ": " + oneLine(got.refusal.Message), Refusal: got.refusal}
	}
	if problem := a.misfit(got.result); problem != "" {
		return nil, &Unanswered{Why: "the answer to " + a.method + " cannot be used: " + problem}
	}
	return got.result, nil
}
