package suites_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// stuck is how long a replay waits for a response before it gives its connection up.
const stuck = 2 * time.Second

// unwilling answers a request of the server: the simplest client does nothing that it is
// asked for.
func unwilling(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"not here"}}`
}

// responds reports whether a message answers a request: a repeated request
// brings it again, while unasked messages need not come twice.
func responds(m frame.Message) bool { return m.Class == frame.Result || m.Class == frame.Error }

type player func(ctx context.Context, tape []noted) error

// overStdio replays a connection as the simplest client would: it writes a
// line, and reads as many responses as came before the next line.
func (t *tape) overStdio(command []string, env map[string]string) player {
	return func(ctx context.Context, tape []noted) error {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = os.Environ()
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		lines, due, got := bufio.NewReaderSize(out, 1<<16), answered(tape), 0
		// Responses that depended on time or another connection may not come again.
		patience := time.AfterFunc(time.Hour, func() { _ = cmd.Process.Kill() })
		read := func(until int) {
			for got < until {
				patience.Reset(stuck)
				line, err := lines.ReadBytes('\n')
				patience.Stop()
				switch {
				case err != nil:
					got = 1 << 30
				case responds(frame.Read(line)):
					got++
				default:
					if m := frame.Read(line); m.Class == frame.Request {
						_, _ = io.WriteString(in, unwilling(m.ID)+"\n")
					}
				}
			}
		}
		i := 0
		for _, n := range tape {
			if n.sent {
				read(due[i])
				i++
				if responds(frame.Read([]byte(n.text))) {
					continue // the replay has given its own answer
				}
				// A server that ended on purpose no longer reads.
				_, _ = io.WriteString(in, n.text+"\n")
			}
		}
		read(due[i])
		_ = in.Close()
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // some cases end the server by a signal
		return nil
	}
}

// overHTTP replays each request of a connection after the answer to the one
// before, with the session id of this replay.
func (t *tape) overHTTP(url string) player {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}
	return func(ctx context.Context, tape []noted) error {
		session := ""
		for _, n := range tape {
			if !n.sent || n.http == nil || n.http.Method == http.MethodGet || strings.Contains(n.text, `"subscriptions/listen"`) {
				continue // standing streams are not compared
			}
			if responds(frame.Read([]byte(n.text))) {
				continue // the replay has given its own answer
			}
			request, err := http.NewRequestWithContext(ctx, n.http.Method, url, strings.NewReader(n.text))
			if err != nil {
				return err
			}
			request.Header = n.http.Header.Clone()
			if session != "" && request.Header.Get("Mcp-Session-Id") != "" {
				request.Header.Set("Mcp-Session-Id", session)
			}
			response, err := client.Do(request)
			if err != nil {
				return err
			}
			// The replay leaves a stream that does not end by itself.
			leaving := time.AfterFunc(stuck, func() { _ = response.Body.Close() })
			take(response, func(m frame.Message) {
				answer, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(unwilling(m.ID)))
				if err != nil {
					return
				}
				answer.Header = request.Header.Clone()
				if accepted, err := client.Do(answer); err == nil {
					_ = accepted.Body.Close()
				}
			})
			leaving.Stop()
			_ = response.Body.Close()
			if id := response.Header.Get("Mcp-Session-Id"); id != "" {
				session = id
			}
		}
		return nil
	}
}

// take reads the messages of a response as they come, as any client has to, and hands
// over what the server asks.
func take(response *http.Response, asked func(frame.Message)) {
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		if body, _ := io.ReadAll(response.Body); len(body) > 0 {
			frame.Read(body)
		}
		return
	}
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if data, is := bytes.CutPrefix(line, []byte("data:")); is {
			if m := frame.Read(bytes.TrimSpace(data)); m.Class == frame.Request {
				asked(m)
			}
		}
	}
}

// listen starts the server over HTTP as a process: its memory does not count as
// the kit's.
func listen(b *testing.B, command []string) (url string, stop func()) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), command[0], append(command[1:], "--http", "127.0.0.1:0")...)
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), "serving ")
	if err != nil || !found {
		b.Fatalf("the server says %q: %v", line, err)
	}
	return url, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
