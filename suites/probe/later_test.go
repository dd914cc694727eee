package probe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func lateSetup() probe.Setup {
	return probe.Setup{
		Revision: requirements.R20251125, Transport: requirements.Stdio, Memory: &probe.Memory{},
		Waits: probe.Waits{Answer: 10 * time.Second, Event: time.Second},
	}
}

// What is only asked about what is known connects to nothing; the first thing
// sent or awaited connects once.
func TestLater(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]struct {
		do    func(context.Context, *probe.Client) error
		dials int
	}{
		"nothing": {func(_ context.Context, c *probe.Client) error { c.Note("known"); return nil }, 0},
		"a call": {func(ctx context.Context, c *probe.Client) error {
			reply, err := c.Call(ctx, "ping", nil)
			if err == nil {
				err = reply.WantResult()
			}
			return err
		}, 1},
		"two frames": {func(ctx context.Context, c *probe.Client) error {
			return errors.Join(c.Send(ctx, "a"), c.Send(ctx, "b"))
		}, 1},
		"the end of input": {func(ctx context.Context, c *probe.Client) error { return c.CloseInput(ctx) }, 1},
		"listening": {func(ctx context.Context, c *probe.Client) error {
			_, _, err := c.Next(ctx, 0, time.Millisecond)
			return err
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dials := 0
			k := probe.ConnectLater(lateSetup(), func(context.Context) (probe.Link, error) {
				dials++
				return probe.Link{Conn: &line{server: &server{hear: func(s *server, h heard) {
					if h.Message.Method == "ping" {
						s.answer(h, result(h.Message.ID, "{}"))
					}
				}}}}, nil
			})
			if err := use.do(t.Context(), k.Client); err != nil {
				t.Error(err)
			}
			if err := k.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if dials != use.dials || k.Unreached() != nil {
				t.Errorf("%d connections, want %d; %v", dials, use.dials, k.Unreached())
			}
		})
	}
}

// A connection that does not come about is tried once, and nobody waits for it.
func TestLaterUnreached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken, dials := errors.New("no such command"), 0
		k := probe.ConnectLater(lateSetup(), func(context.Context) (probe.Link, error) {
			dials++
			return probe.Link{}, broken
		})
		began := time.Now()
		for range 2 {
			reply, err := k.Client.Call(t.Context(), "ping", nil)
			if err != nil || !reply.Silent() {
				t.Errorf("%v, want silence", err)
			}
		}
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if dials != 1 || !errors.Is(k.Unreached(), broken) || time.Since(began) > 5*time.Second {
			t.Errorf("%d attempts, %v after %s", dials, k.Unreached(), time.Since(began))
		}
	})
}
