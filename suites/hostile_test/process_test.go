package hostile_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// serve stands in for a process, in the form of suites.Local.
type serve = func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int

// offersTools gives the capabilities of most animals.
func offersTools() map[string]any { return map[string]any{"tools": map[string]any{}} }

// decent is a server that keeps the rules until a row spoils it.
func decent() *fakeserver.Server {
	return &fakeserver.Server{Capabilities: offersTools(), Tools: []map[string]any{fakeserver.Tool("look", true), fakeserver.Tool("change", false)}}
}

// beside is a decent server that writes further lines to the same stdout at the same
// time.
func beside(other func(ctx context.Context, out, errw io.Writer)) serve {
	return func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		out = &whole{w: out}
		go other(ctx, out, errw) // ctx ends with the process
		return decent().Serve(ctx, term, in, out, errw)
	}
}

// whole keeps the lines of several writers apart.
type whole struct {
	mu bubblelock.Mutex // writers wait for the kit
	w  io.Writer
}

func (w *whole) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(b)
}

// flood writes a text until the kit takes no more.
func flood(ctx context.Context, w io.Writer, text string, pace *pace) {
	for ; ctx.Err() == nil; pace.wait(ctx, len(text)) {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

// torrent is a flood that slows down only after so many bytes that a kit which kept them
// all would hold more than heapMost.
func torrent(ctx context.Context, w io.Writer, text string, pace *pace) {
	for bytes := 0; ctx.Err() == nil; bytes += len(text) {
		if pace.slow || bytes > heapMost+heapMost/4 {
			pace.wait(ctx, len(text))
		}
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

// speaker writes one text to stdout and then waits for its end.
func speaker(text string) serve {
	return func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		_, _ = io.WriteString(out, text)
		_, _ = io.Copy(io.Discard, in)
		return 0
	}
}

// each answers every line with any text; the second result ends the process.
func each(answer func(n int, r fakeserver.Request) (text string, end bool)) serve {
	return func(_ context.Context, _ <-chan struct{}, in io.Reader, out, _ io.Writer) int {
		reader := bufio.NewReader(in)
		for n := 1; ; n++ {
			line, err := reader.ReadString('\n')
			if err != nil {
				return 0
			}
			r := fakeserver.Request{Text: line}
			_ = json.Unmarshal([]byte(line), &r) // a line without a message has no members
			text, end := answer(n, r)
			if _, err := io.WriteString(out, text); err != nil || end {
				return 1
			}
		}
	}
}

// altered is a decent server with a function applied to every line of its stdout.
func altered(change func(line string) string) serve {
	return func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		return decent().Serve(ctx, term, in, writer(func(b []byte) (int, error) {
			_, err := io.WriteString(out, change(string(b)))
			return len(b), err
		}), errw)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// edited is a decent server, over both transports, with changed messages.
func edited(change func(text string) string) *fakeserver.Server {
	s := decent()
	s.Edit = change
	return s
}

// answering is a decent server with its own answer to one method.
func answering(method string, answer func(fakeserver.Request) any) *fakeserver.Server {
	s := decent()
	s.Answer = map[string]func(fakeserver.Request) any{method: answer}
	return s
}

// result is a response whose result is a text.
func result(r fakeserver.Request, text string) fakeserver.Raw {
	return fakeserver.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id(r), text))
}

func id(r fakeserver.Request) string {
	if r.ID == nil {
		return "null"
	}
	return string(r.ID)
}

// welcome is a lawful result of initialize with further members.
func welcome(more string) string {
	return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"zoo","version":"1"}` + more + `}`
}

// literal is a text as a JSON string with only the necessary escapes.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
