// Package exchanges keeps a record of each HTTP exchange for watchers: the request, the
// head of the response, and the messages in it.
package exchanges

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// An Exchange is one HTTP request and the part of its response that has arrived.
type Exchange struct {
	Sent probe.Seen
	Head probe.Seen // zero until the head arrives
	// Body is the body of a response that is not an event stream; zero where the response
	// has no body.
	Body probe.Seen
}

// A Book holds the open exchanges of one connection. All watchers of the connection share
// it.
type Book struct {
	seq       int // the frame that was noted last
	last      *Exchange
	open      map[int]*Exchange
	cancelled map[string]bool // ids of cancelled requests, by frame.IDKey
	left      bool            // the client has ended the session
}

// Of returns the book of a connection and the exchange of the frame in sight; nil for a
// frame outside all exchanges.
func Of(at *probe.WatchedFrame) (*Book, *Exchange) {
	b := probe.Common[Book](at)
	if b.seq != at.Seq {
		b.seq, b.last = at.Seq, b.See(at.Seen)
	}
	return b, b.last
}

// Watching makes watchers that judge each exchange after each frame of its response.
func Watching(judge func(*Exchange, probe.Seen) probe.Opinion) func() probe.Watcher {
	return func() probe.Watcher {
		return probe.WatchFunc(func(s *probe.WatchedFrame) probe.Opinion {
			book, x := Of(s)
			if x == nil || s.Dir == frame.Sent || x.Asks() && book.Cancelled(x) {
				return probe.Nothing()
			}
			return judge(x, s.Seen)
		})
	}
}

// See notes a frame and returns its exchange; nil for a frame outside all exchanges.
func (b *Book) See(s probe.Seen) *Exchange {
	if s.Exchange == 0 {
		return nil
	}
	if s.Dir == frame.Sent {
		if b.open == nil {
			b.open = map[int]*Exchange{}
		}
		b.open[s.Exchange] = &Exchange{Sent: s}
		b.sent(s)
		return b.open[s.Exchange]
	}
	x := b.open[s.Exchange]
	if x == nil {
		return nil
	}
	switch s.Kind {
	case frame.KindHead:
		x.Head = s
	case frame.KindMessage, frame.KindBody:
		if s.SSE == nil && s.Size > 0 {
			x.Body = s
		}
	case frame.KindEnd:
		delete(b.open, s.Exchange)
	case frame.KindEvent:
	}
	return x
}

func (b *Book) sent(s probe.Seen) {
	b.left = b.left || s.HTTP != nil && s.HTTP.Method == http.MethodDelete
	for _, m := range probe.Singles(s.Message()) {
		if id, ok := m.At("/params/requestId"); ok && m.Method == "notifications/cancelled" {
			if b.cancelled == nil {
				b.cancelled = map[string]bool{}
			}
			b.cancelled[frame.IDKey(probe.JSON(id))] = true
		}
	}
}

// Cancelled reports whether the client has cancelled the request of an exchange, or ended
// the session.
func (b *Book) Cancelled(x *Exchange) bool {
	return b.left || b.cancelled[frame.IDKey(x.Sent.Message().ID)]
}

// Method is the HTTP method of the request.
func (x *Exchange) Method() string {
	if x.Sent.HTTP == nil {
		return ""
	}
	return x.Sent.HTTP.Method
}

// Posts reports whether the client sent a message of the given class by POST.
func (x *Exchange) Posts(class frame.Class) bool {
	return x.Method() == http.MethodPost && x.Sent.Message().Class == class
}

// Asks reports whether the client sent a valid request, alone or, where the revision has
// batches, in an array.
func (x *Exchange) Asks() bool {
	if x.Method() != http.MethodPost {
		return false
	}
	return !x.Sent.Malformed && x.Sent.Message().Class == frame.Request
}

// Status is the HTTP status of the response; 0 until the head arrives.
func (x *Exchange) Status() int {
	if x.Head.HTTP == nil {
		return 0
	}
	return x.Head.HTTP.Status
}

// Accepted reports whether the response has a status of success.
func (x *Exchange) Accepted() bool { return x.Status() >= 200 && x.Status() < 300 }

// Troubled reports whether a status has another cause than what a request says: refused
// access, a limit, or a gateway.
func Troubled(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Streams reports whether the response is an event stream.
func (x *Exchange) Streams() bool { return x.Head.Streams() }

// Listens reports whether the exchange is a GET that opens a new stream.
func (x *Exchange) Listens() bool {
	return x.Method() == http.MethodGet && x.LastEvent() == ""
}

// LastEvent is the header Last-Event-ID of the request, empty where the request has none.
func (x *Exchange) LastEvent() string {
	if x.Sent.HTTP == nil {
		return ""
	}
	return x.Sent.HTTP.Header.Get(protocol.HeaderLastEvent)
}

// Session is the session id in the request.
func (x *Exchange) Session() string {
	if x.Sent.HTTP == nil {
		return ""
	}
	return x.Sent.HTTP.Header.Get(protocol.HeaderSession)
}

// Evidence shows the request, the head of the response, and the given frames.
func (x *Exchange) Evidence(and ...probe.Seen) probe.Evidence {
	shown := probe.One(x.Sent.Frame)
	if x.Head.HTTP != nil {
		shown = append(shown, x.Head.Frame)
	}
	for _, s := range and {
		shown = append(shown, s.Frame)
	}
	return shown
}
