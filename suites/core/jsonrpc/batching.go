package jsonrpc

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// batchCases send batches of valid and of invalid messages, in the one revision that has
// batches. A server without batches may ignore them until the time is up, so cases that
// expect an answer run in the lane that waits.
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
		{
			ID:     "jsonrpc/batch-empty-array",
			Title:  "an empty array is rejected as an invalid request",
			Checks: []requirements.ID{"jsonrpc-batch-empty-array", "jsonrpc-batch-empty-answer"},
			Fix:    "answer [] with a single error -32600, since nothing stands in it",
			Run:    batchEmptyArray,
		},
		{
			ID:     "jsonrpc/batch-invalid-members",
			Title:  "one invalid entry does not fail the rest of the batch",
			Checks: []requirements.ID{"jsonrpc-batch-invalid-members"},
			Fix:    "answer each entry of a batch that is not a message with error -32600, and serve the others",
			Lane:   suite.Waits, // a server without batches may ignore them
			Run:    batchInvalidMembers,
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
		if got == 0 && servesBatches(alive(c, x)) {
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

// unreceived tells what judges that requests in a batch have no answers.
func unreceived() probe.Elsewhere {
	return probe.Elsewhere{Case: "jsonrpc/batch-received", Why: "nor are all requests of a plain batch answered"}
}

// instead describes, for a finding, what came in place of the answers.
func instead(x probe.Collected) string {
	if outcome := x.Outcome(); outcome != "" {
		return ", and the batch got " + outcome
	}
	return ""
}

// alive is a client of a server that is still there after the exchange.
func alive(c *probe.Client, x probe.Collected) *probe.Client {
	if x.Died {
		return c.Opened()
	}
	return c
}

// takesBatches ends the case where the server does not serve batches at all: the other
// cases about batches have nothing to judge then.
func takesBatches(c *probe.Client) {
	c.NotSeenIf(!servesBatches(c), "the server does not serve batches, which jsonrpc/batch-received judges")
}

// servesBatches reports whether the server answers the requests of a plain batch.
func servesBatches(c *probe.Client) bool { return refusalOfBatches(c) == "" }

// refusalOfBatches is the code of the error for a plain batch of which no request is answered; empty
// where one is.
func refusalOfBatches(c *probe.Client) string {
	return c.Learn("jsonrpc:batches", func() string {
		const one, other = "900941", "900942"
		x := probe.Exchange(c, array(probe.RequestText(one, "ping", nil), probe.RequestText(other, "ping", nil)), one, other)
		if len(x.Answers) > 0 {
			return ""
		}
		code, _ := refusalCode(x)
		return probe.Show(code)
	})
}

func batchCoverage(c *probe.Client) error {
	takesBatches(c)
	ids := []string{"900961", "900962", "900963"}
	text := array(traceless(), probe.RequestText(ids[0], c.AnyList().Method, nil), probe.RequestText(ids[1], "ping", nil),
		traceless(), probe.RequestText(ids[2], "kit/unknown", nil))
	x := probe.Exchange(c, text, ids...)
	for _, id := range ids {
		if got := len(x.Answers[id]); got != 1 {
			broken := x.Violation("the request with the id %s in a batch is answered %d times%s, want once", id, got, instead(x)).
				Under("jsonrpc-batch-response-coverage")
			if got == 0 {
				return broken.Unless(unreceived())
			}
			return broken
		}
	}
	if len(x.Extra) > 0 {
		return x.Violation("a response %s belongs to no request of the batch, want none for notifications", underID(x.Extra[0].ID)).
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
		return x.Violation("a batch of notifications got a response %s, want no reply", underID(x.Extra[0].ID))
	case x.Array:
		return x.Violation("a batch of notifications got an array, want no reply")
	case x.Said:
		return x.Violation("a batch of notifications got a message, want no reply")
	case x.Body:
		c.Note("the HTTP status for a batch of notifications comes with a body, which is not a message")
	case x.Status > 0 && x.Status != 202:
		return x.Violation("the status for a batch of notifications is %d, want 202 without a body, or an error status", x.Status)
	case x.Died:
		takesBatches(alive(c, x))
		c.Undecide("the server is gone after a batch of notifications")
	}
	return nil
}

// batchEmptyArray only notes silence: the required error has the id null, which the
// schema does not allow.
func batchEmptyArray(c *probe.Client) error {
	x := probe.Exchange(c, `[]`)
	code, refused := refusalCode(x)
	var v *probe.Violation
	switch {
	case x.Status >= 400:
		return nil
	case refused && probe.Same(code, protocol.InvalidRequest):
		return nil
	case refused:
		c.NotSeenIf(refusalOfBatches(c) == probe.Show(code), "every batch gets this error, which jsonrpc/batch-received judges")
		v = x.Violation("$.error.code is %s, want %d", probe.Show(code), protocol.InvalidRequest)
	case x.Silent():
		c.Note("an empty array is ignored")
		return nil
	case x.Died:
		garbage.LeaveToOne(c)
		v = x.Violation("the connection ends after an empty array, want error %d", protocol.InvalidRequest)
	case x.Array && len(x.Extra) == 0:
		return x.Violation("an empty array got an empty array, want a single error %d", protocol.InvalidRequest).
			Under("jsonrpc-batch-empty-answer")
	case x.Status > 0:
		v = x.Violation("an empty array got HTTP status %d and no error, want a single error %d", x.Status, protocol.InvalidRequest)
	default:
		v = x.Violation("an empty array got something else than an error, want a single error %d", protocol.InvalidRequest)
	}
	return v.Under("jsonrpc-batch-empty-array")
}

// refusalCode is the code of an error without an id.
func refusalCode(x probe.Collected) (code any, refused bool) {
	m, refused := x.Refusal()
	code, _ = m.At("/error/code")
	return code, refused
}

func batchInvalidMembers(c *probe.Client) error {
	takesBatches(c)
	const id = "900981"
	x := probe.Exchange(c, array("1", probe.RequestText(id, "ping", nil)), id)
	code, refused := refusalCode(x)
	switch {
	case x.Status >= 400:
		return nil
	case len(x.Answers) == 0:
		return x.Violation("the valid request beside an invalid entry of a batch is not answered%s, want its result", instead(x)).
			Unless(unreceived())
	case !refused:
		return x.Violation("the invalid entry of a batch is ignored, want an error %d for it", protocol.InvalidRequest)
	case !probe.Same(code, protocol.InvalidRequest):
		return x.Violation("$.error.code for the invalid entry is %s, want %d", probe.Show(code), protocol.InvalidRequest)
	}
	return nil
}

// noBatchCases look for batches in revisions without batches.
func noBatchCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/batch-rejected",
			Title:  "an array of requests is not served as a batch",
			Checks: []requirements.ID{"jsonrpc-batch-rejected"},
			Needs:  []suite.Need{suite.Lists()},
			Fix: "send no array in any revision but 2025-03-26; an array of requests may be rejected with error -32600, ignored, " +
				"or answered message by message",
			Run: batchRejected,
		},
		{
			ID:     "jsonrpc/batch-never-sent",
			Title:  "the server sends single messages, never arrays",
			Checks: []requirements.ID{"jsonrpc-batch-never-sent"},
			Fix:    "send each message by itself in every revision but 2025-03-26",
			Sees:   "a message of the server",
			Watch:  func() probe.Watcher { return &singles{asked: map[int]bool{}} },
		},
	}
}

