package ping

import (
	"context"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

const (
	// sign is how long the first ping is waited for: a server that sends far
	// too many has sent one by then.
	sign = 400 * time.Millisecond
	// moderate is how many pings a second nobody objects to, and allowed how
	// many are, however short the time was.
	moderate = 2
	allowed  = 10
)

// serverNotExcessive counts the server's pings while nothing else goes on. The
// page names no rate, so only one that is out of all proportion is reported.
func serverNotExcessive(ctx context.Context, c *probe.Client) error {
	_, pings, err := c.Await(ctx, 0, min(sign, c.Waits().Event), isPing)
	if err != nil {
		return err
	}
	if !pings {
		return probe.NotSeen("the server sends no pings on an idle connection")
	}
	idle := c.Waits().Event
	seen := 0
	_, flood, err := c.Await(ctx, 0, idle, func(s probe.Seen) bool {
		if isPing(s) {
			seen++
		}
		return seen > max(allowed, int(moderate*idle.Seconds()))
	})
	if err != nil || !flood {
		return err
	}
	return probe.Broken(some(c.Since(0)), "at least %d pings came within %s of an idle connection, want a moderate rate", seen, idle)
}

func isPing(s probe.Seen) bool {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return false
	}
	m := s.Message()
	return m.Class == frame.Request && m.Method == "ping"
}

// some keeps the first few of the server's pings.
func some(seen []probe.Seen) []frame.Frame {
	const most = 5
	var frames []frame.Frame
	for _, s := range seen {
		if isPing(s) && len(frames) < most {
			frames = append(frames, s.Frame)
		}
	}
	return frames
}
