// Package streams holds the cases of event streams: the streams that answer requests, the
// stream that GET opens, and how streams continue after a lost connection.
package streams

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases of these sections, in their order.
func Cases() []suite.Case {
	return slices.Concat(formCases(), answerCases(), trafficCases(), questionCases(), parallelCases(), broadcastCases(),
		listenCases(), resumeCases())
}

// watching makes watchers that judge each event stream after each of its frames.
func watching(judge func(*exchanges.Exchange, probe.Seen) probe.Opinion) func() probe.Watcher {
	return exchanges.Watching(func(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
		if !x.Streams() {
			return probe.Nothing()
		}
		return judge(x, s)
	})
}

// remembering makes watchers that judge the event stream of each request after each of
// its frames, and remember something of it until it ends.
func remembering[T any](judge func(*T, *exchanges.Book, *exchanges.Exchange, probe.Seen) probe.Opinion) func() probe.Watcher {
	return func() probe.Watcher {
		all := map[int]*T{}
		return probe.WatchFunc(func(s *probe.WatchedFrame) probe.Opinion {
			book, x := exchanges.Of(s)
			if x == nil || s.Dir == frame.Sent || !x.Asks() || !x.Streams() {
				return probe.Nothing()
			}
			kept := all[s.Exchange]
			if kept == nil {
				kept = new(T)
				all[s.Exchange] = kept
			}
			if s.Kind == frame.KindEnd {
				delete(all, s.Exchange)
			}
			return judge(kept, book, x, s.Seen)
		})
	}
}

// ended reports whether the exchange ended without an error.
func ended(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.End != nil && s.End.Err == "" }

func formCases() []suite.Case {
	return []suite.Case{{
		ID:        "http/stream-wellformed",
		Title:     "an event stream is made of complete events, with one message each",
		Checks:    []requirements.ID{formed, unanswered},
		Revisions: protocol.Since(requirements.R20250326),
		Fix:       "write each message as lines that begin with data:, and a blank line behind it, before the stream is closed",
		Sees:      "an event stream",
		Watch:     legible,
	}}
}

// The rules: of a stream, and of a request whose response cannot be read.
const (
	formed     requirements.ID = "http-sse-wellformed"
	unanswered requirements.ID = "jsonrpc-single-response"
)

// illegible leaves a response that is missing to the case about what cannot be read.
func illegible() probe.Elsewhere {
	return probe.Elsewhere{Case: "http/stream-wellformed", Why: "an event of the stream holds something else than a message"}
}

// A reading is how far the stream of a request was read.
type reading struct {
	answered bool
	ids      bool           // its events have ids
	torn     probe.Evidence // what may be the response, and is no message to a reader of events
	slip     slip           // why it is none
}

// legible judges what no reader of events makes a message of.
func legible() probe.Watcher {
	ofRequests := remembering(readable)()
	return probe.WatchFunc(func(s *probe.WatchedFrame) probe.Opinion {
		_, x := exchanges.Of(s)
		switch {
		case x == nil || s.Dir == frame.Sent || !x.Streams():
			return probe.Nothing()
		case x.Asks() && !isSubscription(x):
			return ofRequests.See(s)
		}
		return slipOf(s.Seen).opinion(x, s.Seen)
	})
}

// readable judges the stream of a request: where something unreadable stands in place of the
// response, the request has none. A client that heard no event there may resume the stream, if its events have ids.
func readable(r *reading, book *exchanges.Book, x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	found, torn := slipOf(s), r.torn
	r.answered = r.answered || reporting.Responds(s)
	r.ids = r.ids || s.SSE != nil && s.SSE.HasID
	switch {
	case torn == nil && !r.answered && found.object:
		r.torn, r.slip = x.Evidence(s), found
		return probe.Nothing()
	case torn != nil && ended(s) && !(r.slip.resumes && r.ids) && !book.Cancelled(x):
		return torn.Violation("%s, so that the request has no response, want %s", r.slip.what, r.slip.want).Under(unanswered).Opinion()
	case torn != nil && (r.answered || s.Kind == frame.KindEnd):
		r.torn = nil
		return r.slip.violation(torn).Opinion()
	}
	return found.opinion(x, s)
}

// A slip is why a reader of events gets no message, or loses one; the zero value is none.
type slip struct {
	what, want string
	object     bool // it is about a JSON object, which may be the response
	resumes    bool // a reader hears no event, so that a client goes on behind the one before
	message    bool // there is no slip, but a message
}

func (l slip) opinion(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	switch {
	case l.what != "":
		return l.violation(x.Evidence(s)).Opinion()
	case l.message:
		return probe.Kept()
	}
	return probe.Nothing()
}

func (l slip) violation(shown probe.Evidence) *probe.Violation {
	return shown.Violation("%s, want %s", l.what, l.want).Under(formed)
}

