// Package progress holds the ways to break basic/utilities/progress.
package progress

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order. The server lacks the extension that adds
// to progress, and whose rules say the same of it.
func Faults() []fault.Fault {
	return []fault.Fault{{Without: []string{"progress", "streaming"}, Each: slices.Concat(tokens(), values(), asking())}}
}

const method = "notifications/progress"

// columns are those of faults that need several messages for one request.
func columns() []fault.Column {
	return slices.Concat(fault.OverStdio(requirements.R20251125, requirements.R20260728),
		fault.OverHTTP(requirements.R20251125, requirements.R20260728), fault.OverSSE(requirements.R20241105))
}

// tokens are faults that take one type for another.
func tokens() []fault.Fault {
	token := func(change func(token any) any) fault.Change {
		return fault.Told(method, func(_ fault.Exchange, params fault.Message) {
			params["progressToken"] = change(value(params["progressToken"]))
		})
	}
	return []fault.Fault{{Breaks: "progress-token-type-kept", Each: []fault.Fault{
		{
			Name: "progress-token-text", Title: "a token that is a number is a string in progress",
			Kills: []string{"progress/token-integer", "progress/token-zero"},
			Notify: token(func(token any) any {
				if n, ok := token.(float64); ok {
					return fmt.Sprintf("%.0f", n)
				}
				return token
			}),
		},
		{
			Name: "progress-token-number", Title: "a token that is a string of digits is a number in progress",
			Kills: []string{"progress/token-digits"},
			Notify: token(func(token any) any {
				if text, ok := token.(string); ok && text != "" && strings.Trim(text, "0123456789") == "" {
					return json.Number(text)
				}
				return token
			}),
		},
		{
			Name: "progress-token-integer-rejected", Title: "a call with a token that is a number is rejected",
			Kills: []string{"progress/token-integer", "progress/token-zero"},
			Inbound: fault.On("tools/call").And(func(x fault.Exchange) bool {
				_, ok := given(x).(float64)
				return ok
			}).Refuse(-32602, "progressToken is not a string"),
		},
		{
			Name: "progress-token-string-rejected", Title: "a call with a token that is a string is rejected",
			Kills:  []string{"progress/token-string", "progress/token-digits", "progress/token-empty"},
			Silent: []string{"ext-idempotency/repeat-progress-token"},
			Inbound: fault.On("tools/call").And(func(x fault.Exchange) bool {
				_, ok := given(x).(string)
				return ok
			}).Refuse(-32602, "progressToken is not a number"),
		},
		{
			Name: "progress-token-falsy", Title: "a token that is 0 or an empty string counts as none",
			Kills: []string{"progress/token-zero", "progress/token-empty"},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if none := given(x) == 0.0 || given(x) == ""; none && reports(m) {
					return nil
				}
				return []fault.Message{m}
			},
		},
	}}}
}

// given is the token of a request; nil for a request without one.
func given(x fault.Exchange) any {
	meta, _ := x.Param("_meta").(map[string]any)
	return meta["progressToken"]
}

// value reads what the server keeps as the text of the client.
func value(kept any) (read any) {
	if text, ok := kept.(json.RawMessage); ok && json.Unmarshal(text, &read) == nil {
		return read
	}
	return kept
}

