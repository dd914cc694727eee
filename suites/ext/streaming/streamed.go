package streaming

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// streaming is a case about one call that asked for pieces.
func streaming(slug, title string, id requirements.ID, fix string, judge func(s *streamed) error) suite.Case {
	return bench.Case("ext-streaming/"+slug, title, id, fix, bench.After(stream, judge), suite.Role(roles.StreamTool))
}

// A streamed call is what came of it, up to its answer and after it.
type streamed struct {
	client *probe.Client
	from   probe.Mark
	id     string // of the operation, as the call names it
	reply  *probe.Reply
	chunks []operations.Record // before the answer
	late   []operations.Record // after it
	other  bool                // the server streams by another mechanism
	parts  bool                // partial results came in records of progress
}

// stream makes the call of the role in the form in which the server was seen to
// stream.
func stream(c *probe.Client) *streamed {
	d := dialect(c, roles.StreamTool)
	call := c.Role(roles.StreamTool).Call()
	s := streamIn(c, call, d)
	bench.WantRun(c, roles.StreamTool, s.reply)
	for _, chunk := range s.chunks {
		if chunk.Method != "notifications/stream_chunk" {
			c.Note("chunks come as notifications/progress, an accepted form; the canonical one is notifications/stream_chunk")
			break
		}
	}
	return s
}

func streamIn(c *probe.Client, call *probe.ToolCall, d proposal.Dialect, options ...probe.Option) *streamed {
	mark := c.Mark()
	b, id := bench.New(c), operationID(c)
	b.ToolCall, b.Dialect = call, d
	reply := b.StartCall(asking(c, probe.Object{"stream": true, "operation_id": id}), options...).Reply()
	if reply.Answered() {
		c.Settle(mark)
	}
	seen := c.Since(mark)
	return &streamed{
		client: c, from: mark, id: id, reply: reply, other: operations.Foreign(seen),
		chunks: operations.Chunks(operations.Before(reply, seen)), late: operations.Chunks(operations.Behind(reply, seen)),
		parts: slices.ContainsFunc(operations.Progress(operations.Before(reply, seen)), func(r operations.Record) bool {
			return r.Fields["partial_result"] != nil
		}),
	}
}

// asking is a call that asks for these things, and for progress.
func asking(c *probe.Client, values probe.Object) bench.Call {
	return bench.Call{Values: values, Meta: probe.Object{"progressToken": "kit-" + c.Nonce()}}
}

func operationID(c *probe.Client) string { return "kit-op-" + c.Nonce() }

// dialect is where the server reads that a client wants pieces: chunks are what
// shows that it did.
func dialect(c *probe.Client, role roles.Name) proposal.Dialect {
	d := proposal.LearnDialect(c, "streaming", []proposal.Dialect{proposal.Beside},
		func(d proposal.Dialect) (read, accepted bool) {
			s := streamIn(c, c.Role(role).Call(), d)
			return len(s.all()) > 0, proposal.Done(s.reply)
		})
	d.NoteOlder(c, "requests for pieces", map[proposal.Dialect]string{proposal.Beside: "params.stream"}, "_meta.stream")
	return d
}

// all are the chunks, whenever they came.
func (s *streamed) all() []operations.Record { return slices.Concat(s.chunks, s.late) }

// violation is a problem that the call and some chunks show.
func (s *streamed) violation(chunks []operations.Record, format string, args ...any) *probe.Violation {
	shown := []probe.Evident{s.reply}
	for _, chunk := range chunks {
		shown = append(shown, chunk.Seen)
	}
	return operations.Shown(shown...).Violation(format, args...)
}

// some ends the case where there are no chunks to look at. That there are any is the rule of chunk-shape.
func (s *streamed) some() {
	switch {
	case len(s.chunks) == 0 && len(s.late) > 0:
		s.client.NotSeen("the chunks came after the answer to their call, which ext-streaming/before-result judges")
	case len(s.chunks) == 0:
		s.client.NotSeen("the call of roles.stream-tool yields no chunk")
	case slices.ContainsFunc(s.chunks, func(chunk operations.Record) bool { return chunk.Fields == nil }):
		s.client.NotSeen("some chunks have no params, which ext-streaming/chunk-shape judges")
	}
}

