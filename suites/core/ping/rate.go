package ping

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// moderate is a number of pings per second that is never excessive, and allowed is a
// number of pings that is never excessive, however short the time was.
const (
	moderate = 2
	allowed  = 10
)

// serverNotExcessive counts the server's pings on an idle connection. It reports only an
// excessive rate, because the page names no limit.
func serverNotExcessive(c *probe.Client) error {
	idle := c.Waits().Event
	seen := 0
	_, flood := c.Await(0, idle, func(s probe.Seen) bool {
		if isPing(s) {
			seen++
		}
		return seen > max(allowed, int(moderate*idle.Seconds()))
	})
	switch {
	case seen == 0:
		c.NotSeen(fmt.Sprintf("the server sends no pings within %s of an idle connection", idle))
	case !flood:
		return nil
	}
	return pings(c.Since(0)).Violation("at least %d pings came within %s of an idle connection, want a moderate rate", seen, idle)
}

func isPing(s probe.Seen) bool {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return false
	}
	m := s.Message()
	return m.Class == frame.Request && m.Method == "ping"
}

// pings are the first few pings of the server.
func pings(seen []probe.Seen) probe.Evidence {
	const most = 5
	var few probe.Evidence
	for _, s := range seen {
		if isPing(s) && len(few) < most {
			few = append(few, s.Frame)
		}
	}
	return few
}
