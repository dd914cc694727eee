package wire

import (
	"cmp"
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

// An HTTPTarget is the address of a server over HTTP.
type HTTPTarget struct {
	URL    string
	Header http.Header // on every request to the same host
	Pool   *Pool       // shared; nil makes one that belongs to the connection
	Like   *Pool       // its own pool becomes like this one; nil: the default
}

// An HTTPConn is a series of HTTP exchanges with one server. HTTP has no such
// connection: it begins with Dial and ends with Close.
type HTTPConn struct {
	base    *url.URL
	header  http.Header
	pool    *Pool
	client  *http.Client
	own     bool
	options Options
	queue   *queue

	mu        sync.Mutex
	exchanges int
	running   map[int]context.CancelCauseFunc
	closed    bool
	workers   sync.WaitGroup
	idle      chan func() // idle workers wait for their next task here
	closing   sync.Once
}

// The reasons for which the kit itself cuts an exchange short, in the words of
// its end.
var (
	errAborted = errors.New(frame.Aborted)
	errShut    = errors.New("closed by the kit")

	errLeft       = errors.New("an exchange did not end after it was cut")
	errStreamOver = errors.New("the server ended the event stream")
)

// DialHTTP prepares a connection. Nothing is sent yet, so an unreachable
// server shows at the end of the first exchange.
func DialHTTP(ctx context.Context, target HTTPTarget, options Options) (*HTTPConn, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	base, err := url.Parse(target.URL)
	if err != nil {
		return nil, fmt.Errorf("read the URL of the server: %w", errors.Unwrap(err))
	}
	if !overHTTP(base) {
		return nil, fmt.Errorf("the URL of the server is %q, want http:// or https:// and a host", base.Redacted())
	}
	options = options.filled()
	c := &HTTPConn{base: base, header: target.Header.Clone(), options: options,
		queue: newQueue(options), running: map[int]context.CancelCauseFunc{}, idle: make(chan func())}
	c.pool = target.Pool
	if c.own = c.pool == nil; c.own {
		c.pool = target.Like.Like(options.Limits)
	}
	c.client = plain(c.pool)
	return c, nil
}

func overHTTP(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

// Began is from when the times of frames count.
func (c *HTTPConn) Began() time.Time { return c.queue.began }

// Send starts one exchange and returns its number. Next returns the frames of
// the exchange; the last one is its end.
func (c *HTTPConn) Send(ctx context.Context, out frame.Outgoing) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("start an exchange: %w", err)
	}
	// The answer may come long after ctx ends.
	life, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	request, err := c.request(life, out)
	if err != nil {
		cut(err)
		return 0, fmt.Errorf("start an exchange: %w", err)
	}
	e := &exchange{conn: c, cut: cut, says: bent(request, out)}
	return c.begin(life, e, request, out.Text)
}

// Picture is the frame that Send would send.
func (c *HTTPConn) Picture(out frame.Outgoing) (frame.Frame, error) {
	request, err := c.request(context.Background(), out)
	if err != nil {
		return frame.Frame{}, fmt.Errorf("start an exchange: %w", err)
	}
	e := &exchange{says: bent(request, out)}
	return e.sentFrame(request, out.Text), nil
}

// bent is the request that replaces that of net/http; nil where none does.
func bent(request *http.Request, out frame.Outgoing) *frame.HTTPRequest {
	if out.Bend == nil {
		return nil
	}
	says := spell(request, out.Text)
	out.Bend(says)
	return says
}

// begin starts an exchange when it has its turn, numbers it and queues the sent frame.
func (c *HTTPConn) begin(life context.Context, e *exchange, request *http.Request, text string) (int, error) {
	c.options.Pace.wait(c.queue.closing)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		e.cut(ErrClosed)
		return 0, fmt.Errorf("start an exchange: %w", ErrClosed)
	}
	if !e.standing {
		c.exchanges++
		e.number = c.exchanges
	}
	c.running[e.number] = e.cut
	c.queue.sent(e.sentFrame(request, text))
	c.work(func() {
		e.run(life, request)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, e.number)
		e.cut(nil)
	})
	return e.number, nil
}

// work runs an exchange on the goroutine of a finished one, whose stack has
// grown already, or on a new one.
func (c *HTTPConn) work(run func()) {
	select {
	case c.idle <- run:
		return
	default:
	}
	c.workers.Go(func() {
		for {
			run()
			select {
			case run = <-c.idle:
			case <-c.queue.closing:
				return
			}
		}
	})
}

