package probe_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const streams = "text/event-stream"

// event sends a server-sent event with an id, and with a message if the text is
// not empty.
func (s *server) event(exchange int, sse frame.SSE, text string) {
	f := frame.New(frame.Received, frame.KindMessage, []byte(text))
	if text == "" {
		f.Kind = frame.KindEvent
	}
	f.Exchange, f.SSE = exchange, &sse
	s.put(f)
}

// halves answers with an event that readers of event streams ignore.
func halves(text string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		s.head(h.Exchange, 200, "Content-Type", streams)
		f := frame.New(frame.Received, frame.KindEvent, []byte(text))
		f.Exchange, f.SSE = h.Exchange, &frame.SSE{}
		s.put(f)
		s.end(h.Exchange, frame.End{})
	}
}

// closing answers every call with a stream that it closes after an event with
// an id; then reacts to each resumed stream.
func closing(retry string, then func(s *server, h receivedFrame)) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		switch {
		case h.Message.Method == "tools/call":
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
			s.event(h.Exchange, frame.SSE{ID: "e1", HasID: true, Retry: retry, HasRetry: retry != ""}, "")
			s.end(h.Exchange, frame.End{})
		case h.Verb == http.MethodGet:
			then(s, h)
		default:
			polite(s, h)
		}
	}
}

// A client resumes a stream that was closed before the answer, when the server
// asks for it, after the last event; also more than once.
func TestPolledAnswer(t *testing.T) {
	t.Parallel()
	const lost = "HTTP status 200 without a JSON-RPC response, nor with one when the client resumed the stream"
	resumed := func(h receivedFrame) string { return h.Header.Get(protocol.HeaderLastEvent) }
	asked := func(s *server) (after []string) {
		for _, h := range s.heard() {
			if h.Verb == http.MethodGet {
				after = append(after, resumed(h))
			}
		}
		return after
	}
	for name, row := range map[string]struct {
		revision requirements.Revision
		retry    string
		then     func(s *server, h receivedFrame)
		want     string
		asked    []string
		took     time.Duration
	}{
		"answered at once": {requirements.R20251125, "300", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
			s.event(h.Exchange, frame.SSE{ID: "e2", HasID: true}, result("2", "{}"))
		}, "result {}", []string{"e1"}, 300 * time.Millisecond},
		"closed once more": {requirements.R20251125, "", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
			if resumed(h) == "e1" {
				s.event(h.Exchange, frame.SSE{ID: "e2", HasID: true}, "")
				s.end(h.Exchange, frame.End{})
				return
			}
			s.event(h.Exchange, frame.SSE{ID: "e3", HasID: true}, result("2", "{}"))
		}, "result {}", []string{"e1", "e2"}, 100 * time.Millisecond},
		"nothing at first": {requirements.R20251125, "", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
			if len(asked(s)) < 3 {
				s.end(h.Exchange, frame.End{})
				return
			}
			s.event(h.Exchange, frame.SSE{ID: "e2", HasID: true}, result("2", "{}"))
		}, "result {}", []string{"e1", "e1", "e1"}, 350 * time.Millisecond},
		"nothing ever": {requirements.R20251125, "4000", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
			s.end(h.Exchange, frame.End{})
		}, lost + " 3 times", []string{"e1", "e1", "e1"}, 12 * time.Second},
		"nothing, and no end": {requirements.R20251125, "", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
		}, lost, []string{"e1"}, 10 * time.Second},
		"refused": {requirements.R20251125, "100", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusMethodNotAllowed)
			s.end(h.Exchange, frame.End{})
		}, "HTTP status 200 without a JSON-RPC response", []string{"e1"}, 100 * time.Millisecond},
		"refused with an error": {requirements.R20251125, "100", func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusNotFound, "Content-Type", "application/json")
			s.say(h.Exchange, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`)
			s.end(h.Exchange, frame.End{})
		}, "HTTP status 200 without a JSON-RPC response", []string{"e1"}, 100 * time.Millisecond},
		"a pause that is too long": {requirements.R20251125, "60000", nil, "HTTP status 200 without a JSON-RPC response", nil, 0},
		"nothing to resume":        {requirements.R20260728, "100", nil, "HTTP status 200 without a JSON-RPC response", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{http: true, hear: closing(row.retry, row.then)}
				c := connect(t, s, at(row.revision))
				c.First()
				began := time.Now()
				reply := c.Call("tools/call", probe.Object{"name": "t"})
				if got := reply.Outcome(); got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("it took %v, want %v", took, row.took)
				}
				if diff := cmp.Diff(row.asked, asked(s)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A stream has the headers of a good client, and shows only its own frames.
func TestBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{http: true, hear: func(s *server, h receivedFrame) {
			if h.Verb != http.MethodGet {
				polite(s, h)
				return
			}
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams+"; charset=utf-8")
			s.event(h.Exchange, frame.SSE{ID: "7", HasID: true, Retry: "20", HasRetry: true}, `{"jsonrpc":"2.0","method":"n"}`)
			s.say(99, result("2", "{}"))
			s.end(h.Exchange, frame.End{})
		}}
		c := connect(t, s)
		c.First()
		stream := c.Begin(probe.Outgoing{Method: http.MethodGet, Header: http.Header{"X-Kit": {"1"}}})
		head, ok := stream.Head()
		if !ok || !head.Streams() || head.MediaType() != streams {
			t.Errorf("head %+v %t", head.HTTP, ok)
		}
		if _, more := stream.Await(time.Second, func(s probe.Seen) bool { return s.Message().Class == frame.Result }); more {
			t.Error("what came for another exchange is found")
		}
		stream.Abort()
		id, retry, ok := stream.LastEvent()
		if got := fmt.Sprintf("%s %v %t %d %d", id, retry, ok, len(stream.Frames()), len(stream.Evidence())); got != "7 20ms true 4 2" {
			t.Errorf("got %s", got)
		}
		sent := s.heard()
		last := sent[len(sent)-1]
		if got := last.Header.Get("Accept") + " " + last.Header.Get(protocol.HeaderVersion) + " " + last.Header.Get("X-Kit"); got != streams+" 2025-11-25 1" {
			t.Errorf("sent %s", got)
		}
	})
	c := connect(t, &server{hear: polite})
	if err := stopped(t, c, func(c *probe.Client) { c.Begin(probe.Outgoing{}) }); err == nil || !strings.Contains(err.Error(), "HTTP") {
		t.Errorf("over stdio: %v", err)
	}
}