// values are faults in what progress says.
func values() []fault.Fault {
	set := func(name string, to any) fault.Change { return fault.Set(method, "/params/"+name, to) }
	return []fault.Fault{
		{Breaks: "progress-increases", Each: []fault.Fault{
			{Name: "progress-stands", Title: "progress stays the same", Notify: set("progress", 1)},
			{
				Name: "progress-value-falls", Title: "progress counts down", Notify: fault.Told(method, func(_ fault.Exchange, params fault.Message) {
					if done, ok := params["progress"].(float64); ok {
						params["progress"] = 100 - done
					}
				}),
			},
		}},
		{Breaks: "progress-schema", Each: []fault.Fault{
			{Name: "progress-text", Title: "progress is a string", Notify: set("progress", "half of it")},
			{Name: "progress-absent", Title: "progress is missing", Notify: fault.Drop(method, "/params/progress")},
			{Name: "progress-total-text", Title: "the total is a string", Notify: set("total", "5 pages")},
			{Name: "progress-token-absent", Title: "progress has no token", Notify: fault.Drop(method, "/params/progressToken")},
			{
				Name: "progress-message-map", Title: "the message of progress is an object", Notify: set("message", map[string]any{"de": "halb"}),
				In: slices.Concat(fault.OverStdio(requirements.R20250326, requirements.R20260728), fault.OverHTTP(requirements.R20251125)),
			},
		}},
		{Breaks: "progress-message-readable", Each: []fault.Fault{
			{Name: "progress-message-blank", Title: "the message of progress is blank", Notify: set("message", " ")},
			{
				Name: "progress-message-written-out", Title: "the message of progress is an object written as a string",
				Notify: set("message", "[object Object]"),
			},
		}},
		{
			Name: "progress-after-answer", Title: "progress is reported once more after the answer", Breaks: "progress-stops-at-completion",
			Silent: []string{"progress/increases"},
			In:     columns(), Send: afterAnswer,
		},
		{
			Name: "progress-on-next-stream", Title: "the stream of a call brings progress of a call that was answered before",
			Breaks: "progress-stops-at-completion", May: []string{"http/stream-messages-related"},
			In: fault.OverHTTP(requirements.R20251125), Send: ofFirst(func(x fault.Exchange, m fault.Message) bool {
				_, ok := m.Result()
				return ok && x.Method == "tools/call"
			}),
		},
		{
			Name: "progress-on-get-stream", Title: "progress comes on the stream that GET opened, also that of a call that was answered before",
			Breaks: "progress-stops-at-completion", May: []string{"http/get-stream-messages-unrelated", "progress/increases"},
			In: fault.OverHTTP(requirements.R20251125), Send: ofFirst(func(_ fault.Exchange, m fault.Message) bool { return reports(m) }),
			HTTP: fault.HTTP{Route: func(_ fault.Exchange, m fault.Message) []fault.Stream {
				if reports(m) {
					return []fault.Stream{fault.Standing}
				}
				return nil
			}},
		},
		{
			Name: "progress-flood", Title: "progress under a number as token is reported for each of a thousand steps at once",
			Breaks: "progress-rate-limited",
			May:    []string{"tasks/progress-related", "tasks/progress-ends", "ping/during-slow-call"},
			In:     columns(), Send: inSteps,
		},
		{
			Breaks: "progress-server-token-unique", Silent: []string{"sampling/rejection-handled"},
			In: slices.Concat(fault.OverStdio(requirements.R20251125), fault.OverHTTP(requirements.R20251125)),
			Each: []fault.Fault{
				{Name: "progress-own-token-object", Title: "the token of a sampling request is an object", Notify: ownToken(map[string]any{"n": 1})},
				{Name: "progress-own-token-fraction", Title: "the token of a sampling request is a fraction", Notify: ownToken(0.5)},
			},
		},
	}
}

// afterAnswer reports to those that asked for progress. A call that is answered with a task may
// go on to report.
func afterAnswer(x fault.Exchange, m fault.Message) []fault.Message {
	result, _ := m.Result()
	_, task := result["task"]
	if _, notification := m["method"]; notification || task || given(x) == nil {
		return []fault.Message{m}
	}
	return []fault.Message{m, {"jsonrpc": "2.0", "method": method, "params": map[string]any{"progressToken": given(x), "progress": 1000}}}
}

func reports(m fault.Message) bool { return m["method"] == method }

// ofFirst reports to the first call of the conversation before some messages of later ones.
func ofFirst(before func(fault.Exchange, fault.Message) bool) func(fault.Exchange, fault.Message) []fault.Message {
	return func(x fault.Exchange, m fault.Message) []fault.Message {
		for _, a := range x.Past {
			var p struct {
				Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
			if json.Unmarshal(a.Params, &p) == nil && p.Meta.ProgressToken != nil && before(x, m) {
				params := map[string]any{"progressToken": p.Meta.ProgressToken, "progress": 1000 + len(x.Past)}
				return []fault.Message{{"jsonrpc": "2.0", "method": method, "params": params}, m}
			}
		}
		return []fault.Message{m}
	}
}

// inSteps divides the way to the first notification of a request whose token is a number.
func inSteps(_ fault.Exchange, m fault.Message) []fault.Message {
	const steps = 1000
	params, _ := m["params"].(map[string]any)
	done, ok := params["progress"].(float64)
	if _, number := value(params["progressToken"]).(float64); m["method"] != method || !number || !ok || done == 0 || done > 1 {
		return []fault.Message{m}
	}
	var all []fault.Message
	for i := range steps {
		all = append(all, fault.Message{"jsonrpc": "2.0", "method": method, "params": map[string]any{
			"progressToken": params["progressToken"], "progress": done - 1 + float64(i+1)/steps,
		}})
	}
	return all
}

const sampling = "sampling/createMessage"

// ownToken gives the questions of the server a token.
func ownToken(token any) fault.Change {
	return func(_ fault.Exchange, m fault.Message) {
		if m["method"] == sampling {
			params, _ := m["params"].(map[string]any)
			m["params"] = map[string]any(fault.Message(params).With("_meta", map[string]any{"progressToken": token}))
		}
	}
}

// asking are faults in whom progress is reported to.
func asking() []fault.Fault {
	return []fault.Fault{
		{
			Name: "progress-foreign-token", Title: "progress has a token that no client gave", Breaks: "progress-only-active-tokens",
			Notify: fault.Set(method, "/params/progressToken", "of-the-harbour"), May: []string{"lifecycle/interleaved"},
		},
		{
			Name: "progress-unasked", Title: "progress is reported under a made-up token to a client that gave none",
			Breaks: "progress-no-token-no-progress", Skip: []fault.Check{fault.CheckProgressToken},
		},
	}
}
