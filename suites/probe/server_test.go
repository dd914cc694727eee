package probe_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A server is the other end of a connection, scripted: hear reacts to each
// frame. Without it the server is silent.
type server struct {
	http  bool
	deaf  error // the error of every send
	hear  func(s *server, h receivedFrame)
	abort func(s *server, exchange int) // the reaction to an aborted exchange

	mu        sync.Mutex
	frames    []frame.Frame
	changed   chan struct{}
	sent      []receivedFrame
	exchanges int
	closed    int
	over      bool
}

// receivedFrame is one frame as the server got it.
type receivedFrame struct {
	Text, Verb string
	URL        string
	Bent       bool
	Header     http.Header
	Exchange   int
	Message    frame.Message
}

func (s *server) Send(ctx context.Context, out probe.Outgoing) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if s.deaf != nil {
		return 0, s.deaf
	}
	h := receivedFrame{Text: out.Text, Verb: out.Method, URL: out.URL, Bent: out.Bend != nil, Header: out.Header, Message: frame.Read([]byte(out.Text))}
	f := frame.New(frame.Sent, frame.KindMessage, []byte(out.Text))
	s.mu.Lock()
	if s.http {
		s.exchanges++
		h.Exchange = s.exchanges
		f.Exchange, f.HTTP = h.Exchange, &frame.HTTP{Method: out.Method, Header: out.Header}
		if out.Text == "" {
			f.Kind = frame.KindBody
		}
	}
	s.sent = append(s.sent, h)
	s.mu.Unlock()
	s.put(f)
	if s.hear != nil {
		s.hear(s, h)
	}
	return h.Exchange, nil
}

func (s *server) put(f frame.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	f.Seq = len(s.frames) + 1
	s.frames = append(s.frames, f)
	s.over = f.Kind == frame.KindEnd && f.Exchange == 0
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// say sends one message in an exchange or, with 0, unasked.
func (s *server) say(exchange int, text string) {
	f := frame.New(frame.Received, frame.KindMessage, []byte(text))
	f.Exchange = exchange
	s.put(f)
}

func (s *server) head(exchange, status int, header ...string) {
	f := frame.New(frame.Received, frame.KindHead, nil)
	f.Exchange, f.HTTP = exchange, &frame.HTTP{Status: status, Header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		f.HTTP.Header.Set(header[i], header[i+1])
	}
	s.put(f)
}

func (s *server) body(exchange int, text string) {
	f := frame.New(frame.Received, frame.KindBody, []byte(text))
	f.Exchange = exchange
	s.put(f)
}

// end ends an exchange or, with 0, the connection.
func (s *server) end(exchange int, e frame.End) {
	f := frame.New(frame.Received, frame.KindEnd, nil)
	f.Exchange, f.End = exchange, &e
	s.put(f)
}

// answer sends a whole answer: over HTTP with head and end, and without a text
// as 202.
func (s *server) answer(h receivedFrame, text string, header ...string) {
	switch {
	case !s.http && text != "":
		s.say(0, text)
	case s.http && text == "":
		s.head(h.Exchange, http.StatusAccepted)
		s.end(h.Exchange, frame.End{})
	case s.http:
		s.head(h.Exchange, http.StatusOK, header...)
		s.say(h.Exchange, text)
		s.end(h.Exchange, frame.End{})
	}
}

// next reads the frame at the place and moves the place on.
func (s *server) next(ctx context.Context, place *int) (frame.Frame, error) {
	for {
		s.mu.Lock()
		if *place < len(s.frames) {
			f := s.frames[*place]
			*place++
			s.mu.Unlock()
			return f, nil
		}
		if s.over {
			s.mu.Unlock()
			return frame.Frame{}, io.EOF
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return frame.Frame{}, ctx.Err()
		}
	}
}

func (s *server) heard() []receivedFrame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]receivedFrame(nil), s.sent...)
}

// texts are the frames that the server got, one line each.
func (s *server) texts() string {
	var lines []string
	for _, h := range s.heard() {
		lines = append(lines, strings.TrimSpace(h.Verb+" "+h.Text))
	}
	return strings.Join(lines, "\n")
}

func (s *server) closings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// A line is a client's connection to the server.
type line struct {
	*server
	place int
}

func (l *line) Next(ctx context.Context) (frame.Frame, error) { return l.next(ctx, &l.place) }

func (l *line) Abort(exchange int) {
	if l.abort != nil {
		l.abort(l.server, exchange)
	}
}

func (*line) CloseInput() error { return nil }

func (*line) Terminate() error { return nil }

func (l *line) Close(context.Context) error {
	l.mu.Lock()
	l.closed++
	l.mu.Unlock()
	l.end(0, frame.End{})
	return nil
}

// connect makes a client of the server. It closes with the test.
func connect(t *testing.T, s *server, edit ...func(*probe.Setup)) *probe.Client {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	setup := probe.Setup{
		Revision: requirements.R20251125, Transport: requirements.Stdio,
		Schemas: schemas.Load(), Capabilities: probe.Object{}, Kit: probe.Object{"name": "kit", "version": "1"},
		Memory: &probe.Memory{}, Waits: probe.Waits{Answer: 10 * time.Second, Event: 3 * time.Second, Rounds: 3},
		Roles: roles.NewSet(roles.Known()),
	}
	if s.http {
		setup.Transport = requirements.HTTP
	}
	nonces := 0
	setup.Nonce = func() string { nonces++; return fmt.Sprintf("n%d", nonces) }
	for _, each := range edit {
		each(&setup)
	}
	k := probe.Connect(ctx, probe.Link{Conn: &line{server: s}}, setup)
	t.Cleanup(func() {
		if err := k.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return probe.Speaking(t.Context(), k)
}

// control is the engine's end of the conversation.
func control(c *probe.Client) *probe.Control { return probe.ControlOf(c) }

// stopped runs a case and returns why it was stopped; nil when it reached its end.
func stopped(t *testing.T, c *probe.Client, speak func(c *probe.Client)) error {
	t.Helper()
	return control(c).Run(t.Context(), func(c *probe.Client) error { speak(c); return nil })
}

func at(r requirements.Revision) func(*probe.Setup) {
	return func(s *probe.Setup) { s.Revision = r }
}

// polite answers the handshake and pings correctly, and accepts notifications
// and responses.
func polite(s *server, h receivedFrame) {
	m := h.Message
	switch {
	case h.Verb == http.MethodDelete, m.Class == frame.Notification, m.Class == frame.Result, m.Class == frame.Error:
		s.answer(h, "")
	case m.Method == "initialize":
		version, _ := m.At("/params/protocolVersion")
		s.answer(h, result(m.ID, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, version)))
	case m.Class == frame.Request:
		s.answer(h, result(m.ID, "{}"))
	}
}

func result(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

func refusal(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":` + value + `}`
}
