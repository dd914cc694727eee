// Package exchanges keeps for watchers what is known of each HTTP exchange: what was
// sent, the head of the response, and what came in it.
package exchanges

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// An Exchange is one request over HTTP and what came for it so far.
type Exchange struct {
	Sent probe.Seen
	Head probe.Seen // its zero value until it comes
	// Body is what came that is not an event; its zero value where there was none, or
	// where it was empty.
	Body probe.Seen
}

// A Book holds the exchanges of one connection that are not over. Its watchers share it.
type Book struct {
	seq       int // the frame that was taken note of last
	last      *Exchange
	open      map[int]*Exchange
	cancelled map[string]bool // requests, by frame.IDKey
	left      bool            // the client has ended the session
}

// Of is the book of a connection, and the exchange of the frame that is seen; nil for what
// belongs to none.
func Of(at *probe.Sight) (*Book, *Exchange) {
	b := probe.Common[Book](at)
	if b.seq != at.Seq {
		b.seq, b.last = at.Seq, b.See(at.Seen)
	}
	return b, b.last
}

// See takes note of a frame and returns its exchange; nil for what belongs to none.
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

// Cancelled reports whether the client has cancelled the request of an exchange, or
// ended the session.
func (b *Book) Cancelled(x *Exchange) bool {
	return b.left || b.cancelled[frame.IDKey(x.Sent.Message().ID)]
}

// Open are the exchanges that are not over.
func (b *Book) Open() map[int]*Exchange { return b.open }

// Method is the HTTP method.
func (x *Exchange) Method() string {
	if x.Sent.HTTP == nil {
		return ""
	}
	return x.Sent.HTTP.Method
}

// Posts reports whether the client sent a message of that class by POST.
func (x *Exchange) Posts(class frame.Class) bool {
	return x.Method() == http.MethodPost && x.Sent.Message().Class == class
}

// Asks reports whether the client sent a good request, alone or in an array that the
// revision has.
func (x *Exchange) Asks() bool {
	if x.Method() != http.MethodPost {
		return false
	}
	return !x.Sent.Malformed && x.Sent.Message().Class == frame.Request
}

// Status is that of the response; 0 until its head comes.
func (x *Exchange) Status() int {
	if x.Head.HTTP == nil {
		return 0
	}
	return x.Head.HTTP.Status
}

// Accepted reports whether the status says that all went well.
func (x *Exchange) Accepted() bool { return x.Status() >= 200 && x.Status() < 300 }

// Streams reports whether the response is an event stream.
func (x *Exchange) Streams() bool { return x.Head.Streams() }

// Listens reports whether the exchange is a GET that resumes nothing.
func (x *Exchange) Listens() bool {
	return x.Method() == http.MethodGet && x.LastEvent() == ""
}

// LastEvent is the id behind which the client wants to go on; empty where it does not
// say.
func (x *Exchange) LastEvent() string {
	if x.Sent.HTTP == nil {
		return ""
	}
	return x.Sent.HTTP.Header.Get(protocol.HeaderLastEvent)
}

// Session is the session that the request names.
func (x *Exchange) Session() string {
	if x.Sent.HTTP == nil {
		return ""
	}
	return x.Sent.HTTP.Header.Get(protocol.HeaderSession)
}

// Evidence is what was sent, the head, and a frame that shows the rest.
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
