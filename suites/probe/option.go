package probe

import (
	"maps"
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An Option changes how one request is sent, or how its answer is awaited.
type Option func(*sending)

type sending struct {
	id        string
	header    http.Header
	url       string
	bend      func(*frame.HTTPRequest)
	cut       string
	principal string
	anonymous bool
	patience  time.Duration
	patient   bool
	barrier   bool
}

// WithID sends a call under an id of the case's own, given as JSON text.
func WithID(raw string) Option { return func(s *sending) { s.id = raw } }

// WithHeader adds HTTP headers of the case's own; one without values is left
// out of the request.
func WithHeader(header http.Header) Option {
	return func(s *sending) {
		if s.header == nil {
			s.header = http.Header{}
		}
		maps.Copy(s.header, header)
	}
}

// Bent changes an HTTP request as it stands on the wire, before it is sent over a TCP
// connection of its own: for what no HTTP library would send. Over stdio nothing is
// changed.
func Bent(bend func(*frame.HTTPRequest)) Option { return func(s *sending) { s.bend = bend } }

// CutIn writes a request to stdin in two pieces: it is cut behind the first byte of the
// place where this text begins. Over HTTP nothing is changed.
func CutIn(text string) Option { return func(s *sending) { s.cut = text } }

// To sends one HTTP request to another address, which may be relative to that of the
// target. It names no session, and another host gets no credentials.
func To(url string) Option { return func(s *sending) { s.url = url } }

// As sends one request with the credentials of another principal, on the same
// connection. It is for HTTP: over stdio an identity belongs to the process.
func As(principal string) Option { return func(s *sending) { s.principal = principal } }

// Patient waits as long as for the answer to a good request. It is for frames
// that have to be answered, above all for the first one on a connection, which
// also waits for the server to start.
func Patient() Option { return func(s *sending) { s.patient = true } }

// Within bounds how long the answer is awaited.
func Within(limit time.Duration) Option { return func(s *sending) { s.patience = limit } }

// ThenBarrier sends a few requests behind the frame that every server answers,
// and takes what came for the frame until then: no silence is sat out. It is
// for frames that may be ignored. Reply.Behind is the answer to the last of
// them; when that one is missing, silence says nothing.
func ThenBarrier() Option { return func(s *sending) { s.barrier = true } }

// sending is how a request is sent that awaits its answer that long by itself.
func (c *Client) sending(patience time.Duration, options []Option) sending {
	s := sending{patience: patience}
	for _, o := range options {
		o(&s)
	}
	if s.patient {
		s.patience = c.patience()
	}
	if s.bend != nil && c.setup.HTTP2 {
		c.NotSeen("the case changes a request as it stands on the wire in HTTP/1.1, and the server is spoken to in HTTP/2")
	}
	if s.principal != "" {
		shown, ok := c.identity(s.principal)
		if !ok || c.setup.Transport != requirements.HTTP {
			c.unidentified(s.principal)
		}
		maps.Copy(shown, s.header)
		s.header = shown
	}
	if s.anonymous {
		s.header = merged(c.nobody(), s.header)
	}
	return s
}

// awaitBarrier collects what comes for a frame until requests behind it are
// answered.
func (r *Reply) awaitBarrier() {
	c := r.client
	r.patience, r.well = 0, false
	if r.exchange > 0 && !r.apart() {
		// Over HTTP the exchange has an end of its own to wait for.
		r.patience = c.setup.Waits.Event
		r.wait()
	}
	if r.behind = c.barriers(); r.exchange == 0 || r.apart() {
		r.wait()
	}
}

// barriers shows that what was sent before has been dealt with. Servers work on
// several messages at once, so the first of these may overtake what comes for
// them. Over HTTP, where each exchange has an end that was awaited, one is enough. It
// returns the answer to the last.
func (c *Client) barriers() (behind *Reply) {
	many := 3
	if c.setup.Transport == requirements.HTTP {
		many = 1
	}
	for range many {
		if behind = c.Barrier(); !behind.Answered() {
			break
		}
	}
	return behind
}

// Quiet waits until what a server says unasked after the opening has come, so
// that it is not taken for an answer to what is sent next.
func (c *Client) Quiet() {
	if reply := c.Barrier(); !reply.Answered() {
		c.Undecide("the server does not answer a plain request either: " + reply.Outcome())
	}
}

// Settle waits until what was sent after the mark must have had its effect:
// over HTTP until the exchanges are over, then until further requests are
// answered. A server that no longer answers has another trouble.
func (c *Client) Settle(from Mark) {
	c.AwaitEnds(from)
	if behind := c.barriers(); !behind.Answered() {
		c.Undecide("no further request is answered: " + behind.Outcome())
	}
}

// caughtUp reports whether every exchange that was begun is in the log.
func (c *conversation) caughtUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logged >= c.posted
}

// AwaitEnds waits for the ends of the HTTP exchanges that started after the mark.
// Over stdio there is nothing to wait for.
func (c *Client) AwaitEnds(from Mark) {
	if now := c.Mark(); !c.caughtUp() {
		// What was sent last has not been read from the connection.
		c.Await(now, c.setup.Waits.Answer, func(Seen) bool { return c.caughtUp() })
	}
	for _, sent := range c.Since(from) {
		if sent.Dir == frame.Sent && sent.Exchange > 0 {
			c.Await(from, c.setup.Waits.Answer, ends(sent.Exchange))
		}
	}
}
