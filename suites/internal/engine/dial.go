package engine

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
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

func (g *Gathering) dial(ctx context.Context, r Reach, shared *http.Client) (probe.Conn, error) {
	o := wire.Options{
		Limits: wire.Limits{Frame: int(g.plan.Config.Limits.Frame)},
		Redact: g.redact,
	}
	if r.Transport == requirements.HTTP {
		conn, err := wire.DialHTTP(ctx, wire.HTTPTarget{URL: r.URL, Header: r.Headers, Client: shared}, o)
		if err != nil {
			return nil, err
		}
		return carrier{conn}, nil
	}
	started, err := g.starts.enter(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := wire.DialStdio(ctx, r.Launcher, o)
	if err != nil {
		started()
		return nil, err
	}
	return newStarting(carrier{conn}, started), nil
}

// open reaches the column's target and completes the opening.
func (g *Gathering) open(ctx context.Context, r *room) (*probe.Client, error) {
	c, err := r.raw(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Open(ctx); err != nil {
		ctx, cancel := parting(ctx)
		defer cancel()
		return nil, errors.Join(err, c.Close(ctx))
	}
	return c, nil
}

// parting bounds the end of a conversation: as long as it takes, or a moment
// when the run is cut short.
func parting(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return context.WithCancel(context.WithoutCancel(ctx))
	}
	return context.WithTimeout(context.WithoutCancel(ctx), time.Second)
}

// raw reaches the column's target and says nothing yet.
func (r *room) raw(ctx context.Context) (*probe.Client, error) {
	link, err := r.dial(ctx)
	if err != nil {
		return nil, err
	}
	// The client outlives the context that a pool or a case was given.
	return probe.New(context.WithoutCancel(ctx), link, r.setup), nil
}

// client is the connection that the case asks for.
func (g *Gathering) client(ctx context.Context, s Spec) (*probe.Client, error) {
	r := g.rooms[s.Column]
	switch {
	case s.Case.Unopened:
		c, err := r.raw(ctx)
		if err != nil && ctx.Err() == nil {
			c, err = r.raw(ctx)
		}
		return c, err
	case s.Case.Lane == suite.Fresh:
		return r.pool.take(ctx)
	default:
		return g.open(ctx, r)
	}
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
