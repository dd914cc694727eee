package hostile_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// lives are processes that end too early or never.
func lives() []animal {
	var late tide
	return []animal{
		{name: "exits at once, with an attack on stderr", serve: func(_ context.Context, _ <-chan struct{}, _ io.Reader, _, errw io.Writer) int {
			_, _ = io.WriteString(errw, "\n"+evil+"\n::error::owned\n##teamcity[buildStop]\n")
			return 7
		}, exit: []int{3}, says: "exit code 7"},
		{name: "exits after the first answer", serve: each(func(_ int, r fakeserver.Request) (string, bool) {
			return string(answer(r)) + "\n", true
		}), exit: []int{1}},
		{name: "exits at each fifth request", serve: each(func(n int, r fakeserver.Request) (string, bool) {
			if r.ID == nil {
				return "", false
			}
			return string(answer(r)) + "\n", n >= 5
		}), exit: []int{1}},
		{name: "panics at the first list", serve: each(func(_ int, r fakeserver.Request) (string, bool) {
			if r.Method == "tools/list" {
				panic(evil)
			}
			if r.ID == nil {
				return "", false
			}
			return string(answer(r)) + "\n", false
		}), exit: []int{1}},
		{name: "ignores the end of its input and the request to end", serve: func(ctx context.Context, _ <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			decent().Serve(ctx, nil, in, out, errw)
			<-ctx.Done()
			return 0
		}, exit: []int{0}},
		{name: "closes its stdout and lives on", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, _ io.Writer) int {
			_ = out.(io.Closer).Close()
			return untilAsked(ctx, term)
		}, exit: []int{3}},
		{name: "closes its stdout after the handshake and lives on", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, _ io.Writer) int {
			lines := bufio.NewReader(in)
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return 0
				}
				if strings.Contains(line, "notifications/initialized") {
					_ = out.(io.Closer).Close()
					return untilAsked(ctx, term)
				}
				_, _ = io.WriteString(out, string(answer(parsed(line)))+"\n")
			}
		}, exit: []int{3}},
		{name: "closes its input and says nothing", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, _, _ io.Writer) int {
			_ = in.(io.Closer).Close()
			return untilAsked(ctx, term)
		}, exit: []int{3}},
		{name: "reads nothing", serve: func(ctx context.Context, term <-chan struct{}, _ io.Reader, _, _ io.Writer) int {
			return untilAsked(ctx, term)
		}, exit: []int{3}},
		{name: "speaks on after its input has ended", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			announces := decent()
			announces.Capabilities = map[string]any{"tools": map[string]any{"listChanged": true}} // otherwise the flood would be a finding
			announces.Serve(ctx, term, in, out, errw)
			flood(ctx, out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"com.example/why":"`+strings.Repeat("x", 4<<10)+`"}}}`+"\n", late.flood())
			return 0
		}, exit: []int{0}},
	}
}

func untilAsked(ctx context.Context, term <-chan struct{}) int {
	select {
	case <-term:
	case <-ctx.Done():
	}
	return 0
}

// times are slow or silent servers.
func times() []animal {
	later := func(d time.Duration) serve {
		return func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			return decent().Serve(ctx, term, in, writer(func(b []byte) (int, error) {
				select {
				case <-time.After(d):
				case <-ctx.Done():
				}
				return out.Write(b)
			}), errw)
		}
	}
	return []animal{
		{name: "answers the handshake and then nothing", serve: each(func(_ int, r fakeserver.Request) (string, bool) {
			if r.Method == "initialize" {
				return string(answer(r)) + "\n", false
			}
			return "", false
		}), exit: []int{3}},
		{name: "says nothing at all", serve: speaker(""), exit: []int{3}},
		{name: "always just too late", serve: later(450 * time.Millisecond), exit: []int{3}},
		{name: "always late, and in time", serve: later(300 * time.Millisecond), exit: []int{0}},
		{name: "one byte at a time", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			return decent().Serve(ctx, term, in, writer(func(b []byte) (int, error) {
				for i := range b {
					if _, err := out.Write(b[i : i+1]); err != nil {
						return i, err
					}
				}
				return len(b), nil
			}), errw)
		}, exit: []int{0}},
		{name: "a byte every ten milliseconds", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			return decent().Serve(ctx, term, in, writer(func(b []byte) (int, error) {
				for i := range b {
					select {
					case <-tick.C:
					case <-ctx.Done():
						return i, ctx.Err()
					}
					if _, err := out.Write(b[i : i+1]); err != nil {
						return i, err
					}
				}
				return len(b), nil
			}), errw)
		}, exit: []int{3}},
	}
}
