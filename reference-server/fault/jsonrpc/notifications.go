package jsonrpc

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// answerTo answers a notification of the method if it fits.
func answerTo(method string, fits func(fault.Exchange) bool, answer fault.Message) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		if x.Method != method || x.ID != nil || fits != nil && !fits(x) {
			return fault.Verdict{}
		}
		return fault.Verdict{Instead: true, Answer: []fault.Message{answer}}
	}
}

// unwelcomeError is the error that careless servers send for notifications.
func unwelcomeError() fault.Message {
	return fault.Message{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32601, "message": "unknown method"}}
}

// cancelsNothing recognizes a cancellation of a request that does not exist; other
// cancellations of the cases have wrong params.
func cancelsNothing(x fault.Exchange) bool { return x.Param("requestId") == float64(99999) }

func cancelsOddly(x fault.Exchange) bool {
	_, odd := x.Param("requestId").(map[string]any)
	return odd
}

// notifications are answers to notifications.
func notifications() []fault.Fault {
	newest := fault.OverStdio(requirements.R20251125)
	oldest := fault.OverStdio(requirements.R20241105)
	modern := fault.OverStdio(requirements.R20260728)
	progress := answerTo("notifications/progress", nil, unwelcomeError())
	return []fault.Fault{
		{Breaks: "jsonrpc-notification-no-response", Each: []fault.Fault{{
			Name: "jsonrpc-initialized-answered", Title: "notifications/initialized is answered with an empty result",
			Kills: []string{"jsonrpc/initialized-unanswered"}, May: []string{"jsonrpc/result-for-request"}, In: newest,
			Inbound: func(x fault.Exchange) fault.Verdict {
				if x.Method != "notifications/initialized" || x.ID != nil {
					return fault.Verdict{}
				}
				return fault.Verdict{Answer: []fault.Message{{"jsonrpc": "2.0", "id": 424299, "result": map[string]any{}}}} // no case uses this id
			},
		}, {
			Name: "jsonrpc-cancelled-answered", Title: "notifications/cancelled is answered when there is nothing to cancel",
			Kills: []string{"jsonrpc/cancelled-unanswered", "jsonrpc/cancelled-unanswered-on-stdio"},
			May:   []string{"jsonrpc/batch-notifications-only", "jsonrpc/batch-coverage"}, In: append(newest, modern...),
			Inbound: answerTo("notifications/cancelled", cancelsNothing, unwelcomeError()),
		}, {
			Name: "jsonrpc-progress-answered", Title: "notifications/progress is answered with an error",
			Kills: []string{"jsonrpc/progress-unanswered"}, In: newest, Inbound: progress,
		}}},
		{
			Name:   "jsonrpc-progress-answered-first",
			Title:  "notifications/progress is answered with an error in the first revision",
			Breaks: "jsonrpc-notification-no-response-2024", Kills: []string{"jsonrpc/progress-unanswered"}, In: oldest,
			Inbound: progress,
		}, {
			Name: "jsonrpc-served-without-id", Title: "a request method sent without an id is served",
			Breaks: "jsonrpc-notification-no-response", Kills: []string{"jsonrpc/request-method-without-id-unanswered"},
			In: modern,
			Inbound: answerTo("tools/list", nil,
				fault.Message{"jsonrpc": "2.0", "id": nil, "result": map[string]any{"resultType": "complete", "tools": []any{}}}),
		},
	}
}

// unknownNotifications are answers to notifications that the server does not know.
func unknownNotifications() []fault.Fault {
	newest := fault.OverStdio(requirements.R20251125)
	oldest := fault.OverStdio(requirements.R20241105)
	modern := fault.OverStdio(requirements.R20260728)
	unknown := answerTo("notifications/x-unknown", nil, unwelcomeError())
	return []fault.Fault{{
		Name: "jsonrpc-unknown-notification-answered", Title: "an unknown notification is answered with an error",
		Breaks: "jsonrpc-unknown-notification-silent",
		Kills:  []string{"jsonrpc/unknown-notification-unanswered", "jsonrpc/unknown-notification-unanswered-on-stdio"},
		In:     append(newest, modern...), Inbound: unknown,
	}, {
		Name:   "jsonrpc-unknown-notification-answered-first",
		Title:  "an unknown notification is answered with an error in the first revision",
		Breaks: "jsonrpc-unknown-notification-silent-2024", Kills: []string{"jsonrpc/unknown-notification-unanswered"},
		In: oldest, Inbound: unknown,
	}, {
		Name: "jsonrpc-malformed-notification-answered", Title: "a notification with invalid params is answered with an error",
		Breaks: "jsonrpc-unknown-notification-silent",
		Kills:  []string{"jsonrpc/malformed-notification-unanswered", "jsonrpc/malformed-notification-unanswered-on-stdio"},
		In:     append(newest, modern...), Inbound: answerTo("notifications/cancelled", cancelsOddly, unwelcomeError()),
	}}
}

