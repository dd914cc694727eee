package safety_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites"
)

// A recorder stands between the kit and a server, and keeps all messages of the kit.
type recorder struct {
	mu   sync.Mutex
	sent []string // lines over stdio, bodies over HTTP
}

func (r *recorder) keep(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, string(text))
}

// before puts the recorder before a server, over the transports of the server.
func (r *recorder) before(local *suites.Local) *suites.Local {
	recorded := &suites.Local{Path: local.Path}
	if local.Serve != nil {
		recorded.Serve = func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			var all bytes.Buffer
			code := local.Serve(ctx, term, io.TeeReader(in, &all), out, errw)
			for line := range bytes.Lines(all.Bytes()) {
				r.keep(line)
			}
			return code
		}
	}
	if local.Handler != nil {
		recorded.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body) // the bytes that have come are passed on
			if len(body) > 0 {
				r.keep(body)
			}
			q.Body = io.NopCloser(bytes.NewReader(body))
			local.Handler.ServeHTTP(w, q)
		})
	}
	return recorded
}