func (e *exchange) sentFrame(r *http.Request, text string) frame.Frame {
	if e.says != nil {
		text = e.says.Body
	}
	f := frame.New(frame.Sent, frame.KindMessage, []byte(text))
	if text == "" {
		f.Kind = frame.KindBody
	}
	f.Exchange = e.number
	if e.says != nil {
		f.HTTP = e.says.HTTP()
		return f
	}
	f.HTTP = &frame.HTTP{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	if r.Host != "" && r.Host != r.URL.Host {
		f.HTTP.Header["Host"] = []string{r.Host}
	}
	return f
}

// request builds the request with exactly the given headers; net/http adds Host
// and Content-Length, which every request needs.
func (c *HTTPConn) request(ctx context.Context, out frame.Outgoing) (*http.Request, error) {
	to, err := c.base.Parse(out.URL)
	if err != nil {
		return nil, fmt.Errorf("read the URL: %w", errors.Unwrap(err))
	}
	if !overHTTP(to) {
		return nil, fmt.Errorf("the URL is %q, want http:// or https:// and a host", to.Redacted())
	}
	method := cmp.Or(out.Method, http.MethodPost)
	r, err := http.NewRequestWithContext(ctx, method, to.String(), strings.NewReader(out.Text))
	if err != nil {
		return nil, err
	}
	if out.Cut > 0 {
		r.Body, r.ContentLength, r.GetBody = newPieces(ctx, out.Text, out.Cut), -1, nil
	}
	defaults := http.Header{
		"Accept":     {"application/json, text/event-stream"},
		"User-Agent": {"mcp-conform"},
	}
	if out.Text != "" || method == http.MethodPost {
		defaults.Set("Content-Type", "application/json")
	}
	// A server may silently close a connection that is kept for the next request.
	// With this key net/http then repeats a POST on a new connection, as it does a
	// GET; without a value the header is not sent.
	r.Header["Idempotency-Key"] = []string{}
	override(r.Header, defaults)
	// A server may name another host, which must not get headers for its own.
	if to.Scheme == c.base.Scheme && to.Host == c.base.Host {
		override(r.Header, c.header)
	}
	override(r.Header, out.Header)
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	if _, ok := r.Header["User-Agent"]; !ok {
		r.Header["User-Agent"] = nil // otherwise net/http adds its own
	}
	return r, nil
}

// override replaces headers by those of over with the same name. Names keep
// their case when sent, but are compared without it.
func override(header, over http.Header) {
	for name := range over {
		for old := range header {
			if strings.EqualFold(old, name) {
				delete(header, old)
			}
		}
	}
	for name, values := range over {
		if len(values) > 0 {
			header[name] = values
		}
	}
}

// Next returns the next frame.
func (c *HTTPConn) Next(ctx context.Context) (frame.Frame, error) { return c.queue.next(ctx) }

// CloseInput does nothing.
func (c *HTTPConn) CloseInput() error { return nil }

// Terminate does nothing.
func (c *HTTPConn) Terminate() error { return nil }

// Abort closes one exchange, as a client does that goes away. Next still
// returns its end; Abort does nothing to an exchange that is over.
func (c *HTTPConn) Abort(exchange int) { c.cut(exchange, errAborted) }

// cut ends an exchange, unless it is over.
func (c *HTTPConn) cut(exchange int, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cut := c.running[exchange]; cut != nil {
		cut(why)
	}
}

// closeWait is how long Close waits for exchanges that it cut, and hurryWait how much
// longer than ctx. A busy machine needs a part of it.
const (
	closeWait = 5 * time.Second
	hurryWait = 500 * time.Millisecond
)

// Close aborts the exchanges in progress and waits for them. It leaves those that do not
// end; the end of ctx makes it leave them sooner.
func (c *HTTPConn) Close(ctx context.Context) (err error) {
	c.closing.Do(func() {
		close(c.queue.closing)
		c.mu.Lock()
		c.closed = true
		for _, cut := range c.running {
			cut(errShut)
		}
		c.mu.Unlock()
		err = c.await(ctx)
		if c.own {
			c.pool.CloseIdleConnections()
		}
		f := frame.New(frame.Received, frame.KindEnd, nil)
		f.End = &frame.End{}
		if n := c.queue.lost(); n > 0 {
			f.End.Err = fmt.Sprintf("%d frames came while the connection was closing and were not kept", n)
		}
		c.queue.end(f)
	})
	return err
}

// await waits until the exchanges that were cut have ended.
func (c *HTTPConn) await(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.workers.Wait()
	}()
	late := time.NewTimer(closeWait)
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { late.Reset(hurryWait) })()
	select {
	case <-ended:
		return nil
	case <-late.C:
		return fmt.Errorf("close the connection: %w", cmp.Or(ctx.Err(), errLeft))
	}
}
