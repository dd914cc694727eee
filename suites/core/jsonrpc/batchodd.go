package jsonrpc

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// batchOddCases send arrays that something is wrong with.
func batchOddCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/batch-empty-array",
			Title:  "an empty array is refused as an invalid request",
			Checks: []requirements.ID{"jsonrpc-batch-empty-array"},
			Fix:    "answer [] with a single error -32600, not with an empty array",
			Lane:   suite.Fresh,
			Run:    batchEmptyArray,
		},
		{
			ID:     "jsonrpc/batch-invalid-members",
			Title:  "a broken member of an array fails alone",
			Checks: []requirements.ID{"jsonrpc-batch-invalid-members"},
			Fix:    "answer each member of an array that is no message with error -32600, and serve the others",
			Lane:   suite.Waits,
			Run:    batchInvalidMembers,
		},
		{
			ID:     "jsonrpc/batch-initialize",
			Title:  "an array that holds initialize does not open a conversation",
			Checks: []requirements.ID{"jsonrpc-batch-initialize"},
			Fix:    "refuse initialize inside an array by error -32600",
			Raw:    true,
			Lane:   suite.Fresh,
			Run:    batchInitialize,
		},
	}
}

// Silence is told and no more: the error that is due has the id null, which
// the schema does not have.
func batchEmptyArray(ctx context.Context, c *probe.Client) error {
	v, err := glance(ctx, c, `[]`)
	if err != nil {
		return err
	}
	m, refused := v.refusal()
	code, _ := m.At("/error/code")
	switch {
	case v.status >= 400:
		return nil
	case refused && probe.Same(code, probe.InvalidRequest):
		return nil
	case refused:
		return v.broken("$.error.code is %s, want %d", probe.Show(code), probe.InvalidRequest)
	case v.silent():
		c.Note("an empty array is passed over in silence")
		return nil
	case v.died:
		return v.broken("the connection ends after an empty array, want error %d", probe.InvalidRequest)
	}
	return v.broken("an empty array is not answered by an error, want a single error %d", probe.InvalidRequest)
}

func batchInvalidMembers(ctx context.Context, c *probe.Client) error {
	if ok, err := takesArrays(ctx, c); err != nil || !ok {
		return orElse(err, noArrays())
	}
	v, err := fire(ctx, c, array("1", probe.Request("981", "ping", nil)), "981")
	if err != nil {
		return err
	}
	m, refused := v.refusal()
	code, _ := m.At("/error/code")
	switch {
	case v.status >= 400:
		return nil
	case len(v.answers) == 0:
		return v.broken("the valid request beside a broken member is not answered%s, want its result", v.otherwise())
	case !refused:
		return v.broken("the broken member of an array is passed over, want an error %d for it", probe.InvalidRequest)
	case !probe.Same(code, probe.InvalidRequest):
		return v.broken("$.error.code for the broken member is %s, want %d", probe.Show(code), probe.InvalidRequest)
	}
	return nil
}

// After the array the conversation is opened as it should be, which shows
// whether the server is still there.
func batchInitialize(ctx context.Context, c *probe.Client) error {
	from := c.Mark()
	ids := []string{"991", "992"}
	text := array(probe.Request("991", "initialize", c.InitializeParams(c.Revision())), probe.Request("992", "tools/list", nil))
	if err := c.Send(ctx, text); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err := exchangesOver(ctx, c, from); err != nil {
		return err
	}
	reply, err := c.Initialize(ctx)
	if err != nil {
		return err
	}
	if reply.Answered() {
		if err := dealtWith(ctx, c, from); err != nil {
			return err
		}
	}
	v := since(c, from, ids)
	switch {
	case slices.ContainsFunc(v.answers["991"], func(m frame.Message) bool { return m.Class == frame.Result }):
		return v.broken("initialize is served in an array, want a refusal")
	case v.died && !v.refused():
		return v.broken("the connection ends after an array with initialize, want a refusal")
	}
	return nil
}

// noBatchCases look after arrays where the revision has none.
func noBatchCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/batch-rejected",
			Title:  "an array of requests is not served as one",
			Checks: []requirements.ID{"jsonrpc-batch-rejected"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "refuse a message that is an array by error -32600 in every revision but 2025-03-26",
			Lane:   suite.Fresh,
			Run:    batchRejected,
		},
		{
			ID:     "jsonrpc/batch-never-sent",
			Title:  "the server sends single messages, never arrays",
			Checks: []requirements.ID{"jsonrpc-batch-never-sent"},
			Fix:    "send each message by itself in every revision but 2025-03-26",
			Watch:  func() probe.Watcher { return &singles{asked: map[int]bool{}} },
		},
	}
}

// No sentence makes a server refuse an array, so members that are served one
// by one are told and no more; an array of results is another matter.
func batchRejected(ctx context.Context, c *probe.Client) error {
	method := list(c).method
	ids := []string{"971", "972"}
	v, err := glance(ctx, c, array(probe.Request("971", method, c.Params(nil)), probe.Request("972", method, c.Params(nil))), ids...)
	switch {
	case err != nil:
		return err
	case v.served() > 0 && v.array:
		return v.broken("an array of requests is answered by an array with %d results, want a refusal", v.served())
	case v.served() > 0:
		c.Note("the requests in an array are served one by one")
	case v.silent():
		c.Note("an array of requests is passed over in silence")
	}
	return nil
}

// singles watches for arrays that answer no array of the client's.
type singles struct{ asked map[int]bool }

func (w *singles) See(s probe.Seen) probe.Opinion {
	if s.Kind != frame.KindMessage || s.Revision == requirements.R20250326 {
		return probe.Nothing()
	}
	m := s.Message()
	switch {
	case s.Dir == frame.Sent:
		w.asked[s.Exchange] = w.asked[s.Exchange] || m.Class == frame.Batch
		return probe.Nothing()
	case m.Class == frame.NotJSON || m.Class == frame.NotAMessage || w.asked[s.Exchange]:
		return probe.Nothing()
	case m.Class == frame.Batch && holdsMessage(m):
		return s.Break("$ is an array, want a single message").Opinion()
	}
	return probe.Said(m.Class != frame.Batch, nil)
}

// holdsMessage tells an array of messages from other JSON on stdout.
func holdsMessage(m frame.Message) bool {
	for _, member := range m.Batch {
		if meant(member, false) {
			return true
		}
	}
	return false
}
