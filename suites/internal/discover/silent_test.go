package discover_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Where a server names its address and answers nothing on stdout, it may serve HTTP.
func TestAdviceNamesTheAddress(t *testing.T) {
	t.Parallel()
	const silence, banner = "no answer within 10s", "no answer within 10s; what came instead is "
	for name, row := range map[string]struct{ tried, stderr, want string }{
		"on stdout":          {banner + "Using Streamable HTTP on localhost:8080", "", `"localhost:8080": if it serves HTTP`},
		"on stderr":          {silence, "Server at http://0.0.0.0:3001/mcp.", `"http://0.0.0.0:3001/mcp": if it serves HTTP`},
		"the URL to judge":   {silence, "Server at http://0.0.0.0:3001/mcp.", "--url http://127.0.0.1:3001/mcp -- COMMAND"},
		"a port and a URL":   {silence, "listening on port 3001\nhttp://[::1]:3001/mcp\nhttp://[::1]:3001/sse", "--url http://[::1]:3001/mcp -- COMMAND"},
		"no path":            {silence, "Open http://localhost:3001/", "--url URL -- COMMAND"},
		"a port alone":       {silence, "listening on port 3001", `"listening on port 3001": if it serves HTTP`},
		"a port in use":      {silence, "Error: listen EADDRINUSE: address already in use :::3996", `"address already in use :::3996": if it serves HTTP`},
		"no address":         {silence, "ready", "--start-timeout"},
		"a banner alone":     {banner + "Hello", "ready", "logs and banners"},
		"an end, not HTTP":   {"the end of the process, exit code 1", "listening on port 3001", "run it by hand"},
		"an error, not HTTP": {`initialize: error {"code":-32603}`, "listening on port 3001", "answers with errors"},
	} {
		if got := discover.Advice(requirements.Stdio, row.tried, row.stderr); !strings.Contains(got, row.want) {
			t.Errorf("%s: got %s, want something with %q", name, got, row.want)
		}
	}
}

// A server of which one process ends while the other one says nothing is asked once more,
// and not for each revision anew; what the silent process wrote to stderr is kept.
func TestSilentBesideAnotherProcess(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		var started atomic.Int64
		serve := func(ctx context.Context, _ <-chan struct{}, in io.Reader, _, errw io.Writer) int {
			if started.Add(1) == 2 {
				return 1
			}
			_, _ = fmt.Fprintln(errw, "listening on localhost:8080")
			_, _ = io.Copy(io.Discard, in)
			return 0
		}
		l := look(requirements.Stdio, func(ctx context.Context) (probe.Conn, error) {
			return wire.DialStdio(ctx, target.Memory{Serve: serve}, wire.Options{})
		})
		l.Setup.Waits.Opening = time.Minute
		began := time.Now()
		found, err := l.Versions(t.Context())
		if err != nil || len(found.Revisions()) > 0 {
			t.Fatal(found.Revisions(), err)
		}
		defer found.Close(t.Context())
		if took := time.Since(began); took > 85*time.Second {
			t.Errorf("it took %s", took)
		}
		if !strings.Contains(found.Stderr, "localhost:8080") {
			t.Errorf("the stderr of the silent process is %q", found.Stderr)
		}
	})
}

// A process that knows only the handshake may ignore server/discover, and bear no second
// process beside it: silence says nothing then.
func TestIgnoresDiscoveryAndBearsOneProcess(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		var running atomic.Int64
		s := &fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{
			"server/discover": func(fakeserver.Request) any { return fakeserver.Silence{} },
		}}
		serve := func(ctx context.Context, stop <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			defer running.Add(-1)
			beside := running.Add(1) > 1
			read := bufio.NewReader(in)
			first, _ := read.ReadString('\n')
			if time.Sleep(time.Second); (beside || running.Load() > 1) && !strings.Contains(first, "server/discover") {
				return 1
			}
			return s.Serve(ctx, stop, io.MultiReader(strings.NewReader(first), read), out, errw)
		}
		l := look(requirements.Stdio, func(ctx context.Context) (probe.Conn, error) {
			return wire.DialStdio(ctx, target.Memory{Serve: serve}, wire.Options{})
		})
		l.Setup.Waits.Opening = time.Minute
		found, err := l.Versions(t.Context())
		if err != nil || len(found.Legacy) == 0 {
			t.Errorf("it speaks %v: %v, %v", found.Revisions(), found.Tried, err)
		}
		found.Close(t.Context())
	})
}

// Where the opening is answered under another id, or over several lines, its answer is not awaited for
// as long as a start may take. What a slow server logs before its answer is no answer.
func TestAnsweredInVain(t *testing.T) {
	t.Parallel()
	const pretty = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"protocolVersion\": \"2025-11-25\",\n" +
		"    \"capabilities\": {}\n  }\n}"
	const logged = "{\n  \"level\": \"info\",\n  \"result\": {\n  }\n}\nready {\n}"
	const unknown = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown"}}`
	plain, over := strings.Join(strings.Fields(pretty), ""), strings.Replace(unknown, ",", ",\n", 1)
	for name, row := range map[string]struct {
		begin, initialize, discover string
		after                       time.Duration // of the answers
		tried                       string        // empty: the server is reached
		most                        time.Duration
	}{
		"under another id":                {"", strings.Replace(plain, `"id":1`, `"id":"other"`, 1), unknown, 0, `has the id "other", the request had 1`, 15 * time.Second},
		"over several lines":              {"", pretty, over, 0, "is a message over 8 lines, want it on one: {", 15 * time.Second},
		"over several lines, with a log":  {logged, pretty, over, 0, "is a message over 8 lines, want it on one: {", 15 * time.Second},
		"over several lines, after a log": {"", logged + "\n" + pretty, over, 0, "is a message over 8 lines, want it on one: {", 15 * time.Second},
		"with a line break in a string": {"", strings.Replace(plain, `{}`, `{"berth":"A`+"\n"+`4"}`, 1), over, 0,
			"is a message over 2 lines, want it on one: {", 15 * time.Second},
		"late, after a log": {logged, plain, unknown, 40 * time.Second, "", 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble.Run(t, func(t *testing.T) {
				l := look(requirements.Stdio, func(ctx context.Context) (probe.Conn, error) {
					return wire.DialStdio(ctx, target.Memory{Serve: inVain(row.begin, row.initialize, row.discover, row.after)}, wire.Options{})
				})
				l.Setup.Waits.Opening = time.Minute
				began := time.Now()
				found, err := l.Versions(t.Context())
				if err != nil || (len(found.Revisions()) > 0) != (row.tried == "") {
					t.Fatal(found.Revisions(), found.Tried, err)
				}
				defer found.Close(t.Context())
				if tried := strings.Join(found.Tried, "\n"); !strings.Contains(tried, row.tried) {
					t.Errorf("tried: %s", tried)
				}
				if took := time.Since(began); took > row.most {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// inVain answers after a while, in these lines.
func inVain(begin, initialize, discover string, after time.Duration) func(context.Context, <-chan struct{}, io.Reader, io.Writer, io.Writer) int {
	return func(_ context.Context, _ <-chan struct{}, in io.Reader, out, _ io.Writer) int {
		if begin != "" {
			_, _ = fmt.Fprintln(out, begin)
		}
		for lines := bufio.NewScanner(in); lines.Scan(); {
			answer := initialize
			if strings.Contains(lines.Text(), "server/discover") {
				answer = discover
			}
			time.Sleep(after)
			_, _ = fmt.Fprintln(out, answer)
		}
		return 0
	}
}
