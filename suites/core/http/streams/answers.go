package streams

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func answerCases() []suite.Case {
	const closeFix = "close the event stream of a request once its response is written"
	return []suite.Case{
		{
			ID:     "http/stream-response-arrives",
			Title:  "the event stream of a request does not end before the response",
			Checks: []requirements.ID{"http-sse-response-arrives", "http-sse-no-early-close"},
			Fix:    "keep the event stream of a request open until its response was sent",
			Sees:   "an event stream that stays open until the response",
			Watch:  remembering(arrives),
		},
		{
			ID:     "http/polled-response-arrives",
			Title:  "the response comes on the stream that the server lets the client resume",
			Checks: []requirements.ID{"http-sse-response-arrives"},
			Needs:  []suite.Need{suite.Role(roles.SlowTool, "polling")},
			Lane:   suite.Waits,
			Fix:    "keep what a stream has still to say when you close its connection, and send it to the client that comes back",
			Run:    polledArrives,
		},
		{
			ID:     "http/stream-closed",
			Title:  "the event stream of a request ends after the response",
			Checks: []requirements.ID{"http-sse-closed-after-response"},
			Fix:    closeFix,
			Run: func(c *probe.Client) error {
				return closed(c, c.Start(c.PlainMethod(), nil))
			},
		},
		{
			ID:     "http/stream-closed-after-messages",
			Title:  "an event stream that brought other messages ends after the response",
			Checks: []requirements.ID{"http-sse-closed-after-response"},
			Needs:  []suite.Need{reporting.Need()},
			Fix:    closeFix,
			Run:    func(c *probe.Client) error { return closed(c, reporting.Begin(c, "").Call) },
		},
		{
			ID:     "http/stream-primed",
			Title:  "the stream of a request whose events have ids begins with an id and empty data",
			Checks: []requirements.ID{"http-sse-priming-event"},
			Fix:    "send an event with an id and empty data at once when you open a stream that can be resumed",
			Sees:   "a stream whose events have ids",
			Watch:  remembering(primed),
		},
		{
			ID:     "http/stream-retry",
			Title:  "a stream whose connection the server closes before the response says when to come back",
			Checks: []requirements.ID{"http-sse-retry-before-disconnect"},
			Fix:    "send an event with a retry field before you close the connection of a stream that continues",
			Sees:   "a stream that ends before its response",
			Watch:  remembering(saysWhen),
		},
		{
			ID:       "http/disconnect-no-cancel",
			Title:    "a call continues when the connection of its client is lost",
			Checks:   []requirements.ID{"http-disconnect-not-cancel"},
			Needs:    []suite.Need{suite.Role(roles.SlowTool, "observe")},
			Lane:     suite.Waits,
			Observes: roles.SlowTool,
			Fix:      "take only notifications/cancelled as a cancellation, not the end of a connection",
			Run:      continuesDisconnected,
		},
	}
}

// isSubscription reports whether the stream of a request stays open and brings no response.
func isSubscription(x *exchanges.Exchange) bool {
	return x.Sent.Message().Method == "subscriptions/listen"
}

// lost reports whether a frame may hold a response that the kit cannot read. Other cases
// judge why the frame is unreadable.
func lost(s probe.Seen) bool {
	return s.Unread() != "" || s.SSE != nil && (slipOf(s).object || slices.Contains(s.Framing, frame.OddNoBlankLine) ||
		s.Kind == frame.KindMessage && s.Message().Class == frame.NotJSON)
}

// answers reports whether a frame is a response or may be one, as far as this page judges: it
// may be unreadable, or without an id.
func answers(s probe.Seen) bool {
	if reporting.Responds(s) || lost(s) {
		return true
	}
	nameless := func(m frame.Message) bool {
		return (m.Class == frame.Result || m.Class == frame.Error) && (!m.HasID || m.ID == "null")
	}
	return s.Dir == frame.Received && s.Kind == frame.KindMessage && slices.ContainsFunc(probe.Singles(s.Message()), nameless)
}

// arrives looks for the response in each event stream that answers a request. A stream
// whose events have ids may continue on another connection, so the server may close it
// early.
func arrives(was *struct{ answered, ids bool }, book *exchanges.Book, x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	was.ids = was.ids || s.SSE != nil && s.SSE.HasID
	was.answered = was.answered || answers(s)
	switch {
	case s.Kind != frame.KindEnd || isSubscription(x):
		return probe.Nothing()
	case was.answered:
		return probe.Kept()
	case !ended(s) || was.ids && protocol.Drops().At(s.Revision) || book.Cancelled(x):
		return probe.Nothing()
	}
	method := x.Sent.Message().Method
	return x.Evidence(s).Violation("the event stream of %s ended without a response, want one before its end", method).Opinion()
}

// polledArrives makes a call whose stream the server closes before the response. The
// client resumes the stream by itself.
func polledArrives(c *probe.Client) error {
	call := c.Role(roles.SlowTool).Field("polling")
	from := c.Mark()
	reply := c.CallTool(call, nil)
	var resumed *exchanges.Exchange
	book, shown := &exchanges.Book{}, probe.Evidence(nil)
	for _, s := range c.Since(from) {
		x := book.See(s)
		if x != nil && x.LastEvent() != "" && s.Kind == frame.KindHead {
			resumed, shown = x, shown.And(x.Evidence())
		}
	}
	switch {
	case reply.Answered():
		return nil
	case resumed == nil:
		c.NotSeen("the server did not close the stream for the client to resume it")
	}
	return probe.Shown(reply).And(shown).Violation("the response to tools/call does not come on the stream that was resumed, want it there").
		Unless(probe.Elsewhere{Case: "http/get-stream-or-405", Why: "GET opens no stream"}, ambiguousIDs(), illegible())
}

