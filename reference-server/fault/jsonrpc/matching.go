package jsonrpc

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// beforeTools sends a message before each list of tools.
func beforeTools(extra fault.Message) func(fault.Exchange, fault.Message) []fault.Message {
	return fault.On("tools/list").Before(extra)
}

func ownRequest(id, method string) fault.Message {
	return fault.Message{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method}
}

// asking are messages that the server sends without a request.
func asking() []fault.Fault {
	handshake := fault.OverStdio(requirements.R20251125)
	return []fault.Fault{
		{Breaks: "jsonrpc-server-notification-no-id", May: []string{"stdio/no-requests-on-stdout"}, In: handshake, Each: []fault.Fault{{
			Name: "jsonrpc-notification-with-id", Title: "a notification has an id",
			Send: beforeTools(ownRequest("5001", "notifications/tools/list_changed")),
		}, {
			Name: "jsonrpc-notification-with-null-id", Title: "a notification has the id null",
			Send: beforeTools(ownRequest("null", "notifications/tools/list_changed")),
		}}},
		{
			Name: "jsonrpc-own-id-fraction", Title: "the server numbers its own requests with fractions",
			Breaks: "jsonrpc-server-request-id-type",
			Kills:  []string{"jsonrpc/server-request-id-type", "jsonrpc/server-request-id-unique"}, In: handshake,
			Send: beforeTools(ownRequest("1.5", "ping")),
		}, {
			Name: "jsonrpc-own-id-null", Title: "the server's own requests have the id null",
			Breaks: "jsonrpc-server-request-id-not-null", In: handshake, Send: beforeTools(ownRequest("null", "ping")),
		}, {
			Name: "jsonrpc-own-id-again", Title: "the server's own requests all have one id",
			Breaks: "jsonrpc-server-request-id-unique", In: handshake, Send: beforeTools(ownRequest("7001", "ping")),
		},
	}
}

// modernAsking are requests of the server at a revision that forbids them.
func modernAsking() []fault.Fault {
	return []fault.Fault{
		{Breaks: "jsonrpc-no-server-requests", May: []string{"stdio/no-requests-on-stdout"}, Each: []fault.Fault{{
			Name: "jsonrpc-modern-ping", Title: "the server pings its client in a revision without server requests",
			Send: beforeTools(ownRequest("7001", "ping")),
		}, {
			Name:  "jsonrpc-modern-roots",
			Title: "the server sends roots/list to a client with roots, in a revision without server requests",
			Send: fault.On("tools/list").And(func(x fault.Exchange) bool {
				client, _ := fault.Meta(x.Params, "clientCapabilities").(map[string]any)
				return client["roots"] != nil
			}).Before(ownRequest(`"roots-1"`, "roots/list")),
		}}},
	}
}

