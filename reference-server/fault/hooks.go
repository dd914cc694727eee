package fault

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// OverStdio returns the columns of faults that need a conversation, or an answer of
// more than one message.
func OverStdio(revisions ...requirements.Revision) []Column {
	return columns(requirements.Stdio, revisions)
}

// OverHTTP returns the columns of faults that concern several connections, or headers.
func OverHTTP(revisions ...requirements.Revision) []Column {
	return columns(requirements.HTTP, revisions)
}

// OverSSE returns columns over HTTP+SSE.
func OverSSE(revisions ...requirements.Revision) []Column {
	return columns(requirements.SSE, revisions)
}

func columns(transport requirements.Transport, revisions []requirements.Revision) []Column {
	all := make([]Column, len(revisions))
	for i, r := range revisions {
		all[i] = Column{Revision: r, Transport: transport}
	}
	return all
}

// A Change changes a message in place, just before it is sent.
type Change func(x Exchange, m Message)

// Changes joins several changes into one, in this order.
func Changes(each ...Change) Change {
	return func(x Exchange, m Message) {
		for _, change := range each {
			change(x, m)
		}
	}
}

// Set puts a value into each answer to the method, or into each notification of the
// method. The JSON pointer starts at the message, with /result, /error or /params; a
// message without that member stays unchanged. Set creates missing objects on the way;
// * stands for every element, and - for a new last element.
func Set(method, pointer string, value any) Change {
	return aboutMethod(method, func(_ Exchange, m Message) { m.set(pointer, value) })
}

// Drop removes the values at JSON pointers; missing ones are ignored.
func Drop(method string, pointers ...string) Change {
	return aboutMethod(method, func(_ Exchange, m Message) { m.drop(pointers) })
}

// aboutMethod applies a change to answers to the method, and to its notifications.
func aboutMethod(method string, change Change) Change {
	return func(x Exchange, m Message) {
		if own, notification := m["method"]; notification && own == method || !notification && x.Method == method {
			change(x, m)
		}
	}
}

// Told changes the params of each notification of the method.
func Told(method string, change func(x Exchange, params Message)) Change {
	return func(x Exchange, m Message) {
		if params, ok := m["params"].(map[string]any); ok && m["method"] == method {
			params = maps.Clone(params)
			m["params"] = params
			change(x, params)
		}
	}
}

// OnResult changes the result of each answer to the method. Errors stay unchanged.
func OnResult(method string, change func(result Message)) Change { return On(method).Result(change) }

// OnTool changes each result of a call of the tool.
func OnTool(tool string, change func(result Message)) Change { return Tool(tool).Result(change) }

// OnError changes each error that answers the method.
func OnError(method string, change func(failure Message)) Change { return On(method).Error(change) }

// A When selects the requests of a hook.
type When func(x Exchange) bool

// On selects requests of these methods; without methods, all requests.
func On(methods ...string) When {
	return func(x Exchange) bool { return len(methods) == 0 || slices.Contains(methods, x.Method) }
}

// Tool selects calls of these tools.
func Tool(names ...string) When {
	return func(x Exchange) bool { return slices.Contains(names, x.Tool()) }
}

// And narrows the selection to requests that fulfil another condition.
func (w When) And(also func(x Exchange) bool) When {
	return func(x Exchange) bool { return w(x) && also(x) }
}

// Change changes the answers to the selected requests.
func (w When) Change(change Change) Change {
	return func(x Exchange, m Message) {
		if w(x) {
			change(x, m)
		}
	}
}

// Result changes the results of the selected requests.
func (w When) Result(change func(result Message)) Change {
	return func(x Exchange, m Message) {
		if result, ok := m.Result(); ok && w(x) {
			change(result)
		}
	}
}

// Error changes the errors of the selected requests.
func (w When) Error(change func(failure Message)) Change {
	return func(x Exchange, m Message) {
		if _, failed := m["error"]; failed && w(x) {
			change(m.Object("error"))
		}
	}
}

// Set is the function Set for the selected requests.
func (w When) Set(pointer string, value any) Change {
	return w.Change(func(_ Exchange, m Message) { m.set(pointer, value) })
}

// Drop is the function Drop for the selected requests.
func (w When) Drop(pointers ...string) Change {
	return w.Change(func(_ Exchange, m Message) { m.drop(pointers) })
}

// Instead replaces the answers to the selected requests.
func (w When) Instead(answer func(x Exchange) Message) Change {
	return w.Change(func(x Exchange, m Message) { m.Become(answer(x)) })
}

// Before sends messages before the results of the selected requests.
func (w When) Before(messages ...Message) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if _, ok := m.Result(); !ok || !w(x) {
			return []Message{m}
		}
		return append(slices.Clone(messages), m)
	}
}

// Verdict decides on the selected requests before the server reads them.
func (w When) Verdict(of func(x Exchange) Verdict) func(Exchange) Verdict {
	return func(x Exchange) Verdict {
		if !w(x) {
			return Verdict{}
		}
		return of(x)
	}
}

// Refuse answers the selected requests with an error instead of serving them.
func (w When) Refuse(code int, text string) func(Exchange) Verdict {
	return w.Verdict(func(x Exchange) Verdict { return Refuse(x, code, text) })
}

// Answer answers the selected requests with a result instead of serving them.
func (w When) Answer(result any) func(Exchange) Verdict {
	return w.Verdict(func(x Exchange) Verdict { return Answer(x, result) })
}

// Hang never answers the selected requests.
func (w When) Hang() func(Exchange) Verdict {
	return func(x Exchange) Verdict { return Verdict{Hang: w(x)} }
}

// Exit ends the process with the code over stdio, and cuts the connection over HTTP.
func (w When) Exit(code int) func(Exchange) Verdict {
	return func(x Exchange) Verdict { return Verdict{Exits: w(x), Exit: code} }
}

// Refuse answers the request with an error instead of serving it.
func Refuse(x Exchange, code int, text string) Verdict {
	return Verdict{Instead: true, Answer: []Message{x.Refusal(code, text)}}
}

// Answer answers the request with a result instead of serving it.
func Answer(x Exchange, result any) Verdict {
	return Verdict{Instead: true, Answer: []Message{x.Answer(result)}}
}

// Text is the content of a result with one text block.
func Text(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

// PageFor answers some HTTP requests with a page that is not a message, like a gateway
// in front of a server. which selects the requests by their bodies.
func PageFor(which func(body []byte) bool, status int, contentType, text string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil || !which(body) {
			return false
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
		return true
	}
}
