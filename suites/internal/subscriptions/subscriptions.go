// Package subscriptions hears what a server tells of its own accord, as a client of the
// revision does: with a handshake on the channel of the connection, and without one in
// answer to subscriptions/listen.
package subscriptions

import (
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The words of a subscription.
const (
	Method          = "subscriptions/listen"
	Acknowledgement = "notifications/subscriptions/acknowledged"
)

// TagAt is where a message names the subscription that it belongs to, in its params or in
// its result.
const TagAt = "/_meta/io.modelcontextprotocol~1subscriptionId"

// tries is how often GET is tried while the server may not have noticed the end of an
// earlier stream.
const tries = 5

// Hear opens the stream that brings what answers no request, where the connection itself
// does not bring it. It reports whether something brings it: a server over Streamable HTTP
// need not offer such a stream, and 2024-11-05 knows none there.
func Hear(c *probe.Client) bool {
	_, ok := Channel(c)
	return ok
}

// HearBeside is Hear for a server that also answers requests while the stream is open. One that
// does one thing at a time does not: then the stream is closed again.
func HearBeside(c *probe.Client) bool {
	stream, ok, _ := channel(c)
	if stream == nil || c.Call(protocol.Harmless().At(c.Revision()), nil, probe.Within(Due(c))).Answered() {
		return ok
	}
	stream.Abort()
	return false
}

// Channel is Hear, and names the exchange of the stream; it is 0 where the connection itself
// brings what answers no request.
func Channel(c *probe.Client) (exchange int, ok bool) {
	stream, ok, _ := channel(c)
	return exchangeOf(stream), ok
}

// OwnChannel is Channel, on a new connection where that of c has its stream already: a server
// may give a session one, and another case that runs meanwhile may have it.
func OwnChannel(c *probe.Client) (on *probe.Client, exchange int, ok bool) {
	stream, ok, taken := channel(c)
	if !taken {
		return c, exchangeOf(stream), ok
	}
	own := c.Opened()
	exchange, ok = Channel(own)
	return own, exchange, ok
}

func exchangeOf(stream *probe.Stream) int {
	if stream == nil {
		return 0
	}
	return stream.Exchange()
}

// channel opens the stream, which is nil where none is open in the end.
func channel(c *probe.Client) (open *probe.Stream, ok, taken bool) {
	if c.Transport() != requirements.HTTP {
		return nil, true, false
	}
	if !protocol.Resumable().At(c.Revision()) {
		return nil, false, false
	}
	for range tries {
		stream := c.Begin(probe.Outgoing{Method: http.MethodGet})
		head, came := stream.Await(Due(c), func(s probe.Seen) bool { return s.Kind == frame.KindHead })
		if came && head.Streams() {
			c.Cleanup(stream.Abort)
			return stream, true, false
		}
		stream.Abort()
		if !came || head.HTTP.Status != http.StatusConflict {
			return nil, false, false
		}
		c.Barrier()
	}
	return nil, false, true
}

// Due is how long a notification that has to come is awaited: a server may gather what
// changes for some time before it tells of it.
func Due(c *probe.Client) time.Duration { return max(c.Waits().Event, time.Second) }

// Settle waits for what the server has said before. It may come behind the answers to later
// requests, and over HTTP on another stream than these.
func Settle(c *probe.Client) {
	probe.Barriers(c)
	c.Pause(c.Waits().Overtaken())
}

// Says reports whether a frame of the server holds a notification.
func Says(s probe.Seen, method string) bool {
	_, found := Told(s, method)
	return found
}

// Told is the first notification of a method in a frame of the server.
func Told(s probe.Seen, method string) (frame.Message, bool) {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return frame.Message{}, false
	}
	for _, m := range probe.Singles(s.Message()) {
		if m.Class == frame.Notification && m.Method == method {
			return m, true
		}
	}
	return frame.Message{}, false
}

// Since is the messages after a mark, for a violation that no single answer shows.
func Since(c *probe.Client, from probe.Mark) probe.Evidence {
	var shown probe.Evidence
	for _, s := range c.Since(from) {
		if s.Kind == frame.KindMessage {
			shown = append(shown, s.Frame)
		}
	}
	return shown
}

// A Listening is one subscriptions/listen in flight.
type Listening struct {
	*probe.Pending
	client   *probe.Client
	exchange int // over HTTP
	ended    bool
}

// Listen subscribes. The subscription ends with the case, if not before.
func Listen(c *probe.Client, filter any, options ...probe.Option) *Listening {
	return Start(c, probe.Object{"notifications": filter}, options...)
}

