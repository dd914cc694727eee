package probe_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// The engine learns how a conversation went, and those that were begun from it.
func TestControl(t *testing.T) {
	t.Parallel()
	waiting := func(t *testing.T, c *probe.Client) {
		_, _, _ = c.Await(t.Context(), c.Mark(), 1, func(probe.Seen) bool { return false })
	}
	another := func(t *testing.T, c *probe.Client) *probe.Client {
		t.Helper()
		other, err := c.Another(t.Context())
		if err != nil {
			t.Error(err)
		}
		return other
	}
	ends := func(s *server) { s.end(0, frame.End{Exited: true}) }
	for name, row := range map[string]struct {
		second     func(*server) // what the process of a further connection does
		act        func(*testing.T, *probe.Client)
		late, dead bool
	}{
		"nothing":                    {func(*server) {}, func(*testing.T, *probe.Client) {}, false, false},
		"late here":                  {func(*server) {}, waiting, true, false},
		"late there":                 {func(*server) {}, func(t *testing.T, c *probe.Client) { waiting(t, another(t, c)) }, true, false},
		"ended at once":              {ends, func(t *testing.T, c *probe.Client) { another(t, c) }, false, true},
		"ended after it said a word": {func(s *server) { s.say(0, "{}"); ends(s) }, func(t *testing.T, c *probe.Client) { another(t, c) }, false, false},
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
				row.act(t, c)
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
