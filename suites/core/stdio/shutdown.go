package stdio

import (
	"runtime"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// shutdownCases each end a process of their own.
func shutdownCases() []suite.Case {
	const leaveLoop = "leave the read loop when stdin ends, stop what still runs, and let the process end"
	return []suite.Case{
		{
			ID:     "stdio/exit-on-stdin-eof",
			Title:  "the process ends soon after its stdin is closed",
			Checks: []requirements.ID{"stdio-exit-on-stdin-eof"},
			Fix:    leaveLoop,
			Lane:   suite.Waits,
			Run:    exitAfterExchange,
		},
		{
			ID:     "stdio/exit-on-stdin-eof-idle",
			Title:  "the process ends when its stdin is closed before the first request",
			Checks: []requirements.ID{"stdio-exit-on-stdin-eof"},
			Fix:    leaveLoop,
			Lane:   suite.Waits,
			Raw:    true,
			Run:    exitIdle,
		},
		{
			ID:     "stdio/exit-on-sigterm",
			Title:  "a process that is still running after the end of its stdin ends on SIGTERM",
			Checks: []requirements.ID{"stdio-exit-on-sigterm"},
			Fix:    "keep the default effect of SIGTERM, or end the process in the handler",
			Lane:   suite.Waits,
			Run:    exitOnTerm,
		},
	}
}

func exitAfterExchange(c *probe.Client) error {
	mark := c.Mark()
	c.Quiet()
	return wantEnd(c, mark, longestWait(c.Waits()))
}

// longestWait is a generous limit: only a server that does not end uses it up.
func longestWait(w probe.Waits) time.Duration { return max(w.Answer, w.Event) }

// exitIdle sends nothing first, so the limit includes the time that the process takes to
// start.
func exitIdle(c *probe.Client) error {
	return wantEnd(c, c.Mark(), longestWait(c.Waits()))
}

func wantEnd(c *probe.Client, mark probe.Mark, limit time.Duration) error {
	ended := endOfInput(c, limit)
	if ended {
		return nil
	}
	return framesSince(c, mark).Violation("the process is still running %s after its stdin was closed, want it to end", limit)
}

func exitOnTerm(c *probe.Client) error {
	if runtime.GOOS == "windows" {
		c.NotSeen("the rule applies to POSIX systems")
	}
	mark := c.Mark()
	// A process that is still starting has not installed its signal handler yet.
	c.Quiet()
	limit := longestWait(c.Waits())
	// The client may choose how long it waits before it sends the signal.
	ended := endOfInput(c, min(time.Second, limit))
	if ended {
		return nil
	}
	c.Terminate()
	if ended = awaitEnd(c, limit); ended {
		return nil
	}
	return framesSince(c, mark).Violation("the process is still running %s after SIGTERM, want it to end", limit)
}

func endOfInput(c *probe.Client, limit time.Duration) bool {
	// The input is already closed if the process has closed its end.
	c.CloseInput()
	return awaitEnd(c, limit)
}

func awaitEnd(c *probe.Client, limit time.Duration) bool {
	_, ended := c.Await(0, limit, isEnd)
	return ended
}

// isEnd recognizes the end of the connection, which is the end of the process.
func isEnd(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }

// framesSince returns the first few frames after a mark.
func framesSince(c *probe.Client, mark probe.Mark) probe.Evidence {
	var all probe.Evidence
	for _, s := range c.Since(mark) {
		all = append(all, s.Frame)
	}
	return few(all)
}
