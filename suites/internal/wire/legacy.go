package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// settling is how long a Send waits until the server has taken the frame. Most
// servers say so at once. One that does so only with its answer must not keep us
// from sending the next frame, such as a cancellation.
const settling = 250 * time.Millisecond

// An SSEConn is a connection over the HTTP+SSE of 2024-11-05. The server's
// messages come on one stream of events, exchange 0, which is opened by the first
// Send; what is sent is a POST each, with a number of its own, to the URI that the
// stream announces. The end of the stream is the end of the connection.
type SSEConn struct {
	*HTTPConn

	opening sync.Once
	news    sync.Mutex
	to      *url.URL      // where messages are posted
	foreign error         // why nothing is posted to what was announced
	ready   chan struct{} // closed when there is something to know of both
	over    chan struct{} // closed when the stream is
}

var _ Conn = (*SSEConn)(nil)

// DialSSE prepares a connection. Nothing is sent yet.
func DialSSE(ctx context.Context, target HTTPTarget, options Options) (*SSEConn, error) {
	conn, err := DialHTTP(ctx, target, options)
	if err != nil {
		return nil, err
	}
	return &SSEConn{HTTPConn: conn, ready: make(chan struct{}), over: make(chan struct{})}, nil
}

// Transport returns SSE.
func (c *SSEConn) Transport() string { return SSE }

// Open opens the stream, unless that was done before, and waits for the URI that
// messages are posted to. The headers go along with the request. When ctx ends
// first, the connection does too.
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
			c.HTTPConn.mu.Lock()
			cut := c.running[0]
			c.HTTPConn.mu.Unlock()
			if cut != nil {
				cut(errors.New("no endpoint event came in time, so the kit does not know where to post"))
			}
			return fmt.Errorf("open the event stream: %w", ctx.Err())
		}
	}
	c.news.Lock()
	defer c.news.Unlock()
	return c.foreign
}

// listen begins the stream. It lives until the server ends it or the connection
// is closed.
func (c *SSEConn) listen(ctx context.Context, header http.Header) {
	opening := http.Header{"Accept": {"text/event-stream"}, "Cache-Control": {"no-store"}}
	for name, values := range header {
		if !aboutBody(name) {
			opening[name] = values
		}
	}
	life, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	e := &exchange{
		conn: c.HTTPConn, cut: cut, standing: true, headed: opened, event: c.announced, over: sync.OnceFunc(func() { close(c.over) }),
	}
	request, err := c.request(life, frame.Outgoing{Method: http.MethodGet, Header: opening})
	if err == nil {
		_, err = c.begin(life, e, request, "")
	}
	if err != nil {
		e.cut(err)
		e.over()
	}
}

// aboutBody reports whether a header says something of what is posted, or of the
// answer to that.
func aboutBody(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Content-Type", "Content-Length", "Content-Encoding":
		return true
	}
	return false
}

// opened refuses the answer that begins no stream.
func opened(status int) error {
	if status >= 300 {
		return fmt.Errorf("the GET that opens the event stream was answered with HTTP status %d", status)
	}
	return nil
}

// announced takes the URI of an endpoint event over. The host that it names is
// asked for nothing unless it is that of the server, or this machine.
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
	case !strings.EqualFold(to.Hostname(), c.base.Hostname()) && !(loopback(to) && loopback(c.base)):
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
	c.to, c.foreign = to, err
	if err != nil && c.ended() == nil {
		c.HTTPConn.mu.Lock()
		defer c.HTTPConn.mu.Unlock()
		if cut := c.running[0]; cut != nil {
			cut(err)
		}
	}
}

func loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

func (c *SSEConn) ended() error {
	select {
	case <-c.over:
		return ErrClosed
	default:
		return nil
	}
}

// Send posts one frame and waits until the server has taken it, for a moment. The
// first one opens the stream, with its headers.
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
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-taken:
	case <-timer.C:
	case <-c.over:
	case <-ctx.Done():
	}
	return number, nil
}
