package probe

import (
	"maps"
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An Option changes how the client sends one request, or how it awaits the answer.
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
	limited   bool // the case says how long to wait
	barrier   bool
	alike     string
}

// WithID sends a request under an id that the case chooses, given as JSON text.
func WithID(raw string) Option { return func(s *sending) { s.id = raw } }

// WithHeader adds the case's own HTTP headers; a header without values is left
// out of the request.
func WithHeader(header http.Header) Option {
	return func(s *sending) {
		if s.header == nil {
			s.header = http.Header{}
		}
		maps.Copy(s.header, header)
	}
}

// Bent changes an HTTP request on the wire, before it goes out over a TCP
// connection of its own: for requests that no HTTP library would send. It does
// nothing over stdio.
func Bent(bend func(*frame.HTTPRequest)) Option { return func(s *sending) { s.bend = bend } }

// CutIn writes a request in two pieces, cut after the first byte of the given
// text: to stdin, and over HTTP as a body in two chunks.
func CutIn(text string) Option { return func(s *sending) { s.cut = text } }

// To sends one HTTP request to another address, which may be relative to the
// target's. The request names no session, and another host gets no credentials.
func To(url string) Option { return func(s *sending) { s.url = url } }

// As sends one request with the credentials of another principal, on the same
// connection. It is for HTTP: over stdio an identity belongs to the process.
func As(principal string) Option { return func(s *sending) { s.principal = principal } }

// Patient waits as long as for the answer to a good request. It is for frames
// that a server has to answer, above all for the first one on a connection,
// which also waits for the start of the server.
func Patient() Option { return func(s *sending) { s.patient = true } }

// Within limits the wait for the answer.
func Within(limit time.Duration) Option {
	return func(s *sending) { s.patience, s.limited = limit, true }
}

// Alike names what the request has in common with others that a server may leave without an
// answer, beside what the requests say, such as what the client does meanwhile.
func Alike(requests string) Option { return func(s *sending) { s.alike = requests } }

// ThenBarrier sends a few requests after the frame that every server answers,
// and takes the frames until a little after their answers for the answer. It is for
// frames that a server may ignore: nobody waits for a time limit. Reply.Behind is the
// answer to the last of these requests; without it, silence proves nothing.
func ThenBarrier() Option { return func(s *sending) { s.barrier = true } }

// sending applies options to a request with this patience.
func (c *caller) sending(patience time.Duration, options []Option) sending {
	s := sending{patience: patience}
	for _, o := range options {
		o(&s)
	}
	if s.patient {
		s.patience, s.limited = c.patience(), false
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
		s.header = merged(c.withoutCredentials(), s.header)
	}
	return s
}

// barriers proves that the server dealt with the frames sent before. Servers
// work on several messages at once, so the first barrier may overtake their
// answers. Over HTTP, where the end of each exchange was awaited, one barrier
// is enough. It returns the last answer.
func (c *caller) barriers() (behind *Reply) {
	many := 3
	if c.setup.Transport == requirements.HTTP {
		many = 1
	}
	if many > 1 && c.setup.Patience.slow() {
		return barriersAtOnce(c, many)
	}
	for range many {
		if behind = c.Barrier(); !behind.Answered() {
			break
		}
	}
	return behind
}

// barriersAtOnce takes the time of one barrier, and returns the answer to the last one, or
// to the first that has none.
func barriersAtOnce(c *caller, many int) (behind *Reply) {
	began := time.Now()
	until := began.Add(c.setup.Waits.Answer)
	barriers := make([]*Pending, many)
	for i := range barriers {
		barriers[i] = c.Start(c.barrier(), nil)
	}
	for _, b := range barriers {
		if behind = b.replyUntil(until); !behind.Answered() {
			break
		}
	}
	passed(c, behind, time.Since(began))
	return behind
}

// Quiet waits for the frames that a server sends unasked after the opening, so
// that they are not taken for an answer to the next request.
func (c *caller) Quiet() {
	if reply := c.Barrier(); !reply.Answered() {
		c.Undecide("the server does not answer a plain request either: " + reply.Outcome())
	}
}

// Settle waits until the frames sent after the mark must have had their effect:
// over HTTP for the ends of their exchanges, then for answers to further
// requests. Other cases judge a server that no longer answers.
func (c *caller) Settle(from Mark) {
	c.AwaitEnds(from)
	if behind := c.barriers(); !behind.Answered() {
		c.Undecide("no further request is answered: " + behind.Outcome())
	}
}