// endings end the process after an invalid message of the client.
func endings() []fault.Fault {
	over := append(fault.OverStdio(requirements.R20251125), fault.OverStdio(requirements.R20260728)...)
	by := func(which func(fault.Exchange) bool) func(fault.Exchange) fault.Verdict {
		return fault.When(which).Exit(1)
	}
	return []fault.Fault{
		{Breaks: "jsonrpc-invalid-request", In: over, Each: []fault.Fault{{
			Name: "jsonrpc-odd-request-ends-process", Title: "an invalid request with an id ends the process",
			Kills: []string{"jsonrpc/invalid-request-version", "jsonrpc/invalid-request-without-method", "jsonrpc/invalid-request-numeric-method"},
			Inbound: by(func(x fault.Exchange) bool {
				return slices.Contains([]string{"900851", "900852", "900853"}, string(x.ID)) // the ids of the cases
			}),
		}, {
			Name: "jsonrpc-empty-object-ends-process", Title: "an empty object ends the process",
			Kills: []string{"jsonrpc/invalid-request-empty-object"},
			Stdio: fault.Stdio{Input: fault.EndsAt(func(line []byte) bool { return string(line) == "{}" })},
		}}},
		{
			Name: "jsonrpc-array-ends-process", Title: "an array of requests ends the process",
			Breaks: "jsonrpc-batch-rejected", In: over,
			Stdio: fault.Stdio{Input: fault.EndsAt(func(line []byte) bool { return bytes.HasPrefix(line, []byte("[{")) })},
		},
		{Breaks: "jsonrpc-unknown-notification-silent", In: over, Each: []fault.Fault{{
			Name: "jsonrpc-unknown-notification-ends-process", Title: "an unknown notification ends the process",
			Kills:   []string{"jsonrpc/unknown-notification-unanswered", "jsonrpc/unknown-notification-unanswered-on-stdio"},
			Inbound: by(func(x fault.Exchange) bool { return x.ID == nil && x.Method == "notifications/x-unknown" }),
		}, {
			Name:    "jsonrpc-odd-cancellation-ends-process",
			Title:   "notifications/cancelled with invalid params ends the process",
			Kills:   []string{"jsonrpc/malformed-notification-unanswered", "jsonrpc/malformed-notification-unanswered-on-stdio"},
			Inbound: by(func(x fault.Exchange) bool { return x.Method == "notifications/cancelled" && cancelsOddly(x) }),
		}}},
	}
}

// saysError reports whether the message is an error with the text.
func saysError(m fault.Message, text string) bool {
	failure, _ := m["error"].(map[string]any)
	return failure["message"] == text
}

// malformed are wrong answers to invalid requests.
func malformed() []fault.Fault {
	stdio := fault.OverStdio(requirements.R20260728)
	garbage := func(id any, code int) fault.Stdio {
		return fault.Stdio{Garbage: func() fault.Verdict {
			return fault.Verdict{Answer: []fault.Message{{"jsonrpc": "2.0", "id": id,
				"error": map[string]any{"code": code, "message": "no message"}}}}
		}}
	}
	return []fault.Fault{
		{
			Name: "jsonrpc-garbage-as-request", Title: "invalid JSON is answered with the error for an invalid request",
			Breaks: "jsonrpc-parse-error", In: stdio, Stdio: garbage(nil, -32600),
		},
		{Breaks: "jsonrpc-malformed-answer", Each: []fault.Fault{
			{Name: "jsonrpc-garbage-with-id", Title: "invalid JSON is answered with an error whose id is 0", In: stdio, Stdio: garbage(0, -32700)},
			{
				Name: "jsonrpc-garbage-as-page", Title: "invalid JSON is answered with a page in HTML and status 200",
				In: fault.OverHTTP(requirements.R20251125, requirements.R20260728),
				HTTP: fault.HTTP{Serve: fault.PageFor(func(body []byte) bool { return len(body) > 0 && !json.Valid(body) },
					http.StatusOK, "text/html", "<html>The harbour is closed.</html>")},
			},
		}},
		{Breaks: "jsonrpc-invalid-request", Each: []fault.Fault{{
			Name: "jsonrpc-numeric-method-unreadable", Title: "a request whose method is a number is rejected as invalid JSON",
			Kills: []string{"jsonrpc/invalid-request-numeric-method"}, In: fault.OverHTTP(requirements.R20251125),
			HTTP: fault.HTTP{Serve: fault.PageFor(func(body []byte) bool { return bytes.Contains(body, []byte(`"method":7`)) },
				http.StatusBadRequest, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`)},
		}, {
			Name: "jsonrpc-other-version-served", Title: "a request of JSON-RPC 1.0 is served",
			Kills: []string{"jsonrpc/invalid-request-version"}, Skip: []fault.Check{fault.CheckVersionMember},
		}, {
			Name: "jsonrpc-no-method-unknown", Title: "a message without a valid method is rejected as an unknown method",
			Kills: []string{"jsonrpc/invalid-request-without-method", "jsonrpc/invalid-request-numeric-method"}, In: stdio,
			Reply: onAnyError(func(_ fault.Exchange, failure fault.Message) {
				if failure["message"] == "method is not a non-empty string" {
					failure["code"] = -32601
				}
			}),
		}, {
			Name: "jsonrpc-empty-object-served", Title: "an empty object is answered with a result",
			Kills: []string{"jsonrpc/invalid-request-empty-object"}, In: stdio,
			Reply: func(x fault.Exchange, m fault.Message) {
				if x.Method == "" && x.ID == nil && saysError(m, `jsonrpc is not "2.0"`) {
					m.Become(fault.Message{"jsonrpc": "2.0", "id": nil, "result": map[string]any{}})
					return
				}
			},
		}}},
	}
}
