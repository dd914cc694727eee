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

// A case that only needs known results connects to nothing; the first send or
// await connects once.
func TestLater(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]struct {
		do    func(*probe.Client) error
		dials int
	}{
		"nothing":          {func(c *probe.Client) error { c.Note("known"); return nil }, 0},
		"a call":           {func(c *probe.Client) error { return c.Call("ping", nil).WantResult() }, 1},
		"two frames":       {func(c *probe.Client) error { c.Send("a"); c.Send("b"); return nil }, 1},
		"the end of input": {func(c *probe.Client) error { c.CloseInput(); return nil }, 1},
		"listening":        {func(c *probe.Client) error { c.Next(0, time.Millisecond); return nil }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dials := 0
			k := probe.ConnectLater(lateSetup(), func(context.Context) (probe.Link, error) {
				dials++
				return probe.Link{Conn: &line{server: &server{hear: func(s *server, h receivedFrame) {
					if h.Message.Method == "ping" {
						s.answer(h, result(h.Message.ID, "{}"))
					}
				}}}}, nil
			})
			if err := k.Run(t.Context(), use.do); err != nil {
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

// A failed connection is tried once, and nobody waits for it.
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
			if reply := probe.Speaking(t.Context(), k).Call("ping", nil); !reply.Silent() {
				t.Errorf("%s, want silence", reply.Outcome())
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
