package http

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// bodyHasMethod matches bodies that contain the method.
func bodyHasMethod(method string) func([]byte) bool {
	return func(body []byte) bool { return bytes.Contains(body, []byte(`"`+method+`"`)) }
}

// isResponse matches bodies that are results for requests that the server did not send: it
// calls its own question-1 and so on.
func isResponse(body []byte) bool {
	var m struct {
		ID     string          `json:"id"`
		Result json.RawMessage `json:"result"`
		Method string          `json:"method"`
	}
	return json.Unmarshal(body, &m) == nil && m.Result != nil && m.Method == "" && !strings.HasPrefix(m.ID, "question-")
}

func statusFaults() []fault.Fault {
	modern := fault.OverHTTP(requirements.R20260728)
	const progress, cancelled = "notifications/progress", "notifications/cancelled"
	return append(answerFaults(), []fault.Fault{
		answersItself("http-endpoint-refuses-post", "the endpoint answers POST of a notification with status 405",
			"http-single-endpoint", "http/single-endpoint", newest(),
			fault.PageFor(bodyHasMethod(progress), http.StatusMethodNotAllowed, "text/plain", "")),
		{
			Name:  "http-endpoint-refuses-request",
			Title: "the endpoint answers POST of a request with a string as id with status 405", Breaks: "http-single-endpoint",
			May: aboutTextIDs(), In: newest(),
			HTTP: fault.HTTP{Serve: fault.PageFor(func(body []byte) bool {
				return bytes.Contains(body, []byte(`"id":"`)) && bytes.Contains(body, []byte(`"method"`))
			}, http.StatusMethodNotAllowed, "text/plain", "")},
		},
		answersItself("http-notification-200", "an accepted notification gets status 200", "http-notification-202", "http/notification-accepted",
			newest(), fault.PageFor(bodyHasMethod(progress), http.StatusOK, "text/plain", "")),
		answersItself("http-notification-204", "an accepted notification gets status 204", "http-notification-202", "http/notification-accepted",
			fault.OverHTTP(requirements.R20250326), fault.PageFor(bodyHasMethod(progress), http.StatusNoContent, "text/plain", "")),
		answersItself("http-notification-with-body", "status 202 for a notification has a body",
			"http-notification-202", "http/notification-accepted",
			newest(), fault.PageFor(bodyHasMethod(progress), http.StatusAccepted, "text/plain", "Accepted")),
		answersItself("http-notification-200-stateless", "a notification gets status 200 in the era without handshakes", "http-notification-202",
			"http/notification-accepted-stateless", modern, fault.PageFor(bodyHasMethod(cancelled), http.StatusOK, "text/plain", "")),
		{
			Name: "http-notification-left-open", Title: "the POST of a notification about an unknown request is never answered",
			Breaks: "http-notification-202", Kills: []string{"http/notification-answered"}, In: newest(), Hangs: true,
			HTTP: fault.HTTP{Serve: leavingOpen(`"requestId":"kit-`)},
		}, {
			Name: "http-notification-left-open-stateless", Title: "the POST of a notification is never answered in the era without handshakes",
			Breaks: "http-notification-202", Kills: []string{"http/notification-accepted-stateless"}, In: modern, Hangs: true,
			HTTP: fault.HTTP{Serve: leavingOpen(`"` + cancelled + `"`)},
		},
		answersItself("http-response-200", "an accepted response of the client gets status 200", "http-response-202", "http/response-accepted",
			newest(), fault.PageFor(isResponse, http.StatusOK, "text/plain", "")),
		answersItself("http-response-with-body", "status 202 for a response of the client has a body",
			"http-response-202", "http/response-accepted",
			newest(), fault.PageFor(isResponse, http.StatusAccepted, "text/plain", "Accepted")),
		{
			Name:   "http-notification-error-200",
			Title:  "an error about a notification with invalid params comes with status 200",
			Breaks: "http-notification-refused-status", May: []string{"jsonrpc/malformed-notification-unanswered"},
			In: newest(),
			Inbound: func(x fault.Exchange) fault.Verdict {
				if _, odd := x.Param("requestId").(map[string]any); x.Method != cancelled || !odd {
					return fault.Verdict{}
				}
				return fault.Verdict{Instead: true, Answer: []fault.Message{{
					"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32602, "message": "requestId is an object"},
				}}}
			},
		},
	}...)
}

// leavingOpen holds each POST whose body has the text, until its client goes away.
func leavingOpen(text string) func(http.ResponseWriter, *http.Request) bool {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil || !bytes.Contains(body, []byte(text)) {
			return false
		}
		<-r.Context().Done()
		return true
	}
}

// answersItself is a fault that answers some requests in place of the server.
func answersItself(name, title string, breaks requirements.ID, kills string, in []fault.Column,
	serve func(http.ResponseWriter, *http.Request) bool) fault.Fault {
	return fault.Fault{
		Name: name, Title: title, Breaks: breaks, Kills: []string{kills}, In: in, HTTP: fault.HTTP{Serve: serve},
		May: []string{"jsonrpc/progress-unanswered"}, // the case sends messages that the watchers judge
	}
}

// textID matches requests with a string id, which the kit sends in some places.
func textID(x fault.Exchange) bool {
	return len(x.ID) > 0 && x.ID[0] == '"' && x.Tool() == "" // a stream may answer a call
}

// aboutTextIDs lists the cases that send a string id, and get no answer if this one is
// spoiled.
func aboutTextIDs() []string {
	return []string{
		"jsonrpc/string-and-integer-ids", "jsonrpc/id-text", "jsonrpc/id-long-text", "jsonrpc/id-empty-text", "jsonrpc/id-uuid",
		"jsonrpc/id-one-as-text", "jsonrpc/id-beyond-ascii", "jsonrpc/invalid-params-call-without-params", "http/session-isolation",
		"lifecycle/negotiated-version",
	}
}

// answerFaults spoil the answers to requests with a string id.
func answerFaults() []fault.Fault {
	spoiled := func(name, title string, breaks requirements.ID, kills string, body func([]byte) []byte, kind string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: breaks, Kills: []string{kills}, May: aboutTextIDs(), In: newest(),
			Bytes: func(x fault.Exchange, text []byte) []byte {
				if textID(x) {
					return body(text)
				}
				return text
			},
			HTTP: fault.HTTP{Head: func(x fault.Exchange, status int, header http.Header) int {
				if textID(x) {
					header.Set("Content-Type", kind)
				}
				return status
			}},
		}
	}
	same := func(text []byte) []byte { return text }
	const isJSON = "application/json"
	return []fault.Fault{
		spoiled("http-answer-as-text", "the answer to a request with a string as id is of the type text/plain",
			"http-request-response-type", "http/response-type", same, "text/plain"),
		spoiled("http-answer-in-array", "the answer to a request with a string as id stands in an array",
			"http-json-body-single-object", "http/json-single-object",
			func(text []byte) []byte { return append(append([]byte("["), text...), ']') }, isJSON),
		spoiled("http-answer-twice-in-a-body", "the answer to a request with a string as id stands in its body twice",
			"http-json-body-single-object", "http/json-single-object",
			func(text []byte) []byte { return append(text, text...) }, isJSON),
		spoiled("http-answer-with-log-line", "the answer to a request with a string as id has a second JSON object behind it",
			"http-json-body-single-object", "http/json-single-object",
			func(text []byte) []byte {
				line, err := json.Marshal(map[string]any{"level": "info", "message": "served"})
				if err != nil {
					return text
				}
				return append(append(text, '\n'), line...)
			}, isJSON),
	}
}
