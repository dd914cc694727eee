package jsonrpc

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// batchCases send arrays of good messages, in the one revision that has them.
// A server that does not know arrays may be silent, so they wait.
func batchCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/batch-received",
			Title:  "the requests of an array are answered",
			Checks: []requirements.ID{"jsonrpc-batch-receive"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "read a message that is an array as its members; this revision is the only one that has them",
			Lane:   suite.Waits,
			Run:    batchReceived,
		},
		{
			ID:     "jsonrpc/batch-coverage",
			Title:  "each request of an array gets one answer and a notification none",
			Checks: []requirements.ID{"jsonrpc-batch-response-coverage"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "collect one response per request of the array, whatever its place, and none for notifications",
			Lane:   suite.Waits,
			Run:    batchCoverage,
		},
		{
			ID:     "jsonrpc/batch-notifications-only",
			Title:  "an array of notifications gets no reply",
			Checks: []requirements.ID{"jsonrpc-batch-notifications-only"},
			Fix:    "send nothing when no request was in the array, not even an empty array; over HTTP answer 202 without a body",
			Lane:   suite.Fresh,
			Run:    batchNotificationsOnly,
		},
	}
}

// note is a notification that every server takes without a trace.
func note() string {
	return probe.Notification("notifications/cancelled", probe.Object{"requestId": 99999, "reason": "kit"})
}

func batchReceived(ctx context.Context, c *probe.Client) error {
	v, err := fire(ctx, c, array(probe.Request("951", "ping", nil), probe.Request("952", list(c).method, nil), note()), "951", "952")
	if err != nil {
		return err
	}
	if got := len(v.answers); got < 2 {
		return v.broken("of the two requests in an array %d are answered%s, want both", got, v.otherwise())
	}
	if v.served() > 0 {
		return nil
	}
	alone, err := c.Call(ctx, list(c).method, nil)
	if err != nil || alone.WantResult() != nil {
		return err
	}
	return v.broken("both requests in an array are answered by errors, and %s by itself has a result, want results", alone.Method)
}

// otherwise says what came instead of answers.
func (v volley) otherwise() string {
	m, refused := v.refusal()
	switch {
	case v.died:
		return " and the connection ends"
	case refused:
		return " and the array is refused by " + probe.Show(m.Members["error"])
	case v.status >= 400:
		return " and the array is refused by HTTP status " + probe.Show(v.status)
	}
	return ""
}

// takesArrays reports whether the server serves an array at all; the columns'
// other cases about arrays have nothing to say otherwise.
func takesArrays(ctx context.Context, c *probe.Client) (bool, error) {
	answer, err := c.Learn("jsonrpc:arrays", func() (string, error) {
		v, err := fire(ctx, c, array(probe.Request("941", "ping", nil), probe.Request("942", "ping", nil)), "941", "942")
		if err != nil || len(v.answers) == 0 {
			return "no", err
		}
		return "yes", nil
	})
	return answer == "yes", err
}

func noArrays() error {
	return probe.NotSeen("the server serves no arrays, which jsonrpc/batch-received judges")
}

func batchCoverage(ctx context.Context, c *probe.Client) error {
	if ok, err := takesArrays(ctx, c); err != nil || !ok {
		return orElse(err, noArrays())
	}
	ids := []string{"961", "962", "963"}
	v, err := fire(ctx, c, array(note(), probe.Request("961", list(c).method, nil), probe.Request("962", "ping", nil),
		note(), probe.Request("963", "kit/unknown", nil)), ids...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if got := len(v.answers[id]); got != 1 {
			return v.broken("the request with the id %s in an array is answered %d times%s, want once", id, got, v.otherwise())
		}
	}
	if len(v.extra) > 0 {
		return v.broken("a response with the id %s belongs to no request of the array, want none for notifications", shownID(v.extra[0].ID))
	}
	return nil
}

// orElse returns the error, or the other where there is none.
func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func batchNotificationsOnly(ctx context.Context, c *probe.Client) error {
	v, err := glance(ctx, c, array(note(), probe.Notification("notifications/x-in-array", nil)))
	switch {
	case err != nil:
		return err
	case v.status >= 400:
		return nil
	case len(v.extra) > 0:
		return v.broken("an array of notifications is answered by a response with the id %s, want no reply", shownID(v.extra[0].ID))
	case v.array || v.said:
		return v.broken("an array of notifications is answered by a message, want no reply")
	case v.body:
		c.Note("the HTTP status for an array of notifications comes with a body, which is no message")
	case v.status > 0 && v.status != 202:
		return v.broken("the status for an array of notifications is %d, want 202 without a body, or an error status", v.status)
	case v.died:
		return probe.Undecide("the server is gone after an array of notifications")
	}
	return nil
}
