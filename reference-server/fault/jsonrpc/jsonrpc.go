// Package jsonrpc holds the ways to break JSON-RPC itself: the form of messages, their ids and their answers.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(
		forms(), doubled(), results(), errors(), codes(), encodings(),
		ids(), numbers(), idUses(),
		asking(), modernAsking(), matching(), resultTypes(),
		notifications(), unknownNotifications(), malformed(), endings(),
		batches(), oddBatches(),
	)
}

// onFifthPing changes the fifth answer to ping on a stdio connection: no case depends
// on that answer.
func onFifthPing(change func(m fault.Message) fault.Message) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		_, ok := m.Result()
		harmless := x.Method == "ping" || x.Method == "server/discover"
		if ok && harmless && x.Nth == 5 && x.Transport == requirements.Stdio {
			m.Become(change(m))
		}
	}
}

// forms are messages that break the form of JSON-RPC.
func forms() []fault.Fault {
	newest := fault.OverStdio(requirements.R20260728)
	return []fault.Fault{
		{Breaks: "jsonrpc-version-member", In: newest, Each: []fault.Fault{{
			Name: "jsonrpc-version-number", Title: "jsonrpc is sometimes the number 2.0",
			Reply: onFifthPing(func(m fault.Message) fault.Message { return m.With("jsonrpc", json.RawMessage("2.0")) }),
		}, {
			Name: "jsonrpc-version-missing-on-errors", Title: "errors have no jsonrpc property",
			Reply: func(_ fault.Exchange, m fault.Message) {
				if _, failed := m["error"]; failed {
					delete(m, "jsonrpc")
				}
			},
		}}},
	}
}

// doubled are messages with a duplicate property.
func doubled() []fault.Fault {
	newest := fault.OverStdio(requirements.R20251125, requirements.R20260728)
	twice := func(property, text string) func(fault.Exchange, []byte) []byte {
		return func(x fault.Exchange, out []byte) []byte {
			if x.Method != "tools/list" {
				return out
			}
			return bytes.Replace(out, []byte(property), []byte(text+property), 1)
		}
	}
	return []fault.Fault{{
		Name: "jsonrpc-id-twice", Title: "the id stands twice in a response, first as null",
		Breaks: "jsonrpc-envelope-unambiguous", In: newest, Bytes: twice(`"id":`, `"id":null,`),
	}, {
		Name: "jsonrpc-property-twice", Title: "a property of a result stands twice", Breaks: "jsonrpc-property-names-unique",
		In: newest, Bytes: twice(`"inputSchema":`, `"inputSchema":{"type":"object"},`),
	}}
}

// results are responses with too many or too few properties, or with a property that
// should be an object.
func results() []fault.Fault {
	newest := fault.OverStdio(requirements.R20260728)
	return []fault.Fault{
		{Breaks: "jsonrpc-result-xor-error", Each: []fault.Fault{{
			Name: "jsonrpc-result-beside-error", Title: "errors also have a result, which is null",
			Reply: func(_ fault.Exchange, m fault.Message) {
				if _, failed := m["error"]; failed {
					m["result"] = nil
				}
			},
		}, {
			Name: "jsonrpc-error-null-beside-result", Title: "every result comes with an error, which is null",
			Reply: func(_ fault.Exchange, m fault.Message) {
				if _, served := m["result"]; served {
					m["error"] = nil
				}
			},
		}, {
			Name: "jsonrpc-answer-empty", Title: "a response sometimes has neither result nor error",
			In: newest,
			Reply: func(x fault.Exchange, m fault.Message) {
				if string(x.ID) == "900904" { // one of several parallel requests
					delete(m, "result")
				}
			},
		}}},
		{Breaks: "jsonrpc-result-is-object", In: newest, Each: []fault.Fault{{
			Name: "jsonrpc-result-null", Title: "a result is sometimes null",
			Reply: onFifthPing(func(m fault.Message) fault.Message { return m.With("result", nil) }),
		}, {
			Name: "jsonrpc-result-true", Title: "a result is sometimes true",
			Reply: onFifthPing(func(m fault.Message) fault.Message { return m.With("result", true) }),
		}}},
	}
}