// closed expects the end of the stream at once, and waits only for a stream that stays
// open. Where the server closes the stream before the response, the stream is the one that the
// client resumes, and on which the response comes.
func closed(c *probe.Client, request *probe.Pending) error {
	head, came := request.Streams()[0].Head()
	c.NotSeenIf(!came || !head.Streams(), "the request was not answered by an event stream")
	response, answered := request.AwaitOwn(c.Waits().Answer, reporting.Responds)
	c.UndecideIf(!answered, "no response came on the stream")
	streams := request.Streams()
	stream := streams[len(streams)-1]
	_, over := stream.Await(c.Waits().Event, func(s probe.Seen) bool { return s.Kind == frame.KindEnd })
	if over {
		return nil
	}
	shown := reporting.Heads(request).And(probe.One(response.Frame))
	stream.Abort()
	return shown.Violation("the event stream is still open %v after the response, want its end", c.Waits().Event)
}

// An opening tells which kind of event a stream has brought.
type opening int

const (
	withoutID opening = iota + 1 // a message came, but no id
	withID                       // an id came
)

// polls reports whether the version header says that the client knows streams which the
// server closes early. A request without the header may come from an older client.
func polls(x *exchanges.Exchange) bool {
	return protocol.Drops().At(requirements.Revision(x.Sent.HTTP.Header.Get(protocol.HeaderVersion)))
}

// primed judges how the streams of requests begin. It passes over servers whose events
// have no ids: event ids are optional, and without them no stream can be resumed. What
// came behind more than the kit reads shows no beginning.
func primed(begun *opening, _ *exchanges.Book, x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	if s.SSE == nil || !polls(x) || *begun == withID || s.Gap {
		return probe.Nothing()
	}
	data := slices.ContainsFunc(s.SSE.Data, func(line string) bool { return line != "" })
	switch id := s.SSE.HasID && s.SSE.ID != ""; {
	case !id && data:
		*begun = withoutID
		return probe.Nothing()
	case !id:
		return probe.Nothing()
	case !data && *begun == 0:
		*begun = withID
		return probe.Kept()
	}
	*begun = withID
	return x.Evidence(s).Violation("a message comes before any event with an id and empty data, want the stream to begin with one").Opinion()
}

// saysWhen looks for connections that the server closes before the response, to be
// resumed.
func saysWhen(d *struct{ id, retry, answered bool }, book *exchanges.Book, x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	if s.SSE != nil {
		d.id = d.id || s.SSE.HasID && s.SSE.ID != ""
		d.retry = d.retry || s.SSE.HasRetry
	}
	d.answered = d.answered || answers(s) || probe.Garbled(s) // the garbled event may be the response
	switch {
	case !ended(s) || d.answered || !d.id || book.Cancelled(x), s.Gap && !d.retry:
		return probe.Nothing()
	case d.retry:
		return probe.Kept()
	}
	return x.Evidence(s).Violation("the connection was closed before the response without a retry field, want one before").Opinion()
}

// continuesDisconnected drops the connection of a call and waits for the effect of the call. When the
// server answers a later request, it has probably read the call, but that request came on
// another connection: on a busy machine the call may still be unread, or already
// answered. So a single call without an effect proves nothing, and where a response came
// first, the next connection is dropped earlier.
func continuesDisconnected(c *probe.Client) error {
	role := c.Role(roles.SlowTool)
	call := role.Call()
	patience := role.Fields().Duration("duration", c.Waits().Event) + c.Waits().Event
	var shown probe.Evidence
	barriers := 3
	for lost, tries := 0, 0; lost < 2; tries++ {
		before := c.Before(call)
		sent, waits, dropped := abandon(c, call, barriers)
		switch {
		case !dropped && tries < 4:
			barriers = 1
			continue
		case !dropped && waits.Took() > max(role.Fields().Duration("duration", c.Waits().Event)/2, 4*c.Survey().RoundTrip):
			c.Undecide("the server answers no " + waits.Method + " while the tool runs, so the call was over before its connection could be closed")
		case !dropped:
			c.Undecide("the call was answered before its connection could be closed; let roles.slow-tool take longer")
		}
		after := untilEffect(c, call, before, patience)
		if !before.Same(after) {
			return nil
		}
		shown = sent.And(after)
		lost++
	}
	return shown.Violation("a call whose connection was closed has no effect, want it to continue: the client has not cancelled it").
		Unless(probe.Elsewhere{Case: "tools/slow-tool-answers", Why: "the server itself cuts calls of the slow tool"})
}

// abandon makes a call and closes its connection when the call has likely arrived. It
// returns the first later answer, and reports whether the connection was closed before the
// response.
func abandon(c *probe.Client, call *probe.ToolCall, barriers int) (shown probe.Evidence, waits *probe.Reply, dropped bool) {
	stream := c.Begin(probe.Outgoing{Text: c.Compose("tools/call", call.Params(nil))})
	waits = c.Barrier()
	for range barriers - 1 {
		c.Barrier()
	}
	dropped = !slices.ContainsFunc(stream.Frames(), reporting.Responds)
	stream.Abort()
	return stream.Evidence(), waits, dropped
}

// observations is how often the state is read while the call takes its time.
const observations = 8

// untilEffect reads the state until it changes or the limit is over. No message tells a
// client that lost its connection when the call is done.
func untilEffect(c *probe.Client, call *probe.ToolCall, before probe.State, limit time.Duration) probe.State {
	for range observations {
		c.Pause(limit / observations)
		after := c.Observe(call)
		if !before.Same(after) {
			return after
		}
	}
	return before
}