// slipOf passes over comments, empty events, and events of other types, which are not
// messages.
func slipOf(s probe.Seen) slip {
	if s.SSE == nil || s.Truncated || s.Unread() != "" {
		return slip{}
	}
	const one = "one JSON-RPC message"
	isObject := func(text string) bool { return strings.HasPrefix(text, "{") }
	data := beginning(s.SSE.Data)
	other := s.SSE.Event != "" && s.SSE.Event != "message"
	if s.Kind == frame.KindEvent {
		switch cut := slices.Contains(s.Framing, frame.OddNoBlankLine); {
		case slices.ContainsFunc(s.SSE.Lines, isObject):
			return slip{what: "a line of the event stream is bare JSON", want: "it behind data:", object: true, resumes: true}
		case cut && data != "":
			return slip{what: "the stream ends within an event, which readers ignore then", want: "a blank line behind it",
				object: isObject(data) && !other, resumes: true}
		}
		return slip{}
	}
	switch m := s.Message(); {
	case other:
		return slip{}
	case m.Class == frame.NotJSON:
		return slip{what: "the data of an event is not JSON (" + m.Defect() + ")", want: one, object: isObject(data)}
	case m.Class == frame.NotAMessage:
		return slip{what: "the data of an event is " + probe.Show(m.Value), want: one}
	case m.Class == frame.Batch:
		return slip{} // another case judges which revisions have arrays
	}
	return slip{message: true}
}

// beginning is the first line that is not blank.
func beginning(lines []string) string {
	for _, line := range lines {
		if text := strings.TrimSpace(line); text != "" {
			return text
		}
	}
	return ""
}

// uniqueIDs remembers the events of one session. It passes over resumed streams, which replay
// events, and over an event that a second GET without Last-Event-ID brings once more: some
// servers have one stream for all of these, and tell it from its beginning.
type uniqueIDs struct {
	session string
	events  map[string]identified
}

// An identified is an event with an id, and the request that opened its stream.
type identified struct {
	probe.Evidence
	exchange *exchanges.Exchange
	data     string
}

// repeats reports whether an event of another GET has the same data.
func (e identified) repeats(other identified) bool {
	return e.exchange.Listens() && other.exchange.Listens() && e.exchange != other.exchange && e.data == other.data
}

func (w *uniqueIDs) See(s *probe.WatchedFrame) probe.Opinion {
	_, x := exchanges.Of(s)
	if x == nil || s.Dir == frame.Sent {
		return probe.Nothing()
	}
	if session := sessionOf(x); session != "" && session != w.session {
		w.session, w.events = session, nil
	}
	if s.SSE == nil || !s.SSE.HasID || s.SSE.ID == "" || x.LastEvent() != "" || !x.Streams() {
		return probe.Nothing()
	}
	event := identified{probe.Evidence{x.Sent.Frame, s.Frame.Event()}, x, strings.Join(s.SSE.Data, "\n")}
	if before, again := w.events[s.SSE.ID]; again {
		if before.repeats(event) {
			return probe.Nothing()
		}
		return before.And(event.Evidence).Violation("%s is the id of two events, want a new one for each", probe.Show(s.SSE.ID)).Opinion()
	}
	if w.events == nil {
		w.events = map[string]identified{}
	}
	w.events[s.SSE.ID] = event
	return probe.Kept()
}

// sessionOf is the session of an exchange, or the session that the exchange opens.
func sessionOf(x *exchanges.Exchange) string {
	if id := x.Session(); id != "" || x.Head.HTTP == nil {
		return id
	}
	given := slices.Clone(x.Head.HTTP.Header.Values("Mcp-Session-Id"))
	if len(given) == 0 {
		return ""
	}
	return given[0]
}

func listenCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "http/get-stream-or-405",
			Title:  "GET opens an event stream, or gets status 405",
			Checks: []requirements.ID{"http-get-stream-or-405"},
			Lane:   suite.Alone, // a server may have one GET stream for all of its clients, which another case may hold
			Fix:    "answer GET with an event stream, or with status 405 where you offer none; a router that knows only POST says 404 by itself",
			Run:    streamOr405,
		},
		{
			ID:     "http/event-id-unique",
			Title:  "no two events of a session have the same id",
			Checks: []requirements.ID{"http-event-id-unique"},
			Fix:    "put what tells the stream apart into the ids of its events, such as its number before that of the event",
			Sees:   "an event with an id",
			Watch:  func() probe.Watcher { return &uniqueIDs{} },
		},
	}
}

func streamOr405(c *probe.Client) error {
	stream, head, came := knock(c, "")
	shown := probe.Shown(stream)
	stream.Abort()
	if !came {
		// Some servers send the head with the first event.
		c.Undecide("GET is not answered, so that it does not show whether a stream was opened")
	}
	switch status := head.HTTP.Status; {
	case head.Streams(), status == http.StatusMethodNotAllowed:
		return nil
	case exchanges.Troubled(status), status >= 300 && status < 400:
		c.Undecide("GET got status " + strconv.Itoa(status) + ", which says nothing of streams")
		return nil
	case status == http.StatusConflict:
		// The other stream need not be one of the kit.
		c.Undecide("GET got status 409, which servers answer while another stream is open")
		return nil
	case status < 300:
		return shown.Violation("GET got status %d with the type %s, want text/event-stream, or status 405",
			status, probe.Show(head.HTTP.Header.Get("Content-Type")))
	default:
		return shown.Violation("GET got status %d, want an event stream, or status 405", status)
	}
}
