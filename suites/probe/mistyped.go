package probe

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Mistyped reports whether the Content-Type keeps a JSON-RPC response in the body of an
// exchange over HTTP from being the answer to what was sent. The body of a refusal may be
// anything, unless it is the response to the request.
func Mistyped(sent, head, body Seen) bool {
	if head.HTTP == nil || head.MediaType() == "application/json" || head.Streams() {
		return false
	}
	asked, m := sent.Message(), body.Message()
	responds := m.Responds()
	switch status := head.HTTP.Status; {
	case status < http.StatusMultipleChoices:
		return responds && asked.Class != frame.Notification
	default:
		return asked.Class == frame.Request && responds && m.HasID && sameID(m.ID, asked.ID)
	}
}

// An Elsewhere is a case that judges the cause of a complaint, such as why an answer is missing
// or unclear, and the reason.
type Elsewhere struct{ Case, Why string }

// elsewhere tells whether a watcher judges why there is no answer, or none that is clear.
func elsewhere(r *reaction) Elsewhere {
	switch {
	case r.got != nil:
		if r.sent != nil && r.sent.Message().Method == "completion/complete" && nothingCompleted(r.Message()) {
			return Elsewhere{"completion/result-schema", "the result has no completion"}
		}
		return unclear(r.Message())
	case r.sent == nil:
	case r.client.setup.Transport == requirements.Stdio:
		if r.end == nil && torn(r) {
			return Elsewhere{"stdio/no-embedded-newlines", "the answer takes up several lines"}
		}
	case r.head == nil || r.client.setup.Transport != requirements.HTTP:
	case r.sent.Message().Class == frame.Request && r.Status() < http.StatusMultipleChoices &&
		r.head.MediaType() != "application/json" && r.head.MediaType() != eventStream && (r.end == nil || events(*r.end)):
		return Elsewhere{"http/response-type", "the Content-Type keeps the body from being an answer"}
	case r.sent.Message().Class == frame.Request && r.Status() == http.StatusMethodNotAllowed:
		return Elsewhere{"http/single-endpoint", "the endpoint does not take the POST"}
	case r.head.MediaType() == eventStream && slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.Exchange == r.exchange && Garbled(s)
	}):
		return Elsewhere{"http/stream-wellformed", "an event of the stream holds something else than a message"}
	case r.end == nil:
	case r.end.Kind == frame.KindBody && Mistyped(*r.sent, *r.head, *r.end):
		return Elsewhere{"http/response-type", "the Content-Type keeps the body from being an answer"}
	case r.Status() < http.StatusMultipleChoices && r.head.MediaType() == "application/json" && notJSON(r):
		return Elsewhere{"http/json-single-object", "the body is not JSON"}
	}
	return Elsewhere{}
}

// Garbled reports whether an event of a stream holds something else than a message, or ends
// before its blank line. Events of types of their own are no messages.
func Garbled(s Seen) bool {
	switch {
	case s.SSE == nil || s.Dir != frame.Received || s.SSE.Event != "" && s.SSE.Event != "message":
		return false
	case s.Kind == frame.KindEvent:
		return slices.Contains(s.Framing, frame.OddNoBlankLine) && strings.Join(s.SSE.Data, "") != "" ||
			slices.ContainsFunc(s.SSE.Lines, func(line string) bool { return strings.HasPrefix(line, "{") })
	}
	class := s.Message().Class
	return s.Kind == frame.KindMessage && (class == frame.NotJSON || class == frame.NotAMessage)
}

// events reports whether a body that came in one piece is an event stream.
func events(body Seen) bool {
	field, _, ok := strings.Cut(strings.TrimSpace(body.Payload()), ":")
	return ok && body.Kind == frame.KindBody && slices.Contains([]string{"", "data", "event", "id", "retry"}, field)
}

// unclear tells which watcher judges a response that says nothing clear.
func unclear(m frame.Message) Elsewhere {
	if !m.Responds() {
		return Elsewhere{}
	}
	result, served := m.Members["result"]
	_, failed := m.Members["error"]
	object, _ := result.(map[string]any)
	flag, flagged := object["isError"]
	_, known := flag.(bool)
	switch {
	case served && failed:
		return Elsewhere{"jsonrpc/result-xor-error", "the answer has both a result and an error"}
	case !served && !failed:
		return Elsewhere{"jsonrpc/result-xor-error", "the answer has neither a result nor an error"}
	case served && result == nil:
		return Elsewhere{"jsonrpc/result-is-object", "the result is null"}
	case flagged && !known:
		return Elsewhere{"tools/call-result", "isError is neither true nor false"}
	}
	return Elsewhere{}
}

// nothingCompleted reports whether the result of a completion is an object without one.
func nothingCompleted(m frame.Message) bool {
	result, served := m.Members["result"].(map[string]any)
	_, completed := result["completion"]
	return served && !completed
}

// notJSON reports whether the body of the exchange is not JSON.
func notJSON(r *reaction) bool {
	return slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.Exchange == r.exchange && s.Dir == frame.Received && s.Kind == frame.KindMessage && s.Message().Class == frame.NotJSON
	})
}

// torn reports whether the answer came with line breaks in its strings.
func torn(r *reaction) bool {
	var lines []string
	for _, s := range r.client.Since(r.from) {
		switch {
		case s.Dir == frame.Sent || s.Kind != frame.KindMessage:
		case s.Message().Class == frame.NotJSON || s.Message().Class == frame.NotAMessage:
			lines = append(lines, strings.TrimRight(string(s.Raw()), "\r\n"))
		}
	}
	m := frame.Read([]byte(strings.Join(lines, `\n`)))
	return len(lines) > 1 && m.Responds() && sameID(m.ID, r.id)
}
