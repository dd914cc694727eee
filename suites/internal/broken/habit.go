package broken

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A habit says what becomes of requests: of one process over stdio, of all requests over
// HTTP. The zero habit answers each at once.
type habit struct {
	drops func(fakeserver.Request) bool // leaves the request without an answer
	late  func(fakeserver.Request) time.Duration
	one   bool // ignores requests while another one is open
	stays bool // does not end with its standard input, only when it is told to

	open atomic.Bool

	// Over stdio: the server looks at the line behind one that holds only when one more has
	// come, and at none behind one that stops it.
	holds, stops func(line []byte) bool
	queue        [][]byte
	stuck, gone  bool
}

// ready gives the lines that are dealt with now that another has come.
func (h *habit) ready(line []byte) (now [][]byte) {
	h.gone = h.gone || h.stops != nil && h.stops(line)
	switch {
	case h.gone:
		return nil
	case h.holds == nil:
		return [][]byte{line}
	}
	h.queue = append(h.queue, line)
	if h.stuck && len(h.queue) == 1 {
		return nil
	}
	for h.stuck = false; len(h.queue) > 0 && !h.stuck; h.queue = h.queue[1:] {
		if h.stuck = h.holds(h.queue[0]); !h.stuck {
			now = append(now, h.queue[0])
		}
	}
	return now
}

// every drops each nth request but the handshake.
func every(n int64) func(fakeserver.Request) bool {
	var came atomic.Int64
	return func(r fakeserver.Request) bool { return r.Method != "initialize" && came.Add(1)%n == 0 }
}

// takes reports whether the message will be dealt with.
func (h *habit) takes(r fakeserver.Request) bool {
	switch {
	case r.ID == nil || r.Method == "":
		return true
	case h.drops != nil && h.drops(r):
		return false
	}
	return !h.one || h.open.CompareAndSwap(false, true)
}

// works lets the time pass that the answer takes.
func (h *habit) works(ctx context.Context, r fakeserver.Request) {
	if h.late != nil && r.ID != nil && r.Method != "" {
		timer := time.NewTimer(h.late(r))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	h.open.Store(false)
}

func (s Server) begin() *habit {
	if s.habit == nil {
		return &habit{}
	}
	return s.habit()
}

// Stdio is the server as a process that works on several requests at once.
func (s Server) Stdio() *plan.Local { return &plan.Local{Serve: s.Serve} }

// Serve stands in for a process.
func (s Server) Serve(ctx context.Context, term <-chan struct{}, in io.Reader, out, _ io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	server, h := s.make(), s.begin()
	lines := make(chan []byte)
	var writing sync.Mutex
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	go func() {
		defer close(lines)
		reader := bufio.NewReaderSize(in, 1<<16)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case line, ok := <-lines:
			if !ok && h.stays {
				lines = nil
				continue
			}
			if !ok {
				return 0
			}
			for _, line := range h.ready(line) {
				r := read(line)
				if !h.takes(r) {
					continue
				}
				working.Go(func() {
					h.works(ctx, r)
					writing.Lock()
					defer writing.Unlock()
					if text := server.Reply(line); text != "" {
						_, _ = io.WriteString(out, text+"\n") // the kit may be gone
					}
				})
			}
		case <-term:
			return 0
		case <-ctx.Done():
			return 1
		}
	}
}

// read reads a message as far as possible.
func read(text []byte) fakeserver.Request {
	var r fakeserver.Request
	_ = json.Unmarshal(text, &r)
	return r
}

// HTTP is the server over Streamable HTTP.
func (s Server) HTTP() *plan.Local { return &plan.Local{Handler: s.Handler()} }

// Handler serves Streamable HTTP, without sessions.
func (s Server) Handler() http.Handler {
	inner, h := s.make().Handler(), s.begin()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		asked := read(body)
		if !h.takes(asked) {
			<-r.Context().Done()
			return
		}
		h.works(r.Context(), asked)
		r.Body = io.NopCloser(bytes.NewReader(body))
		inner.ServeHTTP(w, r)
	})
}
