package fault

import (
	"bytes"
	"io"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// OverStdio is where faults run that need a conversation, or an answer with
// more than one message.
func OverStdio(revisions ...requirements.Revision) []Column {
	return columns(requirements.Stdio, revisions)
}

// OverHTTP is where faults run that concern several connections, or headers.
func OverHTTP(revisions ...requirements.Revision) []Column {
	return columns(requirements.HTTP, revisions)
}

// OverSSE are columns over HTTP+SSE.
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

// OnResult changes the result of each answer to the method. An error passes
// unchanged.
func OnResult(method string, change func(result Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if result, ok := m.Result(); ok && x.Method == method {
			change(result)
		}
		return []Message{m}
	}
}

// OnTool changes each result of a call of the tool.
func OnTool(tool string, change func(result Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if result, ok := m.Result(); ok && x.Tool() == tool {
			change(result)
		}
		return []Message{m}
	}
}

// OnError changes each error that answers the method.
func OnError(method string, change func(failure Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if _, failed := m["error"]; failed && x.Method == method {
			change(m.Object("error"))
		}
		return []Message{m}
	}
}

// Refuse answers the request with an error, and does not serve it.
func Refuse(x Exchange, code int, text string) Verdict {
	return Verdict{Instead: true, Answer: []Message{x.Refusal(code, text)}}
}

// Answer answers the request with a result, and does not serve it.
func Answer(x Exchange, result any) Verdict {
	return Verdict{Instead: true, Answer: []Message{x.Answer(result)}}
}

// PageFor answers some requests over HTTP with something that is no message, as a
// gateway in front of a server does. The body decides which.
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
