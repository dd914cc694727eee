package engine

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// link makes a connection and the watchers that see its frames; over HTTP it
// shares those of the client, or has its own where there is none.
func (s *server) link(ctx context.Context, shared *http.Client, w *watching.Watchers) (probe.Link, error) {
	conn, err := s.Dial(ctx, shared)
	if err != nil {
		return probe.Link{}, err
	}
	return probe.Link{Conn: conn, Watch: s.run.watch(w)}, nil
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

// open is raw with the opening complete. A server that lets nobody in has none.
func (c *column) open(ctx context.Context) (*probe.Control, error) {
	control, err := c.raw(ctx)
	if err != nil || c.server.locked {
		return control, err
	}
	if err := control.Open(ctx); err != nil {
		ctx, cancel := reach.Closing(ctx)
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
	case tooLate(err), c.tolerance().Lags():
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
