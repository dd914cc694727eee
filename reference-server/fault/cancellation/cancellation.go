// Package cancellation holds the ways to break basic/utilities/cancellation.
package cancellation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	method = "notifications/cancelled"
	slow   = "export_log"
	listen = "subscriptions/listen"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(work(), ignored(), server(), disconnected())
}

// columns are those in which a notification cancels a request.
func columns() []fault.Column {
	return slices.Concat(fault.OverStdio(requirements.R20251125, requirements.R20260728), fault.OverHTTP(requirements.R20251125))
}

func stdio() []fault.Column { return fault.OverStdio(requirements.R20251125, requirements.R20260728) }

// work are faults in what becomes of a cancelled call.
func work() []fault.Fault {
	subscribed := []string{"resources/listen-cancel-stops"}
	return []fault.Fault{
		{
			Name: "cancellation-work-goes-on", Title: "a cancelled call is not answered, and has its effect all the same",
			Breaks: "cancellation-stops-work", Kills: []string{"cancellation/stops-work"},
			In: columns(), Skip: []fault.Check{fault.CheckCancelWork},
		},
		{
			Name: "cancellation-pool-exhausted", Title: "no call is served after twenty were cancelled", Breaks: "cancellation-frees-resources",
			In: stdio(),
			Inbound: fault.Tool(slow).And(func(x fault.Exchange) bool { return len(cancelled(x)) > 20 }).
				Refuse(-32603, "all places are taken"),
		},
		{
			Name: "cancellation-answered", Title: "a cancelled call is answered that it was stopped", Breaks: "cancellation-no-response",
			Kills: []string{"cancellation/no-response"}, May: subscribed, In: columns(), Skip: []fault.Check{fault.CheckCancelSilent},
		},
		{
			Name: "cancellation-answered-as-done", Title: "a cancelled call is answered at once with a result like any other",
			Breaks: "cancellation-no-response", Kills: []string{"cancellation/no-response"}, May: subscribed, In: columns(),
			Skip:  []fault.Check{fault.CheckCancelSilent},
			Reply: doneInPlaceOfStopped,
		},
		{
			Name: "cancellation-of-falsy-ids-ignored", Title: "a cancellation of a request whose id is 0 or an empty string is ignored",
			Breaks: "cancellation-no-response", Kills: []string{"cancellation/zero-no-response"}, In: stdio(),
			Inbound: fault.On(method).And(func(x fault.Exchange) bool {
				id := string(named(x.Params))
				return id == "0" || id == `""`
			}).Verdict(func(fault.Exchange) fault.Verdict { return fault.Verdict{Instead: true} }),
		},
		{
			Name: "cancellation-of-text-ids-ignored", Title: "a cancellation of a request whose id is a string is ignored",
			Breaks: "cancellation-no-response", In: columns(), Skip: []fault.Check{fault.CheckCancelText},
			Kills: []string{"cancellation/no-response"},
		},
		{
			Name: "cancellation-reported-on", Title: "the progress of a cancelled call is reported until the work is done",
			Breaks: "cancellation-stops-work", Kills: []string{"cancellation/no-response"}, May: []string{"cancellation/stops-work"},
			In:   slices.Concat(fault.OverStdio(requirements.R20241105, requirements.R20251125), fault.OverHTTP(requirements.R20251125)),
			Skip: []fault.Check{fault.CheckCancelWork, fault.CheckCancelTalk},
		},
		{
			Name: "cancellation-progress-goes-on", Title: "a cancelled call is not answered, and its progress is reported all the same",
			Breaks: "cancellation-stdio-silent-afterwards", In: stdio()[1:],
			May:  []string{"cancellation/stops-work", "resources/listen-cancel-stops"}, // its subscriptions go on as well
			Skip: []fault.Check{fault.CheckCancelWork, fault.CheckCancelTalk},
		},
	}
}

// doneInPlaceOfStopped makes an empty result of the error that a call of the tool ends with.
func doneInPlaceOfStopped(x fault.Exchange, m fault.Message) {
	if result, ok := m.Result(); ok && x.Tool() == slow && result["isError"] == true {
		delete(result, "isError")
		result["content"] = []any{}
	}
}

