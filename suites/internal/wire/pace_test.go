package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// Two connections share a pace, whatever their pools. A request waits for its turn, also when
// the deadline of its caller is sooner: that one is for the server.
func TestPace(t *testing.T) {
	t.Parallel()
	const rate = 20
	var came atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Add(1) }))
	defer server.Close()
	pool := wire.NewPool(wire.Limits{})
	defer pool.CloseIdleConnections()
	pace := wire.NewPace(rate)
	var conns []record.Conn
	for _, target := range []wire.HTTPTarget{{URL: server.URL, Pool: pool}, {URL: server.URL, Like: pool}} {
		c, err := wire.DialHTTP(t.Context(), target, wire.Options{Pace: pace})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.WithoutCancel(t.Context()))
		conns = append(conns, c)
	}
	began := time.Now()
	const requests = 5
	for i := range requests {
		soon, cancel := context.WithTimeout(t.Context(), time.Second/rate/2)
		number, err := conns[i%2].Send(soon, frame.Outgoing{Text: "{}"})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		exchange(t, conns[i%2], number)
	}
	if took, least := time.Since(began), (requests-1)*time.Second/rate; took < least || came.Load() != requests {
		t.Errorf("%d requests took %s, want %d in at least %s", came.Load(), took, requests, least)
	}
}

// A request that waits for its turn is let go when its connection closes.
func TestPaceOfAClosedConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := wire.NewPool(wire.Limits{})
		pool.Reroute(func(wire.Dialing) wire.Dialing {
			return func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody is there") }
		})
		c, err := wire.DialHTTP(t.Context(), wire.HTTPTarget{URL: "http://127.0.0.1", Pool: pool}, wire.Options{Pace: wire.NewPace(1)})
		if err != nil {
			t.Fatal(err)
		}
		send(t, c, frame.Outgoing{Text: "{}"})
		began := time.Now()
		time.AfterFunc(time.Second/2, func() { _ = c.Close(t.Context()) })
		if _, err := c.Send(t.Context(), frame.Outgoing{Text: "{}"}); !errors.Is(err, wire.ErrClosed) || time.Since(began) != time.Second/2 {
			t.Errorf("after %s: %v, want %v after half a second", time.Since(began), err, wire.ErrClosed)
		}
	})
}

// Connections over stdio share a pace, too. The deadline of a caller is later by the time that
// the request waits for its turn; what the caller has given up by then is not sent.
func TestPaceOverStdio(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := wire.NewPace(1)
		echo := memory(func(in io.Reader, out, _ io.Writer) int { return testchild.Echo(in, out) })
		conns := []*wire.StdioConn{dial(t, echo, wire.Options{Pace: pace}), dial(t, echo, wire.Options{Pace: pace})}
		began := time.Now()
		const requests = 5
		for i := range requests {
			soon, cancel := context.WithTimeout(t.Context(), time.Second/2)
			if _, err := conns[i%2].Send(soon, frame.Outgoing{Text: "{}"}); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
			cancel()
		}
		if took := time.Since(began); took != (requests-1)*time.Second {
			t.Errorf("%d requests took %s, want %s", requests, took, (requests-1)*time.Second)
		}
		ended, cancel := context.WithTimeout(t.Context(), time.Minute)
		time.AfterFunc(time.Second/2, cancel)
		if _, err := conns[0].Send(ended, frame.Outgoing{Text: "{}"}); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v, want %v", err, context.Canceled)
		}
	})
}

// Over HTTP+SSE, too, each POST waits for its turn.
func TestPaceOverSSE(t *testing.T) {
	t.Parallel()
	const rate = 20
	var posts atomic.Int64
	server := httptest.NewServer(&legacy{announce: relative, status: http.StatusAccepted, post: func() { posts.Add(1) }})
	defer server.Close()
	pool := wire.NewPool(wire.Limits{})
	defer pool.CloseIdleConnections()
	c, err := wire.DialSSE(t.Context(), wire.HTTPTarget{URL: server.URL, Pool: pool}, wire.Options{Pace: wire.NewPace(rate)})
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, c)
	began := time.Now()
	const requests = 4
	for range requests {
		send(t, c, frame.Outgoing{Text: "{}"})
	}
	if took, least := time.Since(began), requests*time.Second/rate; took < least || posts.Load() != requests {
		t.Errorf("the stream and %d posts took %s, want %d in at least %s", posts.Load(), took, requests, least)
	}
}
