package cancellation

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// disconnectCases close the stream of a call, which cancels it since 2026-07-28.
func disconnectCases() []suite.Case {
	http := suite.Over(requirements.HTTP)
	return []suite.Case{
		{
			ID:       "cancellation/disconnect-stops-work",
			Title:    "a call whose stream is closed has no effect any more",
			Checks:   []requirements.ID{"cancellation-http-disconnect"},
			Needs:    []suite.Need{http, suite.Role(roles.SlowTool, "cancellable"), suite.Role(roles.SlowTool, "observe")},
			Lane:     suite.Waits,
			Contends: true,
			Observes: roles.SlowTool,
			Fix:      "end the work on a request when the client closes its stream",
			Run: func(c *probe.Client) error {
				return worksOn(c, closeStream(c), "a call whose stream was closed while the tool ran continues to have its effect, want no more of it")
			},
		},
		{
			ID:       "cancellation/disconnect-silent-elsewhere",
			Title:    "what belongs to a call whose stream is closed comes on no other stream",
			Checks:   []requirements.ID{"cancellation-http-silent-afterwards"},
			Needs:    []suite.Need{http, suite.Role(roles.SlowTool)},
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.SlowTool,
			Fix:      "drop the messages of a request whose stream is gone",
			Run:      silentElsewhere,
		},
		{
			ID:       "cancellation/disconnect-scoped",
			Title:    "the closed stream of one call does not end another call",
			Checks:   []requirements.ID{"cancellation-http-scoped"},
			Needs:    []suite.Need{http, suite.Role(roles.SlowTool)},
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.SlowTool,
			Fix:      "tie the cancellation to the request of the stream that was closed",
			Run: func(c *probe.Client) error {
				_, other := closedBeside(c)
				return other.Reply().WantAnswer()
			},
		},
	}
}

// closeStream closes the stream of a call. A single JSON body has none.
func closeStream(c *probe.Client) func(*work) {
	return func(w *work) {
		request, _ := w.Sent()
		head, came := w.Await(grace(c), func(s probe.Seen) bool { return s.Kind == frame.KindHead && s.Exchange == request.Exchange })
		c.NotSeenIf(!came || !head.Streams(), "the call is not answered by an event stream")
		w.giveUp("it takes too long")
	}
}

// closedBeside makes two calls, and closes the stream of the first.
func closedBeside(c *probe.Client) (closed, open *work) {
	closed, open = start(c, "kit-"+c.Nonce()), start(c, "kit-"+c.Nonce())
	running(c, closed, open)
	closeStream(c)(closed)
	return closed, open
}

// silentElsewhere opens a subscription too, where the server accepts one.
func silentElsewhere(c *probe.Client) error {
	subscriptions.Listen(c, probe.Object{}).First()
	closed, open := closedBeside(c)
	request, _ := closed.Sent()
	from := c.Mark()
	c.Require(open.Reply().WantAnswer(), "the other call is not answered, which cancellation/disconnect-scoped judges")
	all := c.Since(from)
	if i := slices.IndexFunc(all, func(s probe.Seen) bool {
		return s.Exchange != request.Exchange && (closed.tells(s) || closed.Answers(s))
	}); i >= 0 {
		return probe.Shown(closed, probe.One(all[i].Frame)).Violation(
			"a message of a call comes on another stream after its own was closed, want nothing more of it")
	}
	return nil
}
