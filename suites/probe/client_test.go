package probe_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The client answers pings and politely refuses all other requests.
func TestServersOwnRequests(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ asks, want string }{
		"a ping":           {`{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","id":"p","result":{}}`},
		"sampling":         {`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage"}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"the client does not offer this"}}`},
		"an exact id":      {`{"jsonrpc":"2.0","id":1.0e1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.0e1,"result":{}}`},
		"in an array":      {`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"x"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the client does not offer this"}}`},
		"a notification":   {`{"jsonrpc":"2.0","method":"ping"}`, ""},
		"a response":       {`{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		"no message":       {`ping`, ""},
		"an event over it": {``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{}
				c := connect(t, s)
				s.say(0, row.asks)
				synctest.Wait()
				if diff := cmp.Diff(row.want, s.texts()); diff != "" {
					t.Error(diff)
				}
				for _, seen := range c.Since(0) {
					if seen.Malformed {
						t.Errorf("%s counts as malformed", seen.Raw())
					}
				}
			})
		})
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	anything := func(probe.Seen) bool { return true }
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		c := connect(t, s)
		s.say(0, "before")
		synctest.Wait()
		mark := c.Mark()
		time.AfterFunc(time.Second, func() { s.say(0, "soon") })
		time.AfterFunc(time.Minute, func() { s.end(0, frame.End{}) })
		for _, step := range []struct {
			name  string
			from  probe.Mark
			limit time.Duration
			fits  func(probe.Seen) bool
			want  string
			took  time.Duration
		}{
			{"what is there already", 0, time.Hour, anything, "before", 0},
			{"what came since the mark", mark, time.Hour, anything, "soon", time.Second},
			{"what does not come", mark, 4 * time.Second, func(s probe.Seen) bool { return string(s.Raw()) == "never" }, "", 4 * time.Second},
			{"what cannot come any more", mark, time.Hour, func(probe.Seen) bool { return false }, "", 55 * time.Second},
			{"what came before the end", mark, time.Hour, anything, "soon", 0},
			{"from beyond the end", 1000, time.Hour, anything, "", 0},
		} {
			began := time.Now()
			seen, ok := c.Await(step.from, step.limit, step.fits)
			if ok != (step.want != "") || string(seen.Raw()) != step.want || time.Since(began) != step.took {
				t.Errorf("%s: %q, %v after %s, want %q after %s", step.name, seen.Raw(), ok, time.Since(began), step.want, step.took)
			}
		}
		if got := len(c.Since(mark)); got != 2 {
			t.Errorf("%d frames since the mark, want the line and the end", got)
		}
		if got := c.Since(1000); len(got) != 0 {
			t.Errorf("there are frames beyond the end: %v", got)
		}
		for from, want := range map[probe.Mark]string{0: "before", mark: "soon", 1000: ""} {
			if seen, found := c.Find(from, anything); found != (want != "") || string(seen.Raw()) != want {
				t.Errorf("the first frame after %d is %q, %t, want %q", from, seen.Raw(), found, want)
			}
		}
	})
}

func TestAwaitIsCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		err := control(c).Run(ctx, func(c *probe.Client) error {
			seen, ok := c.Await(0, time.Hour, func(probe.Seen) bool { return true })
			t.Errorf("got %q, %v", seen.Raw(), ok)
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped by %v", err)
		}
	})
}

// Next skips responses and frames without a message.
func TestNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		c := connect(t, s)
		for _, line := range []string{"noise", result("1", "{}"), `[]`, `{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`} {
			s.say(0, line)
		}
		first, ok := c.Next(0, time.Second)
		if !ok || first.Message().Method != "n" {
			t.Fatalf("got %q, %v, want the notification", first.Raw(), ok)
		}
		second, ok := c.Next(probe.Mark(first.Seq), time.Second)
		if !ok || second.Message().Method != "ping" {
			t.Errorf("got %q, %v, want the ping", second.Raw(), ok)
		}
		if third, ok := c.Next(c.Mark(), time.Second); ok {
			t.Errorf("got %q, want nothing", third.Raw())
		}
	})
}

// Several goroutines use one connection, and each gets its own answers.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := &server{}
	s.hear = func(s *server, h receivedFrame) { s.answer(h, result(h.Message.ID, `{"id":`+h.Message.ID+`}`)) }
	c := connect(t, s)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			id := fmt.Sprint(100 + i)
			reply := c.Call("x", nil, probe.WithID(id))
			if reply.Outcome() != `result {"id":`+id+`}` {
				t.Errorf("%s: %s", id, reply.Outcome())
			}
			c.Note("a note")
			c.Mark()
			c.Revision()
			c.Session()
		})
	}
	all.Wait()
	if len(control(c).Notes()) != 20 {
		t.Errorf("%d notes", len(control(c).Notes()))
	}
}

// Connections opened from a client share its notes and its end.
func TestAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var dialled []*server
		first := &server{http: true, hear: inSession}
		c := connect(t, first, dials(&mu, &dialled, inSession))
		if err := control(c).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				c.Opened().Note("noted")
			})
		}
		all.Wait()
		c.Another()
		if diff := cmp.Diff(slices.Repeat([]string{"noted"}, 4), control(c).Notes()); diff != "" {
			t.Error(diff)
		}
		if err := control(c).Close(t.Context()); err != nil {
			t.Error(err)
		}
		sessions := 0
		for _, s := range append(dialled, first) {
			if s.closings() != 1 {
				t.Errorf("a connection was closed %d times", s.closings())
			}
			sessions += strings.Count(s.texts(), "DELETE")
		}
		if sessions != 5 {
			t.Errorf("%d sessions were ended, want the five that were begun", sessions)
		}
	})
}

// dials makes a server with the same behaviour for every further connection.
func dials(mu *sync.Mutex, dialled *[]*server, hear func(*server, receivedFrame)) func(*probe.Setup) {
	return func(s *probe.Setup) {
		s.Dial = func(context.Context) (probe.Link, error) {
			other := &server{http: s.Transport == requirements.HTTP, hear: hear}
			mu.Lock()
			defer mu.Unlock()
			*dialled = append(*dialled, other)
			return probe.Link{Conn: &line{server: other}}, nil
		}
	}
}

func TestDialFails(t *testing.T) {
	t.Parallel()
	none := errors.New("no more of these")
	c := connect(t, &server{}, func(s *probe.Setup) {
		s.Dial = func(context.Context) (probe.Link, error) { return probe.Link{}, none }
	})
	if err := stopped(t, c, func(c *probe.Client) { c.Another() }); !errors.Is(err, none) {
		t.Errorf("Another is stopped by %v", err)
	}
	if err := stopped(t, c, func(c *probe.Client) { c.Opened() }); !errors.Is(err, none) {
		t.Errorf("Opened is stopped by %v", err)
	}
}

// A server that does not answer the end of its session costs as long as an
// event may take, and no longer.
func TestSlowEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{http: true, hear: func(s *server, h receivedFrame) {
			if h.Verb != "DELETE" {
				inSession(s, h)
			}
		}}
		c := connect(t, s)
		if err := control(c).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := control(c).Close(t.Context()); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("closed after %s: %v", time.Since(began), err)
		}
	})
}
