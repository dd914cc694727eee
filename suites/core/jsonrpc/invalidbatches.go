package jsonrpc

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// invalidBatchCases send malformed batches.
func invalidBatchCases() []suite.Case {
	return []suite.Case{
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
		return x.Violation("the valid request beside an invalid entry of a batch is not answered%s, want its result", instead(x))
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
// sentence makes a server refuse an array. An array of results breaks the rule.
func batchRejected(c *probe.Client) error {
	method := c.AnyList().Method
	const one, other = "900971", "900972"
	text := array(probe.RequestText(one, method, c.Params(nil)), probe.RequestText(other, method, c.Params(nil)))
	x := probe.ExchangeOptional(c, text, one, other)
	switch {
	case x.Served() > 0 && x.Array:
		return x.Violation("an array of requests got an array with %d results, want a refusal", x.Served())
	case x.Served() > 0:
		c.Note("the requests in an array are served one by one")
	case x.Silent():
		c.Note("an array of requests is ignored")
	}
	return nil
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
		return probe.Breaks("$ is an array, want a single message")
	}
	return probe.Nothing() // the frame is other JSON on stdout
}
