package probe_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A server may finish at the moment in which the client gives up.
func TestGiveUpWhatHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{http: true, hear: func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
			s.say(h.Exchange, result(h.Message.ID, "{}"))
			s.end(h.Exchange, frame.End{})
		}}, at(requirements.R20260728))
		reply := c.Call("tools/call", probe.Object{"name": "slow"})
		synctest.Wait() // until the client has read the end of the answer too
		began := time.Now()
		for _, s := range c.Since(0) {
			if s.Dir == frame.Sent {
				c.GiveUp(s, "it is not needed")
				break
			}
		}
		if took := time.Since(began); took > 0 || !reply.Answered() {
			t.Errorf("waited %v for an end that had come", took)
		}
	})
}
