package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
)

func TestHTTPFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    []frame.Kind
		err     string
	}{
		{"header flood", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("h", 100))
			}
		}, []frame.Kind{frame.KindMessage, frame.KindEnd}, "header"},
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			[]frame.Kind{frame.KindMessage, frame.KindEnd}, "EOF"},
		{"half a body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"id":1}`)
		}, []frame.Kind{frame.KindMessage, frame.KindHead, frame.KindMessage, frame.KindEnd}, "unexpected EOF"},
		{"half a stream", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\ndata: 2\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, []frame.Kind{frame.KindMessage, frame.KindHead, frame.KindMessage, frame.KindEvent, frame.KindEnd}, "unexpected EOF"},
		{"endless body", func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 100)); err != nil {
					return
				}
			}
		}, []frame.Kind{frame.KindMessage, frame.KindHead, frame.KindBody, frame.KindEnd}, "longer than the limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, wire.Options{Limits: wire.Limits{Header: 8 << 10, Frame: 1000}}, tt.handler)
			frames := exchange(t, c, send(t, c, frame.Outgoing{Text: "{}"}))
			var kinds []frame.Kind
			for _, f := range frames {
				kinds = append(kinds, f.Kind)
			}
			if diff := cmp.Diff(tt.want, kinds); diff != "" {
				t.Error(diff)
			}
			last, before := frames[len(frames)-1], frames[len(frames)-2]
			if !strings.Contains(last.End.Err, tt.err) {
				t.Errorf("end %+v, want %q", last.End, tt.err)
			}
			if before.Dir == frame.Received && !before.Truncated {
				t.Error("what was cut does not say so")
			}
		})
	}
}

func TestHTTPNobodyThere(t *testing.T) {
	t.Parallel()
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	c := reach(t, wire.HTTPTarget{URL: "http://" + address}, wire.Options{})
	frames := exchange(t, c, send(t, c, frame.Outgoing{Text: "{}"}))
	if end := frames[1].End; len(frames) != 2 || !strings.Contains(end.Err, "refused") {
		t.Errorf("got %+v", end)
	}
}

// hang answers with the head of a stream and one event, then nothing. It ends
// when its client has gone.
func hang(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: {\"n\":1}\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestHTTPHangingServer(t *testing.T) {
	t.Parallel()
	c := serve(t, wire.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	gone, cancel := context.WithCancel(t.Context())
	number, err := c.Send(gone, frame.Outgoing{Text: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	if f := next(t, c); f.Dir != frame.Sent {
		t.Errorf("first %v", f.Dir)
	}
	cancel()
	if _, err := c.Next(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Send(gone, frame.Outgoing{Text: "{}"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// The exchange outlives the context of its start.
	c.Abort(number)
	if f := next(t, c); f.Kind != frame.KindEnd || f.Exchange != number || !strings.Contains(f.End.Err, "aborted") {
		t.Errorf("got %v %+v", f.Kind, f.End)
	}
}

func TestHTTPAbortEndsOneExchangeOnly(t *testing.T) {
	t.Parallel()
	c := serve(t, wire.Options{}, hang)
	first, second := send(t, c, frame.Outgoing{Method: "GET"}), send(t, c, frame.Outgoing{Text: "{}"})
	if first != 1 || second != 2 {
		t.Errorf("exchanges %d and %d", first, second)
	}
	for range 6 { // both sent, both heads, both events
		if f := next(t, c); f.Kind == frame.KindEnd {
			t.Errorf("exchange %d ended: %+v", f.Exchange, f.End)
		}
	}
	c.Abort(first)
	if f := next(t, c); f.Kind != frame.KindEnd || f.Exchange != first || !strings.Contains(f.End.Err, "aborted") {
		t.Errorf("got %v of %d, %+v", f.Kind, f.Exchange, f.End)
	}
	c.Abort(first)
	c.Abort(99)
	shut(t, c)
	left := rest(t, c)
	if len(left) != 2 || left[0].Exchange != second || !strings.Contains(left[0].End.Err, "closed by the kit") {
		t.Errorf("left %+v", left)
	}
}

// A stream that floods has to wait for a reader, and Close does not wait for
// the stream.
func TestHTTPCloseDuringAFlood(t *testing.T) {
	t.Parallel()
	c := serve(t, wire.Options{Limits: wire.Limits{Unread: 10_000}}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, "data: {}\n\n"); err != nil {
				return
			}
		}
	})
	send(t, c, frame.Outgoing{Text: "{}"})
	for range 1000 {
		next(t, c)
	}
	shut(t, c)
	if left := rest(t, c); len(left) > 10_000/512+4 {
		t.Errorf("%d frames were kept", len(left))
	}
}

func TestHTTPBadTargets(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "127.0.0.1:80", "ftp://x/", "http://", "http://x:y:z/", "/mcp"} {
		if c, err := wire.DialHTTP(t.Context(), wire.HTTPTarget{URL: url}, wire.Options{}); err == nil || c != nil {
			t.Errorf("%q: got %v %v", url, c, err)
		}
	}
	c := reach(t, wire.HTTPTarget{URL: "http://127.0.0.1:1/"}, wire.Options{})
	defer func() {
		shut(t, c)
		if _, err := c.Send(t.Context(), frame.Outgoing{}); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("sent after close: %v", err)
		}
	}()
	for _, out := range []frame.Outgoing{{Method: "BAD METHOD"}, {URL: "file:///x"}, {URL: "http://[::"}} {
		if n, err := c.Send(t.Context(), out); err == nil || n != 0 {
			t.Errorf("%+v: got %d %v", out, n, err)
		}
	}
}