// cancelled are the ids that were cancelled so far.
func cancelled(x fault.Exchange) []string {
	var ids []string
	for _, asked := range x.Past {
		if id := named(asked.Params); asked.Method == method && id != nil {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// named is the request id of a cancellation.
func named(params json.RawMessage) json.RawMessage {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return nil
	}
	return p.RequestID
}

// asked is where a request stands among those before a message; -1 for no such request.
func asked(x fault.Exchange) int {
	id := named(x.Params)
	return slices.IndexFunc(x.Past, func(a fault.Asked) bool { return id != nil && a.ID != nil && string(a.ID) == string(id) })
}

// ignored are servers that die of a cancellation.
func ignored() []fault.Fault {
	dies := func(name, title string, breaks requirements.ID, which func(x fault.Exchange) bool) fault.Fault {
		return fault.Fault{
			Name: "cancellation-" + name, Title: title, Breaks: breaks, In: stdio(), Inbound: fault.On(method).And(which).Exit(1),
		}
	}
	text := func(x fault.Exchange) bool { id := named(x.Params); return len(id) > 0 && id[0] == '"' }
	malformed := func(slug, title string, which func(x fault.Exchange) bool) fault.Fault {
		f := dies(slug+"-kills", title, "cancellation-malformed-ignored", which)
		f.Kills = []string{"cancellation/" + slug + "-ignored"}
		return f
	}
	unknown := dies("unknown-kills", "a cancellation of an unknown request ends the process", "cancellation-unknown-id-ignored",
		func(x fault.Exchange) bool { return asked(x) < 0 && text(x) })
	unknown.Kills = []string{"cancellation/unknown-id-ignored"}
	return []fault.Fault{
		unknown,
		dies("finished-kills", "a cancellation of an answered request ends the process", "cancellation-finished-id-ignored",
			func(x fault.Exchange) bool {
				at := asked(x)
				return at >= 0 && at < len(x.Past)-1 && short(x.Past[at].Method)
			}),
		{
			Name: "cancellation-unknown-cancels-all", Title: "a cancellation of an unknown request cancels all requests",
			Breaks: "cancellation-unknown-id-ignored", In: columns(), Skip: []fault.Check{fault.CheckCancelUnknown},
			Kills: []string{"cancellation/unknown-id-spares-calls"},
		},
		{
			Name: "cancellation-unnamed-cancels-all", Title: "a cancellation without a request id cancels all requests",
			Breaks: "cancellation-malformed-ignored", In: columns(), Skip: []fault.Check{fault.CheckCancelUnnamed},
			Kills: []string{"cancellation/malformed-spares-calls"},
		},
		{
			Name: "cancellation-cancels-all", Title: "a cancellation of one request cancels all requests of its client",
			Breaks: "jsonrpc-single-response", In: columns(), Skip: []fault.Check{fault.CheckCancelOthers},
			Kills: []string{"cancellation/one-call-only"},
		},
		{
			Name: "cancellation-cancels-all-sessions", Title: "a cancellation cancels the requests of all sessions that have the id",
			Breaks: "jsonrpc-ids-scoped-to-sender", In: fault.OverHTTP(requirements.R20251125), Skip: []fault.Check{fault.CheckCancelForeign},
			Kills: []string{"cancellation/foreign-spares-calls"},
		},
		{
			Name: "cancellation-finished-answered", Title: "a cancellation of an answered request is answered once more",
			Breaks: "cancellation-finished-id-ignored",
			In:     stdio(), May: []string{"jsonrpc/single-response", "cancellation/race-safe"},
			Inbound: fault.On(method).Verdict(func(x fault.Exchange) fault.Verdict {
				at := asked(x)
				if at < 0 || !short(x.Past[at].Method) {
					return fault.Verdict{}
				}
				return fault.Verdict{Instead: true, Answer: []fault.Message{{
					"jsonrpc": "2.0", "id": x.Past[at].ID, "error": map[string]any{"code": -32800, "message": "cancelled"},
				}}}
			}),
		},
		malformed("no-params", "a cancellation without params ends the process", func(x fault.Exchange) bool { return len(x.Params) == 0 }),
		malformed("no-id", "a cancellation without a request id ends the process", func(x fault.Exchange) bool {
			return len(x.Params) > 0 && x.Param("requestId") == nil && !strings.Contains(string(x.Params), "requestId")
		}),
		malformed("null-id", "a cancellation whose request id is null ends the process",
			func(x fault.Exchange) bool { return string(named(x.Params)) == "null" }),
		malformed("array-id", "a cancellation whose request id is an array ends the process", func(x fault.Exchange) bool {
			id := named(x.Params)
			return len(id) > 0 && id[0] == '['
		}),
		dies("race-kills", "a cancellation right behind a short request ends the process", "cancellation-race-safe", func(x fault.Exchange) bool {
			at := asked(x)
			return at >= 0 && at == len(x.Past)-1 && short(x.Past[at].Method)
		}),
	}
}

// short says whether requests of the method are answered at once.
func short(of string) bool { return strings.HasSuffix(of, "/list") }

// server are faults in what the server cancels itself.
func server() []fault.Fault {
	cancels := func(id any) fault.Message {
		return fault.Message{"jsonrpc": "2.0", "method": method, "params": map[string]any{"requestId": id}}
	}
	return []fault.Fault{
		{
			Name: "cancellation-foreign", Title: "the server cancels a request of the client", Breaks: "cancellation-server-sent-valid",
			In: fault.OverStdio(requirements.R20241105, requirements.R20251125),
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if m["method"] != nil || x.Method != "tools/list" {
					return []fault.Message{m}
				}
				return []fault.Message{cancels(x.ID), m}
			},
		},
		{
			Name: "cancellation-foreign-on-get-stream", Title: "the server cancels calls of the client on the stream that GET opens",
			Breaks: "cancellation-server-sent-valid", In: fault.OverHTTP(requirements.R20251125),
			May: []string{"http/get-stream-messages-unrelated"}, // it opens such a stream
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if _, ok := m.Result(); !ok || x.Method != "tools/call" {
					return []fault.Message{m}
				}
				return []fault.Message{cancels(x.ID), m}
			},
			HTTP: fault.HTTP{Route: func(_ fault.Exchange, m fault.Message) []fault.Stream {
				if m["method"] == method {
					return []fault.Stream{fault.Standing}
				}
				return nil
			}},
		},
		{
			Name: "cancellation-late-response-answered", Title: "a response that comes too late is answered with an error",
			Breaks: "cancellation-server-ignores-late-response", In: fault.OverStdio(requirements.R20251125),
			Skip: []fault.Check{fault.CheckLateResponse},
		},
		{
			Name: "cancellation-calls", Title: "the server cancels calls that it answers", Breaks: "cancellation-server-only-listen",
			In: append(fault.OverStdio(requirements.R20260728), fault.OverHTTP(requirements.R20260728)...),
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if m["result"] == nil || x.Tool() == "" {
					return []fault.Message{m}
				}
				return []fault.Message{cancels(x.ID), m}
			},
		},
		{
			Name: "cancellation-subscription-lost", Title: "a subscription ends in silence", Breaks: "cancellation-server-ends-listen",
			In: fault.OverStdio(requirements.R20260728),
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if x.Method == listen && (m["result"] != nil || m["method"] == method) {
					return nil
				}
				return []fault.Message{m}
			},
		},
	}
}

