package engine

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// carrier hands the wire's connections to clients, which do not know the wire.
type carrier struct{ wire.Conn }

func (c carrier) Send(ctx context.Context, out probe.Outgoing) (int, error) {
	return c.Conn.Send(ctx, wire.Outgoing{Text: out.Text, Method: out.Method, Header: out.Header})
}

func (c carrier) Next(ctx context.Context) (frame.Frame, error) { return c.Conn.Next(ctx) }

func (c carrier) Abort(exchange int) {
	if h, ok := c.Conn.(interface{ Abort(int) }); ok {
		h.Abort(exchange)
	}
}

// link makes a connection and the watchers that see its frames; over HTTP it
// shares those of the client, or has its own where there is none.
func (s *server) link(ctx context.Context, shared *http.Client, w *watchers) (probe.Link, error) {
	conn, err := s.dial(ctx, shared)
	if err != nil {
		return probe.Link{}, err
	}
	return probe.Link{Conn: conn, Watch: s.run.watch(w)}, nil
}

func (s *server) dial(ctx context.Context, shared *http.Client) (probe.Conn, error) {
	o := wire.Options{
		Limits: wire.Limits{Frame: int(s.run.plan.Config.Limits.Frame)},
		Redact: s.run.redact,
	}
	if s.Transport == requirements.HTTP {
		conn, err := wire.DialHTTP(ctx, wire.HTTPTarget{URL: s.URL, Header: s.Headers, Client: shared}, o)
		if err != nil {
			return nil, err
		}
		return carrier{conn}, nil
	}
	started, err := s.starts.enter(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := wire.DialStdio(ctx, s.Launcher, o)
	if err != nil {
		started()
		return nil, err
	}
	return newStarting(carrier{conn}, started), nil
}

// raw reaches the column's target and says nothing yet.
func (c *column) raw(ctx context.Context) (*probe.Control, error) {
	link, err := c.server.link(ctx, &http.Client{Transport: c.server.Pool}, c.watchers)
	if err != nil {
		return nil, err
	}
	// The client outlives the context that a case was given.
	return probe.Connect(context.WithoutCancel(ctx), link, c.setup), nil
}

// later is raw over stdio for a case that may find its rule kept without asking:
// the process is started when the case uses it.
func (c *column) later(ahead func()) func(context.Context) (*probe.Control, error) {
	if c.server.Transport != requirements.Stdio {
		return func(ctx context.Context) (*probe.Control, error) {
			ahead()
			return c.raw(ctx)
		}
	}
	dial := func(ctx context.Context) (probe.Link, error) {
		ahead()
		link, err := c.server.link(ctx, nil, c.watchers)
		if err != nil && ctx.Err() == nil {
			link, err = c.server.link(ctx, nil, c.watchers)
		}
		return link, err
	}
	return func(context.Context) (*probe.Control, error) { return probe.ConnectLater(c.setup, dial), nil }
}

// open is raw with the opening complete.
func (c *column) open(ctx context.Context) (*probe.Control, error) {
	control, err := c.raw(ctx)
	if err != nil {
		return nil, err
	}
	if err := control.Open(ctx); err != nil {
		ctx, cancel := closingContext(ctx)
		defer cancel()
		return nil, errors.Join(err, control.Close(ctx))
	}
	return control, nil
}

// twice makes a connection, and tries once more when it does not come about. One
// that is late is tried again when nothing else runs, after a pause.
func (c *column) twice(ctx context.Context, open func(context.Context) (*probe.Control, error)) (*probe.Control, error) {
	control, err := open(ctx)
	switch {
	case err == nil || ctx.Err() != nil:
		return control, err
	case tooLate(err) && c.server.run.crowded.Load():
		return control, err
	case tooLate(err):
		rest(ctx)
	}
	return open(ctx)
}

// tooLate reports whether an opening did not come about because nothing came in
// time.
func tooLate(err error) bool {
	o := (*probe.OpeningError)(nil)
	return errors.As(err, &o) && o.Sent == nil && o.Reply.Silent()
}

// moment is how long the end of a conversation may take once the run is cut short.
const moment = 300 * time.Millisecond

// closingContext bounds the end of a conversation: as long as it takes, or a
// moment from when the run is cut short, be that before or meanwhile.
func closingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(moment, cancel) })
	return closing, func() { stop(); cancel() }
}

// Listens asks once whether anything takes connections where the target is.
func (r Reach) Listens(ctx context.Context) bool {
	there, _ := taken(ctx, r.URL)
	return there
}

// Knock asks whether anything that speaks HTTP is at the target. A ping is the
// most harmless thing to say, whatever comes back; who takes it and leaves it
// unanswered is there too.
func (r Reach) Knock(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	body := strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	request, err := http.NewRequestWithContext(waiting, http.MethodPost, r.URL, body)
	if err != nil {
		return err
	}
	request.Header = r.Headers.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := r.Pool.RoundTrip(request)
	switch {
	case err == nil:
		return response.Body.Close()
	case ctx.Err() == nil && waiting.Err() != nil && r.Listens(ctx):
		return nil
	default:
		return err
	}
}

// listens asks several times whether anything takes connections at an address:
// a server under load, or one that is started anew, may refuse one. Who lets a
// connection wait is there and has no time.
func listens(ctx context.Context, at string) bool {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 3 {
		if _, refused := taken(ctx, at); !refused {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return true
		}
	}
	return false
}

// taken reports whether a connection to an address is taken, or refused. An
// address that cannot be read is neither: the wire says what is wrong with it.
func taken(ctx context.Context, at string) (there, refused bool) {
	u, err := url.Parse(at)
	if err != nil {
		return false, false
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme // a service name
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		_ = conn.Close()
		return true, false
	}
	late := net.Error(nil)
	return false, !errors.As(err, &late) || !late.Timeout()
}
