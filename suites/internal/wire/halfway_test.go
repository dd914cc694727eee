package wire_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
)

// TestAnswerToHalfARequest: a server may answer before it has read the request, close, and
// leave the rest unread.
func TestAnswerToHalfARequest(t *testing.T) {
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
			go func() {
				_, _ = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				_ = conn.Close()
			}()
		}
	}()
	text := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 4<<20) + `"}}`
	for range 40 {
		c, err := wire.DialHTTP(t.Context(), wire.HTTPTarget{URL: "http://" + listener.Addr().String()}, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		frames := exchange(t, c, send(t, c, frame.Outgoing{Text: text}))
		if !slices.ContainsFunc(frames, func(f frame.Frame) bool { return f.Kind == frame.KindHead && f.HTTP.Status == 413 }) {
			t.Fatalf("no answer: %s", frames[len(frames)-1].End.Err)
		}
		_ = c.Close(t.Context())
	}
}
