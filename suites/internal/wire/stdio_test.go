package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
)

func dial(t *testing.T, l target.Launcher, o wire.Options) *wire.StdioConn {
	t.Helper()
	c, err := wire.DialStdio(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestStdioKeepsOrderAndBytes(t *testing.T) {
	t.Parallel()
	c := dial(t, memory(func(in io.Reader, out, _ io.Writer) int { return testchild.Echo(in, out) }), wire.Options{})
	for _, text := range []string{`{"id":1}`, "\xff\x00 not JSON", "", "two\nlines"} {
		if n := send(t, c, frame.Outgoing{Text: text}); n != 0 {
			t.Errorf("exchange %d", n)
		}
	}
	send(t, c, frame.Outgoing{Text: "half", Unterminated: true})
	if err := c.CloseInput(); err != nil {
		t.Error(err)
	}
	if _, err := c.Send(t.Context(), frame.Outgoing{Text: "late"}); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("sent after the end: %v", err)
	}
	var sent, received []string
	frames := rest(t, c)
	for _, f := range frames[:len(frames)-1] {
		if f.Dir == frame.Sent {
			sent = append(sent, string(f.Raw()))
			continue
		}
		received = append(received, string(f.Raw()))
		if len(sent) == 0 {
			t.Error("an answer stands before what it answers")
		}
	}
	if diff := cmp.Diff([]string{`{"id":1}`, "\xff\x00 not JSON", "", "two\nlines", "half"}, sent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`{"id":1}`, "\xff\x00 not JSON", "", "two", "lines"}, received); diff != "" {
		t.Error(diff)
	}
	end := frames[len(frames)-1].End
	if diff := cmp.Diff(&frame.End{Exited: true, Unterminated: []byte("half")}, end); diff != "" {
		t.Error(diff)
	}
}

func TestStdioFraming(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, out string
		raw       string
		size      int
		truncated bool
		framing   []string
	}{
		{"plain", "{}\n", "{}", 2, false, nil},
		{"carriage return", "{}\r\n", "{}\r", 3, false, []string{frame.OddCarriageReturn}},
		{"empty", "\n", "", 0, false, []string{frame.OddEmptyLine}},
		{"blank", " \t\r\n", " \t\r", 3, false, []string{frame.OddCarriageReturn, frame.OddEmptyLine}},
		{"mark", "\xef\xbb\xbf{}\n", "\xef\xbb\xbf{}", 5, false, []string{frame.OddBOM}},
		{"at the limit", strings.Repeat("a", 100) + "\n", strings.Repeat("a", 100), 100, false, nil},
		{"over the limit", strings.Repeat("a", 101) + "\n", strings.Repeat("a", 100), 101, true, nil},
		{"over the buffer", strings.Repeat("a", 100_000) + "\n", strings.Repeat("a", 100), 100_000, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, says(tt.out+"next\n"), wire.Options{Limits: wire.Limits{Frame: 100}})
			f := next(t, c)
			if string(f.Raw()) != tt.raw || f.Size != tt.size || f.Truncated != tt.truncated || f.Dir != frame.Received {
				t.Errorf("got %q, size %d, truncated %v", f.Raw(), f.Size, f.Truncated)
			}
			if diff := cmp.Diff(tt.framing, f.Framing); diff != "" {
				t.Error(diff)
			}
			if f := next(t, c); string(f.Raw()) != "next" {
				t.Errorf("then %q", f.Raw())
			}
		})
	}
}

func TestStdioRedactsOnlyText(t *testing.T) {
	t.Parallel()
	c := dial(t, says("hush hush\n"), wire.Options{Redact: func(s string) string { return strings.ReplaceAll(s, "hush", "*") }})
	if f := next(t, c); f.Text() != "* *" || string(f.Raw()) != "hush hush" {
		t.Errorf("got %q of %q", f.Text(), f.Raw())
	}
}

func TestStdioEnd(t *testing.T) {
	t.Parallel()
	c := dial(t, memory(func(_ io.Reader, out, errw io.Writer) int {
		_, _ = io.WriteString(out, "x\nrest of it")
		_, _ = io.WriteString(errw, "0123456789")
		return 3
	}), wire.Options{Limits: wire.Limits{Frame: 4, Stderr: 3}})
	frames := rest(t, c)
	last := frames[len(frames)-1]
	want := &frame.End{Exited: true, ExitCode: 3, Unterminated: []byte("rest"), Stderr: "...789"}
	if diff := cmp.Diff(want, last.End); diff != "" {
		t.Error(diff)
	}
	if last.Size != len("rest of it") || !last.Truncated {
		t.Errorf("size %d, truncated %v", last.Size, last.Truncated)
	}
	if _, err := c.Send(t.Context(), frame.Outgoing{Text: "x"}); err == nil {
		t.Error("a frame went to a server that has ended")
	}
	shut(t, c)
	if _, err := c.Send(t.Context(), frame.Outgoing{Text: "x"}); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("sent after close: %v", err)
	}
}