// Start is Listen with any params.
func Start(c *probe.Client, params probe.Object, options ...probe.Option) *Listening {
	l := &Listening{Pending: c.Start(Method, params, options...), client: c}
	c.Cleanup(l.End)
	if sent, ok := l.Sent(); ok {
		l.exchange = sent.Exchange
	}
	return l
}

// End cancels the subscription, and waits until that must have had its effect.
func (l *Listening) End() {
	if !l.ended {
		l.ended = true
		l.Cancel("nothing more is wanted of it")
	}
}

// First is the first frame that concerns the subscription: its acknowledgement, another
// notification, the answer to the request, or the end of its stream.
func (l *Listening) First() (probe.Seen, bool) {
	return l.MustAwait(l.client.Waits().Answer, func(s probe.Seen) bool {
		return l.Tells(s) || l.Over(s) || Says(s, Acknowledgement)
	})
}

// Opened reports whether the server accepts the subscription.
func (l *Listening) Opened() (acknowledged probe.Seen, ok bool) {
	return l.acknowledged(func(s probe.Seen) bool { return Says(s, Acknowledgement) })
}

// Apart is Opened where another subscription of the connection is not acknowledged yet.
func (l *Listening) Apart() (acknowledged probe.Seen, ok bool) {
	return l.acknowledged(func(s probe.Seen) bool { return l.Tells(s) && Says(s, Acknowledgement) })
}

// OpenedFor is Apart, where the acknowledgement also shows by what it grants to which subscription
// it belongs: another case judges the id in it.
func (l *Listening) OpenedFor(own func(granted probe.Object) bool) (acknowledged probe.Seen, ok bool) {
	return l.acknowledged(func(s probe.Seen) bool {
		m, says := Told(s, Acknowledgement)
		return says && (l.Tells(s) || own(Granted(m)))
	})
}

// Granted is what an acknowledgement says will be told.
func Granted(acknowledgement frame.Message) probe.Object {
	filter, _ := acknowledgement.At("/params/notifications")
	return probe.ObjectOf(filter)
}

func (l *Listening) acknowledged(fits func(probe.Seen) bool) (probe.Seen, bool) {
	over := false
	found, came := l.MustAwait(l.client.Waits().Answer, func(s probe.Seen) bool {
		over = l.Over(s)
		return over || fits(s)
	})
	return found, came && !over
}

// MustOpen ends the case where the server does not accept the subscription: other cases
// judge that.
func (l *Listening) MustOpen() probe.Seen {
	acknowledged, ok := l.Opened()
	l.client.NotSeenIf(!ok, "the subscription was not acknowledged")
	return acknowledged
}

// MustLast is MustOpen for a case that waits for what the subscription brings: one that is over
// before anything changes brings nothing, which resources/listen-stays-open judges.
func (l *Listening) MustLast() {
	l.MustOpen()
	l.client.Barrier()
	over := slices.ContainsFunc(l.client.Since(0), l.Over)
	l.client.NotSeenIf(over, "the server ended the subscription before anything changed")
}

// Tells reports whether a frame is a notification of this subscription: it names the
// subscription, or comes on its stream.
func (l *Listening) Tells(s probe.Seen) bool {
	m := s.Message()
	if s.Dir != frame.Received || s.Kind != frame.KindMessage || m.Class != frame.Notification {
		return false
	}
	tag, ok := m.At("/params" + TagAt)
	return l.exchange > 0 && s.Exchange == l.exchange || ok && frame.SameID(probe.JSON(tag), l.ID())
}

// Astray says how the first notification of a method after a mark came that is none of this
// subscription; it is empty where none came.
func (l *Listening) Astray(from probe.Mark, method string) string {
	for _, s := range l.client.Since(from) {
		m, ok := Told(s, method)
		if !ok || l.Tells(s) {
			continue
		}
		tag, tagged := m.At("/params" + TagAt)
		if !tagged {
			return "without a subscription id in _meta"
		}
		return "with the subscription id " + probe.Show(tag)
	}
	return ""
}

// Over reports whether a frame ends the subscription.
func (l *Listening) Over(s probe.Seen) bool {
	return l.Answers(s) || s.Dir == frame.Received && s.Kind == frame.KindEnd && s.Exchange == l.exchange
}

// Told are the frames after a mark that this subscription brought.
func (l *Listening) Told(from probe.Mark) []probe.Seen {
	var told []probe.Seen
	for _, s := range l.client.Since(from) {
		if l.Tells(s) {
			told = append(told, s)
		}
	}
	return told
}
