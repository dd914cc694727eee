package probe_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// The engine learns how a conversation went, and the conversations opened from it.
func TestControl(t *testing.T) {
	t.Parallel()
	waiting := func(c *probe.Client) { c.Await(c.Mark(), 1, never) }
	ends := func(s *server) { s.end(0, frame.End{Exited: true}) }
	for name, row := range map[string]struct {
		second     func(*server) // the behaviour of a further connection's process
		act        func(*probe.Client)
		late, dead bool
	}{
		"nothing":                    {func(*server) {}, func(*probe.Client) {}, false, false},
		"late here":                  {func(*server) {}, waiting, true, false},
		"late there":                 {func(*server) {}, func(c *probe.Client) { waiting(c.Another()) }, true, false},
		"ended at once":              {ends, func(c *probe.Client) { c.Another() }, false, true},
		"ended after it said a word": {func(s *server) { s.say(0, "{}"); ends(s) }, func(c *probe.Client) { c.Another() }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{}, func(s *probe.Setup) {
					s.Dial = func(context.Context) (probe.Link, error) {
						other := &server{}
						row.second(other)
						return probe.Link{Conn: &line{server: other}}, nil
					}
				})
				row.act(c)
				synctest.Wait()
				if got := control(c).TimedOut(); got != row.late {
					t.Errorf("timed out: %v", got)
				}
				if got := control(c).DiedBeforeSpeaking(); got != row.dead {
					t.Errorf("died before speaking: %v", got)
				}
			})
		})
	}
}