// A server that floods stdout has to wait for a reader, and Close does not wait
// for the server.
func TestStdioBackpressure(t *testing.T) {
	t.Parallel()
	const read, more = 5000, 1000 // lines; more exceeds what is kept
	synctest.Test(t, func(t *testing.T) {
		var written atomic.Int64
		line := strings.Repeat("z", 1000) + "\n"
		flood := target.Memory{Serve: func(ctx context.Context, _ <-chan struct{}, _ io.Reader, out, _ io.Writer) int {
			for range read + more {
				if _, err := io.WriteString(out, line); err != nil {
					return 0
				}
				written.Add(1)
			}
			<-ctx.Done()
			return 0
		}}
		c := dial(t, flood, wire.Options{Limits: wire.Limits{Unread: 100_000}, Grace: time.Second})
		for n := range int64(read) {
			// The room in the queue, the reader and the pipe.
			if ahead, most := written.Load()-n, int64(100_000/1800+1+33+66+1); ahead > most {
				t.Fatalf("%d lines were written ahead, want at most %d", ahead, most)
			}
			if f := next(t, c); len(f.Raw()) != 1000 {
				t.Fatalf("%d bytes", len(f.Raw()))
			}
		}
		shut(t, c)
		frames := rest(t, c)
		if end := frames[len(frames)-1].End; !strings.Contains(end.Err, "not kept") || end.Signal != "SIGKILL" {
			t.Errorf("end: %+v", end)
		}
	})
}

func TestStdioSendHonoursItsContext(t *testing.T) {
	t.Parallel()
	deaf := target.Memory{Serve: func(ctx context.Context, _ <-chan struct{}, _ io.Reader, _, _ io.Writer) int {
		<-ctx.Done()
		return 0
	}}
	c := dial(t, deaf, wire.Options{Grace: time.Millisecond})
	gone, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	try := func(text string) {
		_, err := c.Send(gone, frame.Outgoing{Text: text})
		errs <- err
	}
	go try(strings.Repeat("w", 1<<20))
	if f := next(t, c); f.Dir != frame.Sent || f.Size != 1<<20 {
		t.Errorf("got %v of %d bytes", f.Dir, f.Size)
	}
	go try("behind it")
	cancel()
	for range 2 {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if f, err := c.Next(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v %v", f.Text(), err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := c.Send(t.Context(), frame.Outgoing{Text: "without a deadline"})
		waiting <- err
	}()
	shut(t, c)
	if err := <-waiting; err == nil {
		t.Error("a frame went to a closed connection")
	}
}

func TestStdioConcurrentSenders(t *testing.T) {
	t.Parallel()
	c := dial(t, memory(func(in io.Reader, out, _ io.Writer) int { return testchild.Echo(in, out) }), wire.Options{})
	var senders sync.WaitGroup
	for i := range 8 {
		senders.Go(func() {
			for j := range 50 {
				if _, err := c.Send(t.Context(), frame.Outgoing{Text: fmt.Sprintf("%d-%d-%s", i, j, strings.Repeat("x", 2000))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen := map[string]int{}
	for range 800 {
		seen[string(next(t, c).Raw())]++
	}
	senders.Wait()
	for text, n := range seen {
		if n != 2 {
			t.Errorf("%.10s... was seen %d times", text, n)
		}
	}
	if len(seen) != 400 {
		t.Errorf("%d different frames", len(seen))
	}
}

func TestStdioCloseTwiceAtOnce(t *testing.T) {
	t.Parallel()
	c := dial(t, says("x\n"), wire.Options{})
	var closers sync.WaitGroup
	for range 3 {
		closers.Go(func() { shut(t, c) })
	}
	closers.Wait()
	if got := rest(t, c); len(got) != 2 {
		t.Errorf("%d frames", len(got))
	}
}

func TestStdioStartFails(t *testing.T) {
	t.Parallel()
	if c, err := wire.DialStdio(t.Context(), target.Command{Argv: []string{"no-such-server"}}, wire.Options{}); err == nil || c != nil {
		t.Errorf("got %v %v", c, err)
	}
}

// Output after the end of the server's input is not lost, although its reader
// is slow.
func TestStdioSlowReaderLosesNothing(t *testing.T) {
	t.Parallel()
	const lines = 3000
	c := dial(t, memory(func(in io.Reader, out, _ io.Writer) int {
		_, _ = io.Copy(io.Discard, in)
		for range lines {
			if _, err := io.WriteString(out, "{}\n"); err != nil {
				return 1
			}
		}
		return 0
	}), wire.Options{Limits: wire.Limits{Unread: 10_000}})
	var closing sync.WaitGroup
	closing.Go(func() { shut(t, c) })
	read := 0
	for {
		f := next(t, c)
		if f.Kind == frame.KindEnd {
			if f.End.Err != "" {
				t.Error(f.End.Err)
			}
			break
		}
		read++
	}
	closing.Wait()
	if read != lines {
		t.Errorf("%d lines were read, want %d", read, lines)
	}
}

// A caller without time gets no frame, even if there is one.
func TestNextHonoursItsContext(t *testing.T) {
	t.Parallel()
	c := dial(t, says("{}\n{}\n"), wire.Options{})
	next(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := c.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", f, err)
	}
	next(t, c)
}
