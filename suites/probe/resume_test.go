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
)

// A polling server closes the event stream of each call at once. The stream continues when the
// client comes back.
type polling struct {
	*server
	retry string
	calls map[string]receivedFrame // by the event at which the stream of a call was closed
	back  func(p *polling, h receivedFrame, call receivedFrame)
	late  []string // what the client asked for, with the time since the beginning
	began time.Time
}

// poll is a client of a polling server; back continues the stream of a call.
func poll(t *testing.T, retry string, back func(p *polling, h, call receivedFrame)) (*polling, *probe.Client) {
	t.Helper()
	p := &polling{retry: retry, calls: map[string]receivedFrame{}, back: back}
	p.server = &server{http: true, hear: p.hears}
	c := connect(t, p.server)
	c.First()
	p.began = time.Now()
	return p, c
}

func (p *polling) hears(s *server, h receivedFrame) {
	last := h.Header.Get(protocol.HeaderLastEvent)
	if m := h.Message.Method; m == "tools/call" || m == "bad" {
		s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
		p.calls[fmt.Sprint("e", h.Message.ID)] = h
		p.closes(h.Exchange, "e"+h.Message.ID)
		return
	}
	if last == "" {
		polite(s, h)
		return
	}
	p.late = append(p.late, fmt.Sprint(last, " after ", time.Since(p.began)))
	call, _, _ := strings.Cut(last, ".")
	p.back(p, h, p.calls[call])
}

// closes ends a stream behind an event.
func (p *polling) closes(exchange int, event string) {
	p.event(exchange, frame.SSE{ID: event, HasID: true, Retry: p.retry, HasRetry: p.retry != ""}, "")
	p.end(exchange, frame.End{})
}

// answers continues a stream with the answer to its call.
func (p *polling) answers(h, call receivedFrame) {
	p.head(h.Exchange, http.StatusOK, "Content-Type", streams)
	p.event(h.Exchange, frame.SSE{ID: "last", HasID: true}, result(call.Message.ID, "{}"))
	p.end(h.Exchange, frame.End{})
}

// reports continues a stream with progress, and closes it once more.
func (p *polling) reports(h, call receivedFrame) {
	p.head(h.Exchange, http.StatusOK, "Content-Type", streams)
	p.event(h.Exchange, frame.SSE{}, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
	p.closes(h.Exchange, "e"+call.Message.ID+".1")
}

// opens continues a stream, and says nothing more.
func (p *polling) opens(h, _ receivedFrame) {
	p.head(h.Exchange, http.StatusOK, "Content-Type", streams)
}

// twice reports progress on the first connection that continues a stream, and answers on the second.
func (p *polling) twice(h, call receivedFrame) {
	if strings.Contains(h.Header.Get(protocol.HeaderLastEvent), ".") {
		p.answers(h, call)
		return
	}
	p.reports(h, call)
}

// refuses lets no stream continue.
func (p *polling) refuses(h, _ receivedFrame) {
	p.head(h.Exchange, http.StatusMethodNotAllowed)
	p.end(h.Exchange, frame.End{})
}

// Await comes back to a stream that the server closes before the answer, as often as it takes.
func TestAwaitComesBack(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		retry  string
		back   func(p *polling, h, call receivedFrame)
		atMost time.Duration
		method string // that is awaited; empty: the answer
		came   bool
		took   time.Duration
		asked  []string
	}{
		"the answer":            {"300", (*polling).answers, time.Second, "", true, 300 * time.Millisecond, []string{"e2 after 300ms"}},
		"the answer, in pieces": {"", (*polling).twice, time.Second, "", true, 100 * time.Millisecond, []string{"e2 after 50ms", "e2.1 after 100ms"}},
		"progress": {
			"", (*polling).twice, time.Second, "notifications/progress", true, 50 * time.Millisecond, []string{"e2 after 50ms"},
		},
		"nothing within the time":      {"", (*polling).opens, time.Second, "", false, time.Second, []string{"e2 after 50ms"}},
		"no time to come back":         {"300", (*polling).answers, 200 * time.Millisecond, "", false, 200 * time.Millisecond, nil},
		"no time at all":               {"", (*polling).answers, 0, "", false, 0, nil},
		"the server refuses to resume": {"", (*polling).refuses, time.Second, "", false, time.Second, []string{"e2 after 50ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, c := poll(t, row.retry, row.back)
				call := c.Start("tools/call", probe.Object{"name": "t"})
				seen := map[int]int{}
				_, came := call.Await(row.atMost, func(s probe.Seen) bool {
					seen[s.Seq]++
					if row.method != "" {
						return s.Dir == frame.Received && s.Message().Method == row.method
					}
					return call.Answers(s)
				})
				if took := time.Since(s.began); came != row.came || took != row.took {
					t.Errorf("came: %t after %v, want %t after %v", came, took, row.came, row.took)
				}
				if diff := cmp.Diff(row.asked, s.late); diff != "" {
					t.Error(diff)
				}
				for seq, times := range seen {
					if times > 1 {
						t.Errorf("frame %d was shown %d times", seq, times)
					}
				}
			})
		})
	}
}

// Await and Reply come back to one stream, each where the other one left it. Several calls wait
// at the same time for the moment to come back.
func TestComesBackOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := poll(t, "1000", (*polling).twice)
		first, second := c.Start("tools/call", probe.Object{"name": "t"}), c.Start("tools/call", probe.Object{"name": "t"})
		told := func(s probe.Seen) bool { return s.Message().Method == "notifications/progress" }
		if _, came := first.Await(3*time.Second, told); !came {
			t.Error("no progress of the first call")
		}
		for _, call := range []*probe.Pending{second, first} {
			if reply := call.Reply(); !reply.Served() || reply.Took() != 0 {
				t.Errorf("%s after %v, want a result at once", reply.Outcome(), reply.Took())
			}
		}
		want := []string{"e2 after 1s", "e3 after 1s", "e3.1 after 2s", "e2.1 after 2s"}
		if diff := cmp.Diff(want, s.late); diff != "" {
			t.Error(diff)
		}
	})
}

