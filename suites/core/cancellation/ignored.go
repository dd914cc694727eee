package cancellation

import (
	"encoding/json"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// ignoredCases send cancellations of nothing that runs.
func ignoredCases() []suite.Case {
	const fix = "ignore a cancellation that names no running request, and send no answer to it"
	cases := []suite.Case{
		{
			ID:     "cancellation/unknown-id-ignored",
			Title:  "a cancellation of an unknown request changes nothing",
			Checks: []requirements.ID{"cancellation-unknown-id-ignored"},
			Fix:    fix,
			Run: func(c *probe.Client) error {
				return ignored(c, probe.NotificationText(method, probe.Object{"requestId": "no-such-" + c.Nonce(), "reason": "kit"}))
			},
		},
		{
			ID:     "cancellation/finished-id-ignored",
			Title:  "a cancellation of an answered request changes nothing and is not answered",
			Checks: []requirements.ID{"cancellation-finished-id-ignored"},
			Fix:    fix,
			Run:    finishedIgnored,
		},
	}
	for _, row := range []struct {
		slug, words string
		params      any
	}{
		{"no-params", "without params", nil},
		{"no-id", "without a request id", probe.Object{"reason": "kit"}},
		{"null-id", "whose request id is null", probe.Object{"requestId": nil}},
		{"array-id", "whose request id is an array", probe.Object{"requestId": []any{1}, "reason": 7}},
	} {
		cases = append(cases, suite.Case{
			ID:     "cancellation/" + row.slug + "-ignored",
			Title:  "a cancellation " + row.words + " changes nothing",
			Checks: []requirements.ID{"cancellation-malformed-ignored"},
			Fix:    "ignore a cancellation that cannot be read",
			Run:    func(c *probe.Client) error { return ignored(c, probe.NotificationText(method, row.params)) },
		})
	}
	return append(cases, suite.Case{
		ID:     "cancellation/race-safe",
		Title:  "a cancellation right behind a short request does no harm",
		Checks: []requirements.ID{"cancellation-race-safe"},
		Fix:    "look the request up under the lock under which it ends, and ignore a cancellation that comes too late",
		Run:    raceSafe,
	})
}

// ignored sends the text while a request is on its way. Whether the text is answered is
// judged by jsonrpc/cancelled-unanswered and its neighbours.
func ignored(c *probe.Client, text string) error {
	from := c.Mark()
	open := c.Start(c.PlainMethod(), nil)
	c.Send(text)
	if reply := open.Reply(); !reply.Answered() {
		plainAnswered(c)
		leaveToJSONRPC(c, reply)
		return probe.Shown(sent(c, from, text), reply).Violation(
			"the request before the cancellation gets %s, want a response", reply.Outcome())
	}
	return stillServed(c, from, text)
}

// stillServed expects an answer to the request behind a text.
func stillServed(c *probe.Client, from probe.Mark, text string) error {
	c.AwaitEnds(from)
	if behind := c.Barrier(); !behind.Answered() {
		plainAnswered(c)
		leaveToJSONRPC(c, behind)
		return probe.Shown(sent(c, from, text), behind).Violation(
			"the request behind the cancellation gets %s, want a response", behind.Outcome())
	}
	return nil
}

// plainAnswered ends a case undecided where a server answers no plain request either,
// on a connection without a cancellation.
func plainAnswered(c *probe.Client) {
	reply := c.Opened().Call(c.PlainMethod(), nil)
	c.Require(reply.WantAnswer(), "a plain request is not answered either")
}

// leaveToJSONRPC ends a case as not seen where the process has ended and ends at the
// cancellations that jsonrpc sends as well.
func leaveToJSONRPC(c *probe.Client, reply *probe.Reply) {
	if !reply.Died() || c.Transport() != requirements.Stdio {
		return
	}
	for _, row := range []struct{ id, judge string }{{"99999", "cancelled-unanswered"}, {"{}", "malformed-notification-unanswered"}} {
		other := c.Opened()
		other.Quiet()
		other.Send(cancels(row.id))
		c.NotSeenIf(other.Barrier().Died(), "the process ends at other cancellations too, which jsonrpc/"+row.judge+" judges")
	}
}

// sent is the frame with a text.
func sent(c *probe.Client, from probe.Mark, text string) probe.Evidence {
	s, ok := c.Find(from, func(s probe.Seen) bool { return s.Dir == frame.Sent && string(s.Raw()) == text })
	if !ok {
		return nil
	}
	return probe.One(s.Frame)
}

// cancels is the text that cancels a request with an id.
func cancels(id string) string {
	return probe.NotificationText(method, probe.Object{"requestId": json.RawMessage(id), "reason": "it is not needed"})
}

// finishedIgnored lets another request pass between the answer and the cancellation.
func finishedIgnored(c *probe.Client) error {
	request := c.Start(c.PlainMethod(), nil)
	c.Require(request.Reply().WantAnswer(), "a plain request is not answered")
	c.Barrier()
	from, text := c.Mark(), cancels(request.ID())
	c.Send(text)
	if err := stillServed(c, from, text); err != nil {
		return err
	}
	for _, s := range c.Since(from) {
		if request.Answers(s) {
			return probe.Shown(sent(c, from, text), probe.One(s.Frame)).Violation(
				"a cancellation of an answered request is answered, want no response")
		}
	}
	return nil
}

// raceSafe passes over the requests that get no answer.
func raceSafe(c *probe.Client) error {
	times := 10
	began := time.Now()
	c.Quiet()
	if took := time.Since(began); took > 0 { // a server that does one thing at a time answers behind all of them
		times = max(2, min(times, int(c.Waits().Answer/2/took)))
	}
	from, last := c.Mark(), ""
	for range times {
		request := c.Start(c.PlainMethod(), nil)
		_, _ = request.Sent()
		from, last = c.Mark(), cancels(request.ID())
		c.Send(last)
	}
	return stillServed(c, from, last)
}
