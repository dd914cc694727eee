package probe

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Stream is one HTTP exchange in progress, for cases that read it piece by
// piece or end it.
type Stream struct {
	client      *caller
	from        Mark
	exchange    int
	headersOnly bool // only headers were sent, so that their answer takes no work
}

// Begin starts an HTTP exchange as a good client of the session does: a GET or
// a DELETE, or a POST with a text. The case's own headers replace those of a
// good client; a header without values is left out.
func (c *caller) Begin(out Outgoing) *Stream {
	if c.setup.Transport != requirements.HTTP {
		c.Undecide("this takes HTTP")
	}
	s := &Stream{client: c, from: c.Mark(), headersOnly: out.Text == ""}
	if err := c.reach(c.live()); err != nil {
		c.live()
		return s
	}
	header := c.headersFor(out.Text)
	if out.Method == http.MethodGet {
		header.Set("Accept", eventStream)
	}
	for name, values := range out.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	out.Header = header
	if out.Text != "" {
		c.good(out.Text)
	}
	// No frame comes on an exchange that failed to begin.
	var err error
	s.exchange, err = put(c.live(), c.conversation, out)
	unsent(c, err)
	return s
}

const eventStream = "text/event-stream"

// Exchange is the number of the exchange; 0 where it failed to begin.
func (s *Stream) Exchange() int { return s.exchange }

// Await waits at most the time given for a fitting frame of the exchange. It
// reports false when none came or none can come any more.
func (s *Stream) Await(atMost time.Duration, fits func(Seen) bool) (Seen, bool) {
	var found Seen
	fit := false
	s.client.Await(s.from, atMost, func(one Seen) bool {
		switch {
		case one.Kind == frame.KindEnd && one.Exchange == 0:
			return true
		case one.Exchange != s.exchange:
			return false
		case fits(one):
			found, fit = one, true
			return true
		}
		return one.Kind == frame.KindEnd
	})
	return found, fit
}

// Head waits for the head of the response; false when none came. It waits as long as
// for an event, since some servers send the head of a GET with the first event.
func (s *Stream) Head() (Seen, bool) {
	limit := s.client.Waits().Answer
	if s.headersOnly {
		limit = s.client.Waits().Event
	}
	return s.Await(limit, func(one Seen) bool { return one.Kind == frame.KindHead })
}

// Abort closes the exchange, as a client does that goes away, and waits until
// the exchange is over on this side.
func (s *Stream) Abort() {
	if conn := s.client.reached(); conn != nil {
		conn.Abort(s.exchange)
	}
	s.Await(s.client.Waits().Answer, func(one Seen) bool { return one.Kind == frame.KindEnd })
}

// Frames are the frames of the exchange so far, sent and received.
func (s *Stream) Frames() []Seen {
	return slices.DeleteFunc(slices.Clone(s.client.Since(s.from)), func(one Seen) bool { return one.Exchange != s.exchange })
}

// Evidence is the sent frame, the head, and the end of the exchange if nothing came.
func (s *Stream) Evidence() []frame.Frame {
	var shown []frame.Frame
	for _, one := range s.Frames() {
		if one.Dir == frame.Sent || one.Kind == frame.KindHead || one.Kind == frame.KindEnd && len(shown) < 2 {
			shown = append(shown, one.Frame)
		}
	}
	return shown
}

// Streams reports whether a head begins an event stream.
func (s Seen) Streams() bool {
	return s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status < 300 && s.MediaType() == eventStream
}

// MediaType is the content type of a head, without its parameters.
func (s Seen) MediaType() string {
	if s.HTTP == nil {
		return ""
	}
	kind, _, _ := strings.Cut(s.HTTP.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// LastEvent is the id of the last event that had one, and the time that the
// server asks a client to wait before it reconnects.
func (s *Stream) LastEvent() (id string, retry time.Duration, ok bool) {
	for _, one := range s.Frames() {
		if one.SSE == nil {
			continue
		}
		if one.SSE.HasID {
			id, ok = one.SSE.ID, one.SSE.ID != ""
		}
		if ms, err := strconv.Atoi(one.SSE.Retry); err == nil && one.SSE.HasRetry {
			retry = time.Duration(ms) * time.Millisecond
		}
	}
	return id, retry, ok
}

// Resume asks for the rest of a stream, after the event with that id.
func (c *caller) Resume(lastEvent string) *Stream {
	return c.Begin(Outgoing{Method: http.MethodGet, Header: http.Header{protocol.HeaderLastEvent: {lastEvent}}})
}
