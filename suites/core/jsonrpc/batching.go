package jsonrpc

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// batchCases send batches of valid messages, in the one revision that has batches. A
// server without batches may ignore them until the time is up, so cases that expect an
// answer run in the lane that waits.
func batchCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/batch-received",
			Title:  "the requests of a batch are answered",
			Checks: []requirements.ID{"jsonrpc-batch-receive"},
			Needs:  []suite.Need{suite.Lists()},
			Fix: "read a message that is an array as the messages in it, requests and notifications alike; " +
				"this revision is the only one that has batches",
			Lane: suite.Waits,
			Run:  batchReceived,
		},
		{
			ID:     "jsonrpc/batch-coverage",
			Title:  "each request of a batch gets one answer and a notification none",
			Checks: []requirements.ID{"jsonrpc-batch-response-coverage", "jsonrpc-batch-notification-silent"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "collect one response per request of the batch, whatever its place, and none for notifications",
			Lane:   suite.Waits,
			Run:    batchCoverage,
		},
		{
			ID:     "jsonrpc/batch-notifications-only",
			Title:  "a batch of notifications gets no reply",
			Checks: []requirements.ID{"jsonrpc-batch-notifications-only"},
			Fix:    "send nothing when no request was in the batch, not even an empty array; over HTTP answer 202 without a body",
			Run:    batchNotificationsOnly,
		},
	}
}

// array writes messages as one array.
func array(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

// traceless is a notification that changes nothing at any server.
func traceless() string {
	return probe.NotificationText("notifications/cancelled", probe.Object{"requestId": 99999, "reason": "kit"})
}

func batchReceived(c *probe.Client) error {
	const one, other = "900951", "900952"
	list := c.AnyList().Method
	x := probe.Exchange(c, array(probe.RequestText(one, "ping", nil), probe.RequestText(other, list, nil), traceless()), one, other)
	if got := len(x.Answers); got < 2 {
		if got == 0 && servesBatches(c) {
			return x.Violation("none of the two requests in a batch with a notification is answered%s, and batches without one are, "+
				"want both answered", instead(x))
		}
		return x.Violation("of the two requests in a batch %d are answered%s, want both", got, instead(x))
	}
	if x.Served() > 0 {
		return nil
	}
	if _, served := c.Call(list, nil).At("/result"); !served {
		return nil
	}
	return x.Violation("both requests in a batch got errors, and %s by itself got a result, want results", list)
}

// instead describes, for a finding, what came in place of the answers.
func instead(x probe.Collected) string {
	if outcome := x.Outcome(); outcome != "" {
		return ", and the batch got " + outcome
	}
	return ""
}

// takesBatches ends the case where the server does not serve batches at all: the other
// cases about batches have nothing to judge then.
func takesBatches(c *probe.Client) {
	if !servesBatches(c) {
		c.NotSeen("the server does not serve batches, which jsonrpc/batch-received judges")
	}
}

// servesBatches reports whether the server answers the requests of a plain batch.
func servesBatches(c *probe.Client) bool {
	return c.Learn("jsonrpc:batches", func() string {
		const one, other = "900941", "900942"
		x := probe.Exchange(c, array(probe.RequestText(one, "ping", nil), probe.RequestText(other, "ping", nil)), one, other)
		if len(x.Answers) == 0 {
			return "no"
		}
		return "yes"
	}) == "yes"
}

func batchCoverage(c *probe.Client) error {
	takesBatches(c)
	ids := []string{"900961", "900962", "900963"}
	text := array(traceless(), probe.RequestText(ids[0], c.AnyList().Method, nil), probe.RequestText(ids[1], "ping", nil),
		traceless(), probe.RequestText(ids[2], "kit/unknown", nil))
	x := probe.Exchange(c, text, ids...)
	for _, id := range ids {
		if got := len(x.Answers[id]); got != 1 {
			return x.Violation("the request with the id %s in a batch is answered %d times%s, want once", id, got, instead(x)).
				Under("jsonrpc-batch-response-coverage")
		}
	}
	if len(x.Extra) > 0 {
		return x.Violation("a response with the id %s belongs to no request of the batch, want none for notifications", shownID(x.Extra[0].ID)).
			Under("jsonrpc-batch-notification-silent")
	}
	return nil
}

func batchNotificationsOnly(c *probe.Client) error {
	x := probe.Exchange(c, array(traceless(), probe.NotificationText("notifications/x-in-array", nil)))
	switch {
	case x.Status >= 400:
		return nil
	case x.Refused():
		takesBatches(c)
		return x.Violation("a batch of notifications got %s, want no reply", x.Outcome())
	case len(x.Extra) > 0:
		return x.Violation("a batch of notifications got a response with the id %s, want no reply", shownID(x.Extra[0].ID))
	case x.Array || x.Said:
		return x.Violation("a batch of notifications got a message, want no reply")
	case x.Body:
		c.Note("the HTTP status for a batch of notifications comes with a body, which is not a message")
	case x.Status > 0 && x.Status != 202:
		return x.Violation("the status for a batch of notifications is %d, want 202 without a body, or an error status", x.Status)
	case x.Died:
		c.Undecide("the server is gone after a batch of notifications")
	}
	return nil
}
