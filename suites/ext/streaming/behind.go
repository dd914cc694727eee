package streaming

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// behind is a call that was resumed, with the chunks that came behind the checkpoint.
func behind(c *probe.Client) (*interrupted, resumption) {
	x, r := resumed(c, resumable(c))
	if !proposal.Done(r.Reply) || x.anew(r) {
		c.Undecide("the call is not resumed, which ext-streaming/resume-continues judges: " + r.Outcome())
	}
	c.NotSeenIf(len(r.chunks) == 0, "no chunk comes behind the checkpoint")
	return x, r
}

// of reports whether a chunk is one of the operation. A call that was given up in another
// case may still send its own.
func (x *interrupted) of(chunk operations.Record) bool {
	id, named := chunk.Text("operation_id")
	return !named || id == x.id
}

// resumeOperation passes over operations that had chunks before the resumption.
func resumeOperation(c *probe.Client) error {
	x, r := behind(c)
	if slices.ContainsFunc(r.chunks, x.of) {
		return nil
	}
	all := operations.Chunks(c.Since(x.from))
	known := all[:len(all)-len(r.chunks)]
	for _, chunk := range r.chunks {
		id, _ := chunk.Text("operation_id")
		if !slices.ContainsFunc(known, func(earlier operations.Record) bool { return earlier.Fields["operation_id"] == id }) {
			return operations.Shown(x.Said, chunk.Seen, r.Reply).Violation(
				"%s.operation_id is %q behind a checkpoint of the operation %q, want the same", chunk.Where, id, x.id)
		}
	}
	return nil
}

// A server need not send all chunks behind a checkpoint, so that the last one shows by its
// number alone: an uninterrupted call says which that is.
func resumeFinal(c *probe.Client) error {
	x, r := behind(c)
	r.chunks = slices.DeleteFunc(r.chunks, func(chunk operations.Record) bool { return !x.of(chunk) })
	c.NotSeenIf(len(r.chunks) == 0, "no chunk of the operation comes behind the checkpoint")
	numbers, numbered := sequences(r.chunks)
	c.NotSeenIf(!numbered, unnumbered)
	last := slices.Max(numbers)
	shown := operations.Shown(x.Said, r.chunks[slices.Index(numbers, last)].Seen, r.Reply)
	final := func(chunk operations.Record) bool { return chunk.Fields["is_final"] == true }
	if at := slices.IndexFunc(r.chunks, final); at >= 0 {
		if n := numbers[at]; n < last {
			cause := probe.Elsewhere{Case: "ext-streaming/final-once", Why: "a chunk that is not the last one is marked as the final one"}
			if !slices.IsSorted(numbers) {
				cause = unordered()
			}
			return shown.Violation(
				"$.params.is_final of chunk %d behind a checkpoint is true, and chunk %d comes too, want it on the last one only", n, last).
				Unless(cause)
		}
		return nil
	}
	whole := streamIn(c, c.Role(resumable(c)).Call(), x.Dialect)
	own, numbered := sequences(whole.chunks)
	at := slices.IndexFunc(whole.chunks, final)
	c.NotSeenIf(!numbered || at < 0,
		"no chunk of a call without an interruption is marked as the final one, which ext-streaming/final-marked judges")
	c.NotSeenIf(last < own[at], "the chunks behind the checkpoint do not reach the last one")
	return shown.Violation(
		"is_final is true on none of %d chunks behind a checkpoint, though the last one, chunk %d, is among them, want it there",
		len(r.chunks), last).AtMostWarn()
}