// batchRejected only notes requests that the server serves one by one, because no
// sentence makes a server refuse an array. An array of results breaks the rule, and a process
// that ends at an array gets a warning.
func batchRejected(c *probe.Client) error {
	method := c.AnyList().Method
	const one, other = "900971", "900972"
	text := array(probe.RequestText(one, method, c.Params(nil)), probe.RequestText(other, method, c.Params(nil)))
	x := probe.ExchangeOptional(c, text, one, other)
	switch {
	case x.Served() > 0 && x.Array:
		return x.Violation("an array of requests got an array with %d results, want a refusal", x.Served()).
			Unless(probe.Elsewhere{Case: "stdio/stdout-messages-only", Why: "the array of results stands on stdout"})
	case x.Served() > 0:
		c.Note("the requests in an array are served one by one")
	case x.Died:
		return endsProcess(c, text, "error -32600, or nothing")
	case x.Silent():
		c.Note("an array of requests is ignored")
	}
	return nil
}

// byTransport tells what judges an array by a rule of the transport, where there is one: events of a
// stream have none.
func byTransport(s *probe.WatchedFrame) probe.Elsewhere {
	switch {
	case s.Transport == requirements.Stdio:
		return probe.Elsewhere{Case: "stdio/stdout-messages-only", Why: "the array stands on stdout"}
	case s.SSE == nil:
		return probe.Elsewhere{Case: "http/json-single-object", Why: "the body is an array"}
	}
	return probe.Elsewhere{}
}

// singles watches for arrays that do not answer an array of the client.
type singles struct{ asked map[int]bool }

func (w *singles) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Kind != frame.KindMessage || protocol.HasArrays(s.Revision) {
		return probe.Nothing()
	}
	m := s.Message()
	switch {
	case s.Dir == frame.Sent:
		for _, exchange := range s.Channels() {
			w.asked[exchange] = w.asked[exchange] || m.Class == frame.Batch
		}
		return probe.Nothing()
	case m.Class == frame.NotJSON || m.Class == frame.NotAMessage || w.asked[s.Exchange]:
		return probe.Nothing()
	case m.Class != frame.Batch:
		return probe.Kept()
	case slices.ContainsFunc(m.Batch, probe.LooksLikeMessage):
		return probe.Breaks("$ is an array, want a single message").Unless(byTransport(s))
	}
	return probe.Nothing() // the frame is other JSON on stdout
}
