package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// acceptWait is the most time that Send waits until the server accepts the frame. Most
// servers do so at once. A server that accepts a frame only with its answer must not
// keep the kit from sending the next frame, such as a cancellation.
const acceptWait = 250 * time.Millisecond

// An SSEConn is a connection over the HTTP+SSE of 2024-11-05. The server's
// messages come on one stream of events, exchange 0, which the first Send
// opens. Each sent frame is a POST with a number of its own, to the URI that
// the stream announces. The connection ends with the stream.
type SSEConn struct {
	*HTTPConn

	opening sync.Once
	news    sync.Mutex
	to      *url.URL      // the URI for messages
	foreign error         // why the kit posts nothing to the announced URI
	ready   chan struct{} // closed once to or foreign is set
	over    chan struct{} // closed at the end of the stream
}

// DialSSE prepares a connection. Nothing is sent yet.
func DialSSE(ctx context.Context, target HTTPTarget, options Options) (*SSEConn, error) {
	conn, err := DialHTTP(ctx, target, options)
	if err != nil {
		return nil, err
	}
	return &SSEConn{HTTPConn: conn, ready: make(chan struct{}), over: make(chan struct{})}, nil
}

// Open opens the stream, unless it is open already, and waits for the URI for
// messages. The request carries the headers. When ctx ends first, the
// connection does too.
func (c *SSEConn) Open(ctx context.Context, header http.Header) error {
	c.opening.Do(func() { c.listen(ctx, header) })
	select {
	case <-c.ready:
	default:
		select {
		case <-c.ready:
		case <-c.over:
			return fmt.Errorf("open the event stream: %w", ErrClosed)
		case <-ctx.Done():
			c.cut(0, errors.New("no endpoint event came in time, so the kit does not know where to post"))
			return fmt.Errorf("open the event stream: %w", ctx.Err())
		}
	}
	c.news.Lock()
	defer c.news.Unlock()
	return c.foreign
}

// listen begins the stream. The stream lives until the server ends it or the
// connection closes.
func (c *SSEConn) listen(ctx context.Context, header http.Header) {
	life, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	e := &exchange{
		conn: c.HTTPConn, cut: cut, standing: true, headed: opened, event: c.announced, over: sync.OnceFunc(func() { close(c.over) }),
	}
	request, err := c.request(life, Opening(header))
	if err == nil {
		_, err = c.begin(life, e, request, "")
	}
	if err != nil {
		e.cut(err)
		e.over()
	}
}

// Opening is the GET that opens the stream, before a frame with these headers.
func Opening(header http.Header) frame.Outgoing {
	opening := http.Header{"Accept": {"text/event-stream"}, "Cache-Control": {"no-store"}}
	for name, values := range header {
		if !aboutBody(name) {
			opening[name] = values
		}
	}
	return frame.Outgoing{Method: http.MethodGet, Header: opening}
}

// aboutBody reports whether a header describes the body of a POST, or of its
// answer.
func aboutBody(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Content-Type", "Content-Length", "Content-Encoding":
		return true
	}
	return false
}

// opened refuses an answer that begins no stream.
func opened(status int) error {
	if status >= 300 {
		return fmt.Errorf("the GET that opens the event stream was answered with HTTP status %d", status)
	}
	return nil
}

// announced adopts the URI of an endpoint event. The kit posts to it only at the host of
// the stream; a case judges a URI at another port. Where a port is forwarded, servers name
// the one that they know.
func (c *SSEConn) announced(f frame.Frame) {
	if f.SSE == nil || f.SSE.Event != "endpoint" || f.Truncated {
		return
	}
	to, err := c.base.Parse(strings.TrimSpace(strings.Join(f.SSE.Data, "\n")))
	switch {
	case err != nil:
		err = errors.New("the endpoint event does not carry a URI, so the kit does not know where to post")
	case !overHTTP(to):
		err = errors.New("the endpoint event carries a URI that is not http:// or https://, so nothing is posted there")
	case !SameHost(to, c.base):
		err = fmt.Errorf("the endpoint event leads to another host, %s, and nothing is posted there", to.Hostname())
	}
	c.news.Lock()
	defer c.news.Unlock()
	if c.foreign != nil {
		return // a second event may come before the stream is cut
	}
	if c.to == nil {
		defer close(c.ready)
	}
	if err == nil {
		c.to = to
		return
	}
	c.foreign = err // and to stays: a message that is on its way goes where the first event leads
	if c.ended() == nil {
		c.cut(0, err)
	}
}

// ended asks the queue, too: its last frame may be read before over is closed.
func (c *SSEConn) ended() error {
	select {
	case <-c.over:
		return ErrClosed
	default:
	}
	if c.queue.over() {
		return ErrClosed
	}
	return nil
}

// Send posts one frame and waits a moment until the server accepts it. The
// first Send opens the stream, with its headers.
func (c *SSEConn) Send(ctx context.Context, out frame.Outgoing) (int, error) {
	if out.Method != "" && out.Method != http.MethodPost {
		return c.HTTPConn.Send(ctx, out)
	}
	if err := c.Open(ctx, out.Header); err != nil {
		return 0, err
	}
	if err := c.ended(); err != nil {
		return 0, fmt.Errorf("post to the server: %w", err)
	}
	if out.URL == "" {
		c.news.Lock()
		out.URL = c.to.String()
		c.news.Unlock()
	}
	taken := make(chan struct{})
	settle := sync.OnceFunc(func() { close(taken) })
	life, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	e := &exchange{conn: c.HTTPConn, cut: cut, posted: true, headed: func(int) error { settle(); return nil }, over: settle}
	request, err := c.request(life, out)
	number := 0
	if err == nil {
		number, err = c.begin(life, e, request, out.Text)
	}
	if err != nil {
		e.cut(err)
		return 0, fmt.Errorf("post to the server: %w", err)
	}
	timer := time.NewTimer(acceptWait)
	defer timer.Stop()
	select {
	case <-taken:
	case <-timer.C:
	case <-c.over:
	case <-ctx.Done():
	}
	return number, nil
}