// matching are surplus and missing answers.
func matching() []fault.Fault {
	return []fault.Fault{
		{Breaks: "jsonrpc-single-response", Each: []fault.Fault{{
			Name: "jsonrpc-answered-twice", Title: "every result but that of initialize is sent twice",
			Kills: []string{"jsonrpc/single-response"}, May: []string{"jsonrpc/batch-coverage", "http/stream-not-buffered"},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if _, ok := m.Result(); !ok || x.Method == "initialize" {
					return []fault.Message{m}
				}
				return []fault.Message{m, m}
			},
		}, {
			Name: "jsonrpc-error-after-result", Title: "a result is followed by an error for the same request",
			Kills: []string{"jsonrpc/single-response"}, May: []string{"jsonrpc/batch-coverage"},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if _, ok := m.Result(); !ok || x.Method != "tools/list" {
					return []fault.Message{m}
				}
				return []fault.Message{m, x.Refusal(-32603, "the connection was closed already")}
			},
		}, {
			Name: "jsonrpc-busy-drops", Title: "one of several concurrent requests is never answered",
			Kills: []string{"jsonrpc/all-answered"}, Hangs: true,
			Inbound: fault.When(func(x fault.Exchange) bool { return string(x.ID) == "900904" }).Hang(),
		}, {
			Name: "jsonrpc-busy-drops-list", Title: "a list asked for while another request is open is never answered",
			Kills: []string{"jsonrpc/all-answered"}, Hangs: true, In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Inbound: fault.When(func(x fault.Exchange) bool { return string(x.ID) == "900907" }).Hang(),
		}, {
			Name: "jsonrpc-busy-drops-call", Title: "of several calls at the same time the second is never answered",
			Kills: []string{"jsonrpc/all-answered"}, Hangs: true, In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Inbound: fault.When(func(x fault.Exchange) bool { return string(x.ID) == "900909" }).Hang(),
		}, {
			Name: "jsonrpc-busy-drops-later-call", Title: "of several calls at the same time the third is never answered",
			Kills: []string{"jsonrpc/all-answered"}, Hangs: true, In: fault.OverHTTP(requirements.R20251125, requirements.R20260728),
			Inbound: fault.When(func(x fault.Exchange) bool { return string(x.ID) == "900910" }).Hang(),
		}}},
		{
			Name: "jsonrpc-answers-swapped", Title: "two concurrent requests are answered with each other's ids",
			Breaks: "jsonrpc-response-id-echo", Kills: []string{"jsonrpc/all-answered"},
			May: []string{"schema/messages-valid", "jsonrpc/result-for-request"}, // an answer may come before the request whose id it has
			In:  fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Reply: relabelResults(func(id string) (string, bool) {
				swapped, yes := map[string]string{"900901": "900907", "900907": "900901"}[id] // the ids of the case
				return swapped, yes
			}),
		},
		{
			Name: "jsonrpc-stray-result", Title: "the server sends a result for a request that nobody made",
			Breaks: "jsonrpc-response-id-echo", Kills: []string{"jsonrpc/result-for-request"},
			May:  []string{"jsonrpc/batch-coverage"},
			Send: beforeTools(fault.Message{"jsonrpc": "2.0", "id": json.RawMessage("88001"), "result": map[string]any{"resultType": "complete"}}),
		}, {
			Name: "jsonrpc-stray-error", Title: "the server sends an error for a request that nobody made",
			Breaks: "jsonrpc-error-response-id-echo", Kills: []string{"jsonrpc/error-for-request"},
			May: []string{"jsonrpc/batch-coverage"},
			Send: beforeTools(fault.Message{"jsonrpc": "2.0", "id": json.RawMessage("88002"),
				"error": map[string]any{"code": -32603, "message": "the tide table is out of date"}}),
		},
	}
}

// resultTypes are missing or wrong resultType members.
func resultTypes() []fault.Fault {
	stdio := fault.OverStdio(requirements.R20260728)
	label := func(kind any) fault.Change {
		return onFifthPing(func(m fault.Message) fault.Message {
			m.Object("result")["resultType"] = kind
			return m
		})
	}
	return []fault.Fault{
		{Breaks: "jsonrpc-result-type-present", In: stdio, Each: []fault.Fault{
			{
				Name: "jsonrpc-result-type-missing", Title: "a result sometimes has no resultType",
				Reply: onFifthPing(func(m fault.Message) fault.Message {
					delete(m.Object("result"), "resultType")
					return m
				}),
			},
			{Name: "jsonrpc-result-type-number", Title: "resultType is sometimes a number", Reply: label(1)},
		}},
		{Breaks: "jsonrpc-result-type-known", In: stdio, Each: []fault.Fault{
			{Name: "jsonrpc-result-type-own", Title: "resultType is sometimes a value that nobody has defined", Reply: label("done")},
			{
				Name:  "jsonrpc-result-type-task",
				Title: "resultType is sometimes that of an extension the client did not declare",
				May:   []string{"tasks/ext-type-only-handle"}, Reply: label("task"),
			},
		}},
		{
			Name: "jsonrpc-result-type-incomplete", Title: "a complete result sometimes says that input is required",
			Breaks: "jsonrpc-result-type-complete", In: stdio, Reply: label("input_required"),
		},
	}
}
