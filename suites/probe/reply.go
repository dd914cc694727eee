package probe

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Reply is the reaction to one frame: an answer, an HTTP status, the end of
// the connection, or nothing.
type Reply struct {
	Method string

	client      *caller
	from        Mark
	text        string
	id          string
	exchange    int
	goodRequest bool // a good request: only a response to its id answers it
	patience    time.Duration

	sent *Seen
	got  *Seen // the answer, or the array that holds it
	head *Seen // the HTTP response head
	end  *Seen // the end of the exchange or of the connection
	at   int   // the place of the answer in got

	unread string // may be the answer, but exceeds a limit of the kit

	behind *Reply // to the last request sent behind the frame, if any
	flood  string // how the server flooded the connection before the answer came
}

// wait collects the answer. It decides for all cases what counts as an answer:
// the response to the id; for a malformed frame also a response without a
// readable id; and over HTTP any message that the exchange ends with.
func (r *Reply) wait() {
	c := r.client
	c.awaited(r.from, r.patience, func(s Seen) bool {
		switch {
		case s.Dir == frame.Sent:
			if r.sent == nil && (string(s.Raw()) == r.text || r.exchange > 0 && s.Exchange == r.exchange) {
				r.sent = &s
			}
		case s.Kind == frame.KindHead && s.Exchange == r.exchange:
			r.head = &s
		case s.Kind == frame.KindMessage:
			return r.take(s)
		case r.answersElsewhere() && s.Exchange == r.exchange && s.Kind != frame.KindMessage && r.acceptsPost(s):
			// The answer comes on the stream.
		case s.Kind == frame.KindBody && s.Exchange == r.exchange && r.exchange != 0:
			r.end = &s
		case s.Kind == frame.KindEnd && (s.Exchange == r.exchange || s.Exchange == 0):
			if r.end == nil || s.End != nil && s.End.Err != "" || s.Exchange == 0 {
				r.end = &s
			}
			return true
		}
		return false
	})
	if r.got == nil && r.end == nil {
		r.end = c.ended()
	}
	if r.got == nil && r.unread != "" {
		c.stopAwaiting(r.id)
		c.Stop(&Unreadable{"the answer to " + r.name() + " is " + r.unread})
	}
	if r.got == nil && r.end == nil {
		if r.flood = c.flood(); r.flood == "" {
			c.must(c.unreadError())
		}
	}
}

// answersElsewhere reports whether the answer comes outside the exchange of the request:
// over HTTP+SSE the exchange only says whether the server took the request.
func (r *Reply) answersElsewhere() bool {
	return r.client.setup.Transport == requirements.SSE && r.exchange > 0
}

// acceptsPost reports whether to ignore a frame after the head of such an exchange,
// since the server took the request.
func (r *Reply) acceptsPost(s Seen) bool {
	return r.head != nil && r.Status() == 0 && (s.End == nil || s.End.Err == "")
}

// polled reports whether the exchange ended as a stream that the client is to
// resume: without the answer, after an event with an id.
func (r *Reply) polled() bool {
	if r.got != nil || r.end == nil || r.end.Exchange == 0 {
		return false
	}
	return slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.Exchange == r.end.Exchange && s.SSE != nil && s.SSE.HasID
	})
}

// streamEnded reports whether an event stream for the answer ended in good
// order without the answer.
func (r *Reply) streamEnded() bool {
	return r.got == nil && r.end != nil && r.end.Exchange > 0 && !r.Died() && r.Status() < 300 && r.streams()
}

// streams reports whether the response is an event stream.
func (r *Reply) streams() bool {
	kind, _, _ := strings.Cut(r.Header("Content-Type"), ";")
	return strings.TrimSpace(strings.ToLower(kind)) == "text/event-stream"
}

// take keeps a message that may be the answer and reports whether it surely is.
func (r *Reply) take(s Seen) bool {
	if why := s.Unread(); why != "" && (s.Exchange == 0 || s.Exchange == r.exchange) {
		r.unread = why
		return r.client.awaitsOnly(r.id)
	}
	for i, m := range Singles(s.Message()) {
		if m.Class != frame.Result && m.Class != frame.Error {
			continue
		}
		mine := r.id != "" && m.HasID && sameID(m.ID, r.id)
		unread := !m.HasID || m.ID == "null"
		inExchange := r.exchange != 0 && s.Exchange == r.exchange
		if !inExchange && (!LooksLikeMessage(m) || !mine && (r.goodRequest || !unread)) {
			continue
		}
		r.got, r.at = &s, i
		if mine || !r.goodRequest && unread {
			return true
		}
	}
	return false
}

