package probe_test

import (
	"testing"
	"testing/synctest"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// What came before an answer does not explain the silence after it.
func TestNoAnswerAfterAnswers(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"one with its id": result("1", "{}"), "one with a string as id": result(`"1"`, "{}")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				all := says("listening on 8080", first)
				c := connect(t, &server{hear: func(s *server, h receivedFrame) {
					if h.Message.ID == "1" {
						all(s, h)
					}
				}})
				if reply := c.Call("ping", nil, probe.WithID("1")); !reply.Answered() {
					t.Fatal(reply.Outcome())
				}
				if got := c.Call("ping", nil, probe.WithID("2")).Outcome(); got != "no answer within 10s" {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}
