package hostile_test

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// floods are servers that send more than anybody can take.
func floods() []animal {
	onStdout := func(text string) serve {
		var tide tide
		return beside(func(ctx context.Context, out, _ io.Writer) { flood(ctx, out, text, tide.flood()) })
	}
	// Bytes that are not a frame have to hide an answer, and hide it again when the kit looks
	// a second time, whoever is quicker: so a rush comes in the place of the answer.
	blank := func(text string) serve {
		return func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			out = &whole{w: out}
			// More than the kit keeps, and less than it reads: on a busy machine a
			// thousand times as much could come before the kit reads the first request.
			for range 20 {
				_, _ = io.WriteString(out, text)
			}
			server := decent()
			begin := sync.OnceFunc(func() { go flood(ctx, out, text, &pace{slow: true}) })
			server.Stdio.Line = func(line []byte, _ io.Writer) bool {
				begin()
				if strings.Contains(string(line), `"method":"no/such_method"`) {
					flood(ctx, out, text, &pace{})
					return true
				}
				return false
			}
			return server.Serve(ctx, term, in, out, errw)
		}
	}
	var line, amid, unknown, stderr, noise tide
	var echoes atomic.Int64
	return []animal{
		{name: "endless line", serve: func(ctx context.Context, _ <-chan struct{}, _ io.Reader, out, _ io.Writer) int {
			torrent(ctx, out, strings.Repeat("a", 16<<10), line.flood())
			return 0
		}, exit: []int{3}},
		{name: "endless line beside answers", serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			go flood(ctx, out, strings.Repeat("a", 4<<10), amid.flood())
			return decent().Serve(ctx, term, in, out, errw)
		}, exit: []int{1}},
		{name: "endless empty lines", serve: blank(strings.Repeat("\n", 1000)), exit: []int{1}, says: "jsonrpc/method-not-found"},
		{name: "endless blanks and empty lines", serve: blank(strings.Repeat(" \t\r\n", 1000)), exit: []int{1},
			says: "jsonrpc/method-not-found"},
		{name: "endless notifications", serve: onStdout(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}` + "\n"), exit: []int{1}},
		{name: "endless unknown notifications", serve: beside(func(ctx context.Context, out, _ io.Writer) {
			torrent(ctx, out, `{"jsonrpc":"2.0","method":"notifications/x-zoo"}`+"\n", unknown.flood())
		}), exit: []int{0, 3}},
		{name: "endless progress for a token that nobody gave",
			serve: onStdout(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"never","progress":1}}` + "\n"), exit: []int{1}},
		{name: "endless pings of the server", serve: onStdout(`{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n"), exit: []int{1}},
		{name: "endless requests of the server",
			serve: onStdout(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}` + "\n"), exit: []int{1}},
		{name: "endless answers to nothing", serve: onStdout(`{"jsonrpc":"2.0","id":123456789,"result":{}}` + "\n"), exit: []int{1}},
		{name: "endless large notifications", serve: onStdout(
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 128<<10) + `"}}` + "\n"), exit: []int{1}},
		{name: "binary garbage", serve: beside(func(ctx context.Context, out, _ io.Writer) { garbage(ctx, out, noise.flood()) }), exit: []int{1}},
		{name: "stderr flood", serve: beside(func(ctx context.Context, _, errw io.Writer) {
			flood(ctx, errw, "\x1b[31mERROR\x1b[0m ::error::"+strings.Repeat("x", 1000)+"\n", stderr.flood())
		}), exit: []int{0}},
		{name: "an answer a thousand times", serve: altered(func(line string) string {
			if strings.Contains(line, `"result":{}`) && echoes.Add(1) < 10 { // replies to some pings are enough
				return strings.Repeat(line, 1000)
			}
			return line
		}), exit: []int{1}, says: "jsonrpc/single-response"},
	}
}

func garbage(ctx context.Context, out io.Writer, pace *pace) {
	noise := rand.New(rand.NewPCG(1, 2))
	block := make([]byte, 4<<10)
	for ; ctx.Err() == nil; pace.wait(ctx, len(block)) {
		for i := range block {
			block[i] = byte(noise.Uint32())
		}
		if _, err := out.Write(append(block, '\n')); err != nil {
			return
		}
	}
}

// babble are servers whose stdout holds no line of JSON.
func babble() []animal {
	var noise tide
	return []animal{
		{name: "binary garbage and nothing else", serve: func(ctx context.Context, _ <-chan struct{}, _ io.Reader, out, _ io.Writer) int {
			garbage(ctx, out, noise.flood())
			return 0
		}, exit: []int{3}},
		{name: "echo of what it reads", serve: each(func(_ int, r fakeserver.Request) (string, bool) { return r.Text, false }), exit: []int{3}},
		{name: "LSP framing", serve: altered(func(line string) string {
			line = strings.TrimSuffix(line, "\n")
			return "Content-Length: " + number(len(line)) + "\r\n\r\n" + line
		}), exit: []int{3}, says: "MCP over stdio has no header such as Content-Length"},
		{name: "byte order mark before each line", serve: altered(func(line string) string { return "\xef\xbb\xbf" + line }), exit: []int{0}},
		{name: "UTF-16", serve: altered(func(line string) string {
			return strings.Join(strings.Split(line, ""), "\x00") + "\x00"
		}), exit: []int{3}},
		{name: "CR-only line ends", serve: altered(func(line string) string { return strings.TrimSuffix(line, "\n") + "\r" }), exit: []int{3}},
		{name: "pretty-printed over several lines", serve: altered(func(line string) string { return strings.ReplaceAll(line, ",", ",\n  ") }),
			exit: []int{3}, says: "a message is written without line breaks"},
		{name: "half a line and nothing more", serve: speaker(`{"jsonrpc":"2.0","id":1,"res`), exit: []int{3}},
		{name: "NUL before each line", serve: altered(func(line string) string { return "\x00" + line }), exit: []int{3}},
		{name: "terminal escapes before each line", serve: altered(func(line string) string { return "\x1b[2J\x1b]0;owned\x07" + line }), exit: []int{3}},
		{name: "a workflow command as its banner", serve: speaker("::error::owned\n##teamcity[buildStop]\n##[error]owned\n"), exit: []int{3}, says: "owned"},
		{name: "a JSON text sequence", serve: altered(func(line string) string { return "\x1e" + line }), exit: []int{3}},
	}
}
