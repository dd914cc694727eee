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
// the connection, or nothing. It expects something of the reaction.
type Reply struct {
	account
	Method string

	behind *Reply // to the last request sent behind the frame, if any
}

// A reaction is what came for one frame, as a Pending collects it.
type reaction struct {
	client      *caller
	from        Mark
	text        string
	id          string
	exchange    int
	goodRequest bool // a good request: only a response to its id answers it
	patience    time.Duration

	sent  *Seen
	got   *Seen  // the answer, or the array that holds it
	head  *Seen  // the HTTP response head
	end   *Seen  // the end of the exchange or of the connection
	at    int    // the place of the answer in got
	flood string // how the server flooded the connection before the answer came

	resumed []*Stream // the streams that the client resumed
	open    bool      // the last of them is open
	lost    bool      // the client resumed until the patience was over
}

// answersElsewhere reports whether the answer comes outside the exchange of the request:
// over HTTP+SSE the exchange only says whether the server took the request.
func (r *reaction) answersElsewhere() bool {
	return r.client.setup.Transport == requirements.SSE && r.exchange > 0
}

// acceptsPost reports whether to ignore a frame after the head of such an exchange,
// since the server took the request.
func (r *reaction) acceptsPost(s Seen) bool {
	return r.head != nil && r.Status() == 0 && (s.End == nil || s.End.Err == "")
}

// polled reports whether the exchange ended as a stream that the client is to
// resume: without the answer, after an event with an id. Where the answer is on none of the
// resumed streams either, it does not come.
func (r *reaction) polled() bool {
	if r.got != nil || r.end == nil || r.end.Exchange == 0 || r.lost {
		return false
	}
	return slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.Exchange == r.end.Exchange && s.SSE != nil && s.SSE.HasID
	})
}

// streamEnded reports whether an event stream for the answer ended in good
// order without the answer.
func (r *reaction) streamEnded() bool {
	return r.got == nil && r.end != nil && r.end.Exchange > 0 && !r.Died() && r.Status() < 300 && r.streams()
}

// streams reports whether the response is an event stream.
func (r *reaction) streams() bool { return r.head != nil && r.head.MediaType() == eventStream }

// Behind is the answer to the last of the requests that ThenBarrier sent; nil
// without ThenBarrier.
func (r *Reply) Behind() *Reply { return r.behind }

// Took is how long the answer took after the request was sent, by the times of their
// frames: what the kit does before and after does not count, nor the time in which it waits, as
// the server wants it, before it resumes the stream. It is 0 without an answer.
func (r *Reply) Took() time.Duration {
	if r.sent == nil || r.got == nil {
		return 0
	}
	return max(0, r.got.Frame.At-r.sent.Frame.At-away(r))
}

// away is how long the client stayed away from the stream of the answer, all in all.
func away(r *Reply) time.Duration {
	if r.got == nil {
		return 0
	}
	return r.got.Away
}

// Served reports whether the response is a result that is an object.
func (r *Reply) Served() bool {
	_, ok := r.Result()
	return ok
}

// Answered reports whether a JSON-RPC response came.
func (r *reaction) Answered() bool { return r.got != nil }

// Message is the response; the zero value where none came.
func (r *reaction) Message() frame.Message {
	if r.got == nil {
		return frame.Message{}
	}
	return Singles(r.got.Message())[r.at]
}

// ID is the id of the response as JSON text, empty where it has none.
func (r *reaction) ID() string { return r.Message().ID }

// At looks a value of the response up by JSON pointer, as in "/result/tools/0".
func (r *reaction) At(pointer string) (any, bool) {
	if r.got == nil {
		return nil, false
	}
	return r.Message().At(pointer)
}

// Result is the result object; false where the response has none.
func (r *reaction) Result() (map[string]any, bool) {
	v, _ := r.At("/result")
	o, ok := v.(map[string]any)
	return o, ok
}

// Code is the error code; false where the response is no error or the code is
// no integer.
func (r *reaction) Code() (int, bool) {
	v, _ := r.At("/error/code")
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	return frame.Integer(n.String())
}

// Failed reports whether the response is an error. An error that is null beside
// a result does not count.
func (r *reaction) Failed() bool { return r.got != nil && r.Message().Class == frame.Error }

// hollow reports whether the response is neither a result nor an error.
func (r *reaction) hollow() bool { return r.got != nil && r.Message().Class == frame.NotAMessage }

// Refused reports whether the server declined: by a JSON-RPC error, or over
// HTTP by a status of 400 or above with any body.
func (r *reaction) Refused() bool {
	return r.Failed() || r.Status() >= 400
}

// Status is the HTTP status; 0 on stdio or when no response head came. It is
// also 0 when the server took a POST over HTTP+SSE, since that is no answer
// yet.
func (r *reaction) Status() int {
	if r.head == nil || r.head.HTTP == nil || r.answersElsewhere() && r.head.HTTP.Status < 300 {
		return 0
	}
	return r.head.HTTP.Status
}

// Died reports whether the connection ended instead of an answer.
func (r *reaction) Died() bool {
	return r.got == nil && r.end != nil && (r.end.Exchange == 0 || r.end.End != nil && r.end.End.Err != "")
}

// Unreached reports whether an HTTP request found no connection, so that the
// server did not get it.
func (r *reaction) Unreached() bool {
	return slices.ContainsFunc(r.client.Since(r.from), func(s Seen) bool {
		return s.End != nil && ends(r.exchange)(s) && strings.HasPrefix(s.End.Err, frame.NoConnection)
	})
}

// Silent reports whether nothing came back in time.
func (r *reaction) Silent() bool { return r.got == nil && (r.end == nil || r.open) && r.flood == "" }

func member(m frame.Message, pointer string) any {
	v, _ := m.At(pointer)
	return v
}

// Seen is the answer as watchers see it; false where none came.
func (r *reaction) Seen() (Seen, bool) {
	if r.got == nil {
		return Seen{}, false
	}
	return *r.got, true
}

// Header is the HTTP response header of that name.
func (r *reaction) Header(name string) string {
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
