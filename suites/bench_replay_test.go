package suites_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// stuck is how long a replay waits for a response before it gives its connection up.
const stuck = 2 * time.Second

// responds reports whether a message answers a request, which the same request brings
// about again; what a server says by itself need not come twice.
func responds(m frame.Message) bool { return m.Class == frame.Result || m.Class == frame.Error }

type player func(ctx context.Context, seen []probe.Seen) error

// overStdio replays a connection as the simplest client would: write a line,
// read as many responses as came before the next was written.
func (t *tape) overStdio(command []string, env map[string]string) player {
	return func(ctx context.Context, seen []probe.Seen) error {
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
		lines, due, got := bufio.NewReaderSize(out, 1<<16), answered(seen), 0
		// What hung on time or on another connection may not come again.
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
				}
			}
		}
		i := 0
		for _, s := range seen {
			if s.Dir == frame.Sent {
				read(due[i])
				i++
				// A server that ended on purpose no longer reads.
				_, _ = io.WriteString(in, string(s.Raw())+"\n")
			}
		}
		read(due[i])
		_ = in.Close()
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // some cases end the server by a signal
		return nil
	}
}

// overHTTP replays each request of a connection after the one before it was
// answered, with the session id that this replay was given.
func (t *tape) overHTTP(url string) player {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}
	return func(ctx context.Context, seen []probe.Seen) error {
		session := ""
		for _, s := range seen {
			if s.Dir != frame.Sent || s.HTTP == nil || s.HTTP.Method == http.MethodGet {
				continue
			}
			request, err := http.NewRequestWithContext(ctx, s.HTTP.Method, url, strings.NewReader(string(s.Raw())))
			if err != nil {
				return err
			}
			request.Header = s.HTTP.Header.Clone()
			if session != "" && request.Header.Get("Mcp-Session-Id") != "" {
				request.Header.Set("Mcp-Session-Id", session)
			}
			response, err := client.Do(request)
			if err != nil {
				return err
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if id := response.Header.Get("Mcp-Session-Id"); id != "" {
				session = id
			}
		}
		return nil
	}
}

func (t *tape) listen(h http.Handler) (url string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }
}