// errors are errors with a wrong form or code.
func errors() []fault.Fault {
	return []fault.Fault{
		{Breaks: "jsonrpc-error-object-shape", May: []string{"ext-structured-errors/plain-client-reads-error"}, Each: []fault.Fault{{
			Name: "jsonrpc-error-without-message", Title: "errors have a code and no message",
			Reply: onAnyError(func(_ fault.Exchange, failure fault.Message) { delete(failure, "message") }),
		}, {
			Name: "jsonrpc-error-message-object", Title: "the message of an error is an object",
			Reply: onAnyError(func(_ fault.Exchange, failure fault.Message) {
				failure["message"] = map[string]any{"text": failure["message"]}
			}),
		}}},
		{
			Name: "jsonrpc-error-code-text", Title: "the error code for an invalid request is a string",
			Breaks: "jsonrpc-error-code-integer", May: []string{"jsonrpc/batch-empty-array", "jsonrpc/batch-invalid-members"},
			Reply: onAnyError(func(x fault.Exchange, failure fault.Message) {
				if x.ID == nil && failure["code"] == -32600 {
					failure["code"] = "-32600"
				}
			}),
		},
	}
}

// codes are errors with a wrong code.
func codes() []fault.Fault {
	return []fault.Fault{{
		Name: "jsonrpc-unknown-method-as-params", Title: "an unknown method is rejected as invalid params",
		Breaks: "jsonrpc-method-not-found",
		Reply: onAnyError(func(x fault.Exchange, failure fault.Message) {
			if x.Method == "no/such_method" {
				failure["code"] = -32602
			}
		}),
	}, {
		Name: "jsonrpc-unknown-method-served", Title: "an unknown method gets an empty result",
		Breaks: "jsonrpc-unknown-method-refused",
		May:    []string{"errors/removed-ping", "errors/removed-set-level", "errors/removed-subscribe", "errors/removed-unsubscribe"},
		Skip:   []fault.Check{fault.CheckMethod},
	}, {
		Name: "jsonrpc-unknown-method-hangs", Title: "a request for an unknown method is never answered",
		Breaks: "jsonrpc-single-response", Kills: []string{"jsonrpc/method-not-found"}, Hangs: true,
		Inbound: fault.On("no/such_method").Hang(),
	}, {
		Name: "jsonrpc-params-absent-internal", Title: "tools/call without params is an internal error",
		Breaks: "jsonrpc-invalid-params", Kills: []string{"jsonrpc/invalid-params-call-without-params"},
		In: fault.OverStdio(requirements.R20251125),
		Reply: onAnyError(func(x fault.Exchange, failure fault.Message) {
			if x.Method == "tools/call" && x.Params == nil {
				failure["code"] = -32603
			}
		}),
	}, {
		Name: "jsonrpc-bad-params-internal", Title: "a missing parameter is an internal error",
		Breaks: "jsonrpc-invalid-params",
		Kills: []string{
			"jsonrpc/invalid-params-call-without-name", "jsonrpc/invalid-params-read-without-uri",
			"jsonrpc/invalid-params-get-without-name", "jsonrpc/invalid-params-complete-without-ref",
		},
		May: []string{"jsonrpc/invalid-params-call-without-params"},
		Reply: onAnyError(func(x fault.Exchange, failure fault.Message) {
			missing := map[string]string{
				"tools/call": "name", "resources/read": "uri", "prompts/get": "name", "completion/complete": "ref",
			}[x.Method]
			if missing != "" && x.Param(missing) == nil {
				failure["code"] = -32603
			}
		}),
	}, {
		Name: "jsonrpc-internal-as-params", Title: "an internal error is reported as invalid params",
		Breaks: "jsonrpc-internal-error",
		May: []string{"resources/internal-error", "prompts/internal-error", "completion/internal-error", "logging/request-failure",
			"tasks/ext-internal-error"},
		Reply: onAnyError(func(_ fault.Exchange, failure fault.Message) {
			if failure["code"] == -32603 {
				failure["code"] = -32602
			}
		}),
	}}
}

// encodings are messages that are not plain UTF-8.
func encodings() []fault.Fault {
	return []fault.Fault{
		{Name: "jsonrpc-latin-1", Title: "an error that repeats a name is written in Latin-1", Breaks: "jsonrpc-utf8", Bytes: inLatin1},
		{
			Name: "jsonrpc-byte-order-mark", Title: "tools/list responses begin with a byte order mark", Breaks: "jsonrpc-utf8",
			Kills: []string{"jsonrpc/utf8"},
			Bytes: func(x fault.Exchange, text []byte) []byte {
				if x.Method != "tools/list" {
					return text
				}
				return append([]byte("\xef\xbb\xbf"), text...)
			},
		},
	}
}