// sameID compares loosely on purpose: a server that turns 1 into "1" has
// answered; jsonrpc/response-id-echo judges the id.
func sameID(a, b string) bool { return a == b || looseID(a) == looseID(b) }

// Behind is the answer to the last of the requests that ThenBarrier sent; nil
// without ThenBarrier.
func (r *Reply) Behind() *Reply { return r.behind }

// Answered reports whether a JSON-RPC response came.
func (r *Reply) Answered() bool { return r.got != nil }

// Message is the response; the zero value where none came.
func (r *Reply) Message() frame.Message {
	if r.got == nil {
		return frame.Message{}
	}
	return Singles(r.got.Message())[r.at]
}

// ID is the id of the response as JSON text, empty where it has none.
func (r *Reply) ID() string { return r.Message().ID }

// At looks a value of the response up by JSON pointer, as in "/result/tools/0".
func (r *Reply) At(pointer string) (any, bool) {
	if r.got == nil {
		return nil, false
	}
	return r.Message().At(pointer)
}

// Result is the result object; false where the response has none.
func (r *Reply) Result() (map[string]any, bool) {
	v, _ := r.At("/result")
	o, ok := v.(map[string]any)
	return o, ok
}

// Code is the error code; false where the response is no error or the code is
// no integer.
func (r *Reply) Code() (int, bool) {
	v, _ := r.At("/error/code")
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	return frame.Integer(n.String())
}

// Failed reports whether the response is an error. An error that is null beside
// a result does not count.
func (r *Reply) Failed() bool { return r.got != nil && r.Message().Class == frame.Error }

// Refused reports whether the server declined: by a JSON-RPC error, or over
// HTTP by a status of 400 or above with any body.
func (r *Reply) Refused() bool {
	return r.Failed() || r.Status() >= 400
}

// Status is the HTTP status; 0 on stdio or when no response head came. It is
// also 0 when the server took a POST over HTTP+SSE, since that is no answer
// yet.
func (r *Reply) Status() int {
	if r.head == nil || r.head.HTTP == nil || r.answersElsewhere() && r.head.HTTP.Status < 300 {
		return 0
	}
	return r.head.HTTP.Status
}

// Died reports whether the connection ended instead of an answer.
func (r *Reply) Died() bool {
	return r.got == nil && r.end != nil && (r.end.Exchange == 0 || r.end.End != nil && r.end.End.Err != "")
}

// Unreached reports whether an HTTP request found no connection, so that the
// server did not get it.
func (r *Reply) Unreached() bool {
	return slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.End != nil && ends(r.exchange)(s) && strings.HasPrefix(s.End.Err, frame.NoConnection)
	})
}

// Silent reports whether nothing came back in time.
func (r *Reply) Silent() bool { return r.got == nil && r.end == nil && r.flood == "" }

func member(m frame.Message, pointer string) any {
	v, _ := m.At(pointer)
	return v
}

// Evidence is the frames of this exchange that a reader wants to see.
func (r *Reply) Evidence() []frame.Frame {
	var frames []frame.Frame
	if r.sent != nil {
		frames = append(frames, r.sent.Frame)
	}
	if r.head != nil && (r.Status() >= 400 || r.got == nil) {
		frames = append(frames, r.head.Frame)
	}
	switch {
	case r.got != nil:
		frames = append(frames, r.got.Frame)
	case r.end != nil:
		frames = append(frames, r.end.Frame)
	default:
		if stray, ok := r.stray(); ok {
			frames = append(frames, stray.Frame)
		}
	}
	return frames
}

// Seen is the answer as watchers see it; false where none came.
func (r *Reply) Seen() (Seen, bool) {
	if r.got == nil {
		return Seen{}, false
	}
	return *r.got, true
}

// Header is the HTTP response header of that name.
func (r *Reply) Header(name string) string {
	if r.head == nil || r.head.HTTP == nil {
		return ""
	}
	return r.head.HTTP.Header.Get(name)
}

// Singles are the messages of an array, or the single message.
func Singles(m frame.Message) []frame.Message {
	if m.Class == frame.Batch {
		return m.Batch
	}
	return []frame.Message{m}
}