// A wait for several calls comes back to the streams of all of them.
func TestAwaitAny(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := poll(t, "300", (*polling).answers)
		first, second := c.Start("tools/call", probe.Object{"name": "t"}), c.Start("tools/call", probe.Object{"name": "t"})
		if _, came := probe.AwaitAny(c, []*probe.Pending{first, second}, time.Second, second.Answers); !came {
			t.Error("the second call is not answered")
		}
		if diff := cmp.Diff([]string{"e2 after 300ms", "e3 after 300ms"}, s.late); diff != "" {
			t.Error(diff)
		}
	})
}

// An answer that does not come on a stream which is still open is silence, as on a stream that was
// never closed.
func TestSilentOnOpenStream(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		back func(p *polling, h, call receivedFrame)
		want bool
	}{"open": {(*polling).opens, true}, "refused": {(*polling).refuses, false}} {
		synctest.Test(t, func(t *testing.T) {
			_, c := poll(t, "", row.back)
			if got := c.Call("tools/call", probe.Object{"name": "t"}).Silent(); got != row.want {
				t.Errorf("%s: silent is %t", name, got)
			}
		})
	}
}

// A bad request is answered on the resumed stream too, and a stream that is open when the time of a
// case is over is silence.
func TestReplyComesBack(t *testing.T) {
	t.Parallel()
	nameless := func(p *polling, h, _ receivedFrame) {
		p.head(h.Exchange, http.StatusOK, "Content-Type", streams)
		p.event(h.Exchange, frame.SSE{ID: "last", HasID: true}, refusal("null", `{"code":-32600,"message":"no"}`))
	}
	for name, row := range map[string]struct {
		back func(p *polling, h, call receivedFrame)
		ask  func(c *probe.Client) *probe.Reply
		want string
		took time.Duration
	}{
		"a bad request": {(*polling).answers, func(c *probe.Client) *probe.Reply {
			return c.Ask(`{"jsonrpc":"2.0","id":7,"method":"bad"}`)
		}, "result {}", 50 * time.Millisecond},
		"a bad request, without an id in the answer": {nameless, func(c *probe.Client) *probe.Reply {
			return c.Ask(`{"jsonrpc":"2.0","id":7,"method":"bad"}`)
		}, `error {"code":-32600,"message":"no"}`, 50 * time.Millisecond},
		"a bad request before others": {(*polling).answers, func(c *probe.Client) *probe.Reply {
			return c.Ask(`{"jsonrpc":"2.0","id":7,"method":"bad"}`, probe.ThenBarrier())
		}, "result {}", 50 * time.Millisecond},
		"in a short time": {(*polling).opens, func(c *probe.Client) *probe.Reply {
			return c.Call("tools/call", probe.Object{"name": "t"}, probe.Within(2*time.Second))
		}, "no answer within 2s in the body that HTTP status 200 began", 2 * time.Second},
		"behind a wait in vain": {(*polling).opens, func(c *probe.Client) *probe.Reply {
			p := c.Start("tools/call", probe.Object{"name": "t"})
			p.MustAwait(3*time.Second, p.Answers)
			return p.Reply()
		}, "HTTP status 200 without a JSON-RPC response, nor with one when the client resumed the stream", 3 * time.Second},
		"refused": {(*polling).refuses, func(c *probe.Client) *probe.Reply {
			return c.Ask(`{"jsonrpc":"2.0","id":7,"method":"bad"}`)
		}, "HTTP status 200 without a JSON-RPC response", 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, c := poll(t, "", row.back)
				got := row.ask(c).Outcome()
				if took := time.Since(s.began); got != row.want || took != row.took {
					t.Errorf("got %s after %v, want %s after %v", got, took, row.want, row.took)
				}
			})
		})
	}
}

// The client comes back as whoever sent the request, to the session that the answer opens.
func TestComesBackAsTheSameClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := poll(t, "", (*polling).answers)
		c.Call("tools/call", probe.Object{"name": "t"}, probe.WithHeader(http.Header{"Authorization": {"Bearer b"}, "Accept": {"*/*"}}))
		sent := s.heard()
		last := sent[len(sent)-1]
		if got := last.Verb + " " + last.Header.Get("Authorization") + " " + last.Header.Get("Accept"); got != "GET Bearer b "+streams {
			t.Errorf("it came back with %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		given := ""
		s := &server{http: true, hear: func(s *server, h receivedFrame) {
			switch {
			case h.Message.Method == "initialize":
				s.head(h.Exchange, http.StatusOK, "Content-Type", streams, protocol.HeaderSession, "s1")
				s.event(h.Exchange, frame.SSE{ID: "e1", HasID: true}, "")
				s.end(h.Exchange, frame.End{})
			case h.Verb == http.MethodGet:
				given = h.Header.Get(protocol.HeaderSession)
				s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
				s.event(h.Exchange, frame.SSE{}, result("1", `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`))
				s.end(h.Exchange, frame.End{})
			default:
				polite(s, h)
			}
		}}
		if c := connect(t, s); !c.First().Served() || given != "s1" || c.Session() != "s1" {
			t.Errorf("it came back to the session %q, and has %q", given, c.Session())
		}
	})
}
