package engine

import (
	"context"
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// link dials a connection and makes the watchers that see its frames. Over HTTP the
// connection uses the shared TCP connections, or has its own.
func (s *server) link(ctx context.Context, shared bool, w *watching.Watchers) (probe.Link, error) {
	conn, err := s.Dial(ctx, shared)
	if err != nil {
		return probe.Link{}, err
	}
	watch := s.run.watch(w)
	switch {
	case s.URL == "":
	case w == nil: // discovery
		watch = s.health.cut.Watch(watch)
	default:
		watch = s.health.suspects.Watch(watch)
	}
	return probe.Link{Conn: conn, Watch: watch}, nil
}

// raw connects to the column's target and sends nothing.
func (c *column) raw(ctx context.Context) (*probe.Control, error) {
	link, err := c.server.link(ctx, true, c.watchers)
	if err != nil {
		return nil, err
	}
	// The client may live longer than the context of the case.
	return probe.Connect(context.WithoutCancel(ctx), link, c.setup), nil
}

// rawLater is raw, but over stdio the process starts when the case first uses the
// connection: some cases never do. The function ahead runs before the process starts.
func (c *column) rawLater(ahead func()) func(context.Context) (*probe.Control, error) {
	if c.server.Transport != requirements.Stdio {
		return func(ctx context.Context) (*probe.Control, error) {
			ahead()
			return c.raw(ctx)
		}
	}
	dial := func(ctx context.Context) (probe.Link, error) {
		ahead()
		link, err := c.server.link(ctx, false, c.watchers)
		if err != nil && ctx.Err() == nil {
			link, err = c.server.link(ctx, false, c.watchers)
		}
		return link, err
	}
	return func(context.Context) (*probe.Control, error) { return probe.ConnectLater(c.setup, dial), nil }
}

// open connects and completes the opening. A locked server completes no opening.
func (c *column) open(ctx context.Context) (*probe.Control, error) {
	control, err := c.raw(ctx)
	if err != nil || c.server.locked {
		return control, err
	}
	if err := control.Open(ctx); err != nil {
		ctx, cancel := connect.Closing(ctx)
		defer cancel()
		return nil, errors.Join(err, control.Close(ctx))
	}
	return control, nil
}

// openTwice opens a connection, and tries a second time when the first attempt fails. An
// opening that was late beside other cases is not repeated here: the recheck repeats it
// when no other case runs.
func (c *column) openTwice(ctx context.Context, open func(context.Context) (*probe.Control, error)) (*probe.Control, error) {
	control, err := open(ctx)
	switch {
	case err == nil || ctx.Err() != nil:
		return control, err
	case tooLate(err) && c.server.run.crowded.Load():
		return control, err
	case tooLate(err), c.tolerance().Lags():
		pause(ctx)
	default:
		c.server.There(ctx) // a server that is started anew refuses connections for a while
	}
	return open(ctx)
}

// tooLate reports whether an opening failed because the server sent nothing in time.
func tooLate(err error) bool {
	o, ok := errors.AsType[*probe.OpeningError](err)
	return ok && o.Sent == nil && o.Reply.Silent()
}