// disconnected are faults in what the end of a stream means.
func disconnected() []fault.Fault {
	return []fault.Fault{{In: fault.OverHTTP(requirements.R20260728), Each: []fault.Fault{
		{
			Name: "cancellation-disconnect-ignored", Title: "a call continues when its stream is closed", Breaks: "cancellation-http-disconnect",
			Skip: []fault.Check{fault.CheckDisconnect},
		},
		{
			Name: "cancellation-disconnect-elsewhere", Title: "what a call reports after its stream was closed comes on the streams of others",
			Breaks: "cancellation-http-silent-afterwards",
			May: []string{
				"cancellation/disconnect-stops-work", "ext-streaming/joins", "ext-streaming/resume-continues", "ext-streaming/resume-no-double-effect",
			},
			Silent: []string{"progress/known-token", "progress/unasked"},
			HTTP:   fault.HTTP{MovesLost: true},
		},
		{
			Name: "cancellation-disconnect-ends-all", Title: "closing the stream of one request cancels all", Breaks: "cancellation-http-scoped",
			May: []string{
				"http/stream-response-arrives", "resources/listen-stays-open", "ext-streaming/not-forced",
				"cancellation/foreign-spares-calls", "tools/read-only-tools-answer", "tools/slow-tool-answers",
			},
			HTTP: fault.HTTP{CancelsAll: true},
		},
	}}}
}
