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
	reply  *probe.Reply
	chunks []operations.Record // before the answer
	late   []operations.Record // after it
	other  bool                // the server streams by another mechanism
}

// stream makes the call of the role in the form in which the server was seen to
// stream.
func stream(c *probe.Client) *streamed {
	d := dialect(c, roles.StreamTool)
	call := c.Role(roles.StreamTool).Call()
	s := streamIn(c, call, d)
	c.Require(proposal.WantDone(s.reply), "the call of roles.stream-tool had no result: "+s.reply.Outcome())
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
	b := bench.New(c)
	b.ToolCall, b.Dialect = call, d
	reply := b.StartCall(asking(c, probe.Object{"stream": true, "operation_id": operationID(c)}), options...).Reply()
	if reply.Answered() {
		c.Settle(mark)
	}
	seen := c.Since(mark)
	return &streamed{
		client: c, reply: reply, other: operations.Foreign(seen),
		chunks: operations.Chunks(operations.Before(reply, seen)), late: operations.Chunks(operations.Behind(reply, seen)),
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
			return len(s.all()) > 0, proposal.WantDone(s.reply) == nil
		})
	d.NoteOlder(c, "requests for pieces", map[proposal.Dialect]string{proposal.Beside: "params.stream"}, "_meta.stream")
	return d
}

// all are the chunks, whenever they came.
func (s *streamed) all() []operations.Record { return slices.Concat(s.chunks, s.late) }

// violation is a problem that the call and some chunks show.
func (s *streamed) violation(chunks []operations.Record, format string, args ...any) *probe.Violation {
	shown := []probe.Exhibit{s.reply}
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
	}
}

// unnumbered is why nothing is said of the order of chunks.
const unnumbered = "some chunks have no integer sequence, which ext-streaming/chunk-shape judges"

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
