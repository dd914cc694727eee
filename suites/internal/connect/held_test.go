package connect_test

import (
	"net"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A server over HTTP/2 that brings Go's client to a stop costs one exchange: the exchange
// ends, its connection closes, and the next exchange has another TCP connection. What Go's
// client holds is lost, so this package does not look for goroutines that are left.
func TestHeldHTTP2(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go fakeserver.Overflow(conn)
		}
	}()
	way := connect.Way{Transport: requirements.HTTP, URL: "http://" + listener.Addr().String(), Pool: wire.NewPool(wire.Limits{})}
	way.Pool.SpeakHTTP2()
	dialer := connect.New(way, 1<<20, func(text string) string { return text })
	held := 0
	for tries := 0; held < 2 && tries < 50; tries++ {
		if strings.Contains(cutAfterHead(t, dialer), "HTTP/2") {
			held++
		}
	}
	if held < 2 {
		t.Errorf("%d exchanges were held, want 2", held)
	}
	way.Pool.CloseIdleConnections()
}

// cutAfterHead asks once and hangs up after the head of the answer. The frames that stop
// the client follow the head at once; an exchange that is cut sooner ends by itself.
func cutAfterHead(t *testing.T, dialer *connect.Dialer) (end string) {
	t.Helper()
	conn, err := dialer.Dial(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	number, err := conn.Send(t.Context(), frame.Outgoing{Text: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	for {
		f, err := conn.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch f.Kind {
		case frame.KindHead:
			conn.Abort(number)
		case frame.KindEnd:
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
			return f.End.Err
		default:
		}
	}
}