// unnumbered is why nothing is said of the order of chunks.
const unnumbered = "some chunks have no integer sequence, which ext-streaming/chunk-shape judges"

// unidentified is why nothing is said of the operations of chunks.
const unidentified = "some chunks have no operation_id that is a string, or an empty one, which ext-streaming/chunk-shape judges"

// unordered is the case that judges why a number means nothing.
func unordered() probe.Elsewhere {
	return probe.Elsewhere{Case: "ext-streaming/sequence-order", Why: "the numbers of chunks do not rise"}
}

// sequences are the numbers of the chunks in the order in which they came; false where
// some chunk has none.
func sequences(chunks []operations.Record) ([]int, bool) {
	all := make([]int, len(chunks))
	for i, chunk := range chunks {
		n, ok := chunk.Sequence()
		if !ok {
			return nil, false
		}
		all[i] = n
	}
	return all, true
}

// patience is how long a tool that takes its time may take.
func patience(c *probe.Client, role roles.Name) time.Duration {
	return c.Waits().Answer + c.Role(role).Fields().Duration("duration", 0)
}

func chunks() []suite.Case {
	return []suite.Case{
		streaming("chunk-shape", "each chunk has its type, its operation and a sequence number", "ext-stream-chunk-shape",
			"send notifications/stream_chunk with type, operation_id and an integer sequence of 0 or more", chunkShape),
		streaming("chunk-operation", "all chunks of a call have the same operation_id", "ext-stream-operation-id",
			"make one operation_id for each call, and write it into all its chunks", sameOperation),
		streaming("chunk-operation-echo", "an operation_id of the client's own is used", "ext-stream-operation-id",
			"take _meta.operation_id of the call over into its chunks; make one only where there is none", ownOperation),
		streaming("sequence-order", "sequence numbers rise with each chunk", "ext-stream-sequence-order",
			"count the chunks of an operation, and send them in that order", sequenceOrder),
		streaming("sequence-complete", "sequence numbers start at 0 and have no gaps", "ext-stream-sequence-order",
			"give each chunk of an operation the number after that of the last one, and the first the number 0", sequenceComplete),
		streaming("final-once", "only the last chunk is marked as the final one", "ext-stream-final-once",
			"set is_final to the boolean true on the last chunk, and to false or not at all on the others", finalOnce),
		streaming("final-marked", "the last chunk is marked as the final one", "ext-stream-final-once",
			"set is_final to true on the last chunk, so that clients need not wait for the answer", finalMarked),
	}
}

// A server that declares the extension and never sends a chunk, wherever it is
// asked to, keeps nothing of what it declares.
func chunkShape(s *streamed) error {
	if len(s.chunks) == 0 && len(s.late) > 0 {
		s.some()
	}
	if len(s.chunks) == 0 && s.other {
		s.client.Note("the server sends notifications/tools/partial_result, another mechanism than that of this extension")
		s.some()
	}
	s.client.UndecideIf(len(s.chunks) == 0 && s.parts, partsOnly)
	if len(s.chunks) == 0 {
		proposal.Undeclared(s.client)
		return s.reply.Violation(
			"no notifications/stream_chunk came before the answer to a call with _meta.stream true, want the result in pieces")
	}
	for _, chunk := range s.chunks {
		if problem := s.client.ExtensionProblem("streaming", "Chunk", chunk.Pointer(), chunk.Fields); problem != "" {
			return operations.Shown(s.reply, chunk.Seen).Violation("%s", problem)
		}
	}
	return nil
}

// partsOnly is why nothing is said of pieces where the text may mean another thing.
const partsOnly = "the server offers partial results in progress records, which ext-progress judges; " +
	"for that alone it claims progress, not streaming"

func sameOperation(s *streamed) error {
	first := s.operations()[0]
	for i, id := range s.operations() {
		if id != first {
			return s.violation([]operations.Record{s.chunks[0], s.chunks[i]},
				"%s.operation_id is %q, want %q as in the first chunk of the call", s.chunks[i].Where, id, first)
		}
	}
	return nil
}

// The id is a fresh one, so that no other operation has it.
func ownOperation(s *streamed) error {
	all := s.operations()
	for _, id := range all {
		s.client.NotSeenIf(id != all[0], "the chunks of the call have several ids, which ext-streaming/chunk-operation judges")
	}
	if all[0] != s.id {
		return s.violation(s.chunks[:1], "%s.operation_id is %q, want %q as the call says", s.chunks[0].Where, all[0], s.id).
			Unless(probe.Elsewhere{Case: "ext-streaming/interleaved", Why: "the chunks of two calls cannot be told apart"})
	}
	return nil
}

// operations are the ids of the chunks.
func (s *streamed) operations() []string {
	s.some()
	all := make([]string, len(s.chunks))
	for i, chunk := range s.chunks {
		id, _ := chunk.Text("operation_id")
		s.client.NotSeenIf(id == "", unidentified)
		all[i] = id
	}
	return all
}

func sequenceOrder(s *streamed) error {
	numbers := s.numbers()
	for i := range numbers[1:] {
		if numbers[i+1] <= numbers[i] {
			return s.violation(s.chunks[i:i+2], "$.params.sequence is %d after %d, want more", numbers[i+1], numbers[i])
		}
	}
	return nil
}

func sequenceComplete(s *streamed) error {
	numbers := s.numbers()
	if numbers[0] > 0 {
		return s.violation(s.chunks[:1], "$.params.sequence of the first chunk is %d, want 0", numbers[0]).
			AtMostWarn().Unless(unordered())
	}
	for i := range numbers[1:] {
		if numbers[i+1] > numbers[i]+1 {
			return s.violation(s.chunks[i:i+2], "$.params.sequence is %d after %d, want no gap", numbers[i+1], numbers[i]).AtMostWarn()
		}
	}
	return nil
}

func (s *streamed) numbers() []int {
	s.some()
	numbers, ok := sequences(s.chunks)
	s.client.NotSeenIf(!ok, unnumbered)
	return numbers
}

func finalOnce(s *streamed) error {
	s.some()
	for i, chunk := range s.chunks {
		switch mark, ok := chunk.Fields["is_final"]; {
		case !ok || mark == false:
		case mark != true:
			return s.violation(s.chunks[i:i+1], "%s.is_final is %s, want a boolean", chunk.Where, probe.Show(mark))
		case i < len(s.chunks)-1:
			return s.violation(s.chunks[i:i+2], "%s.is_final is true, and another chunk follows, want it on the last one only", chunk.Where)
		}
	}
	numbers, ok := sequences(s.chunks)
	if !ok {
		return nil // which of them is the highest is judged by another case then
	}
	last := len(numbers) - 1
	for i, n := range numbers[:last] {
		if n > numbers[last] && s.chunks[last].Fields["is_final"] == true {
			return s.violation(s.chunks[i:],
				"$.params.sequence of the final chunk is %d, and another chunk has %d, want the highest on the final one",
				numbers[last], n).Unless(unordered())
		}
	}
	return nil
}

func finalMarked(s *streamed) error {
	s.some()
	for _, chunk := range s.chunks {
		if mark, ok := chunk.Fields["is_final"]; ok && mark != false {
			return nil // whether it is the right one is the rule of final-once
		}
	}
	last := s.chunks[len(s.chunks)-1:]
	return s.violation(last, "%s.is_final is true on none of %d chunks, want it on the last one", last[0].Where, len(s.chunks)).AtMostWarn()
}
