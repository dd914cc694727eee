package streaming

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func several() []suite.Case {
	return []suite.Case{
		{
			ID:     "ext-streaming/flag-matches",
			Title:  "tools that stream are flagged supports_streaming, and only those stream",
			Checks: []requirements.ID{"ext-stream-flag-matches"},
			Needs:  []suite.Need{suite.Role(roles.StreamTool)},
			Fix:    "set supports_streaming to true on the entry of each tool that sends chunks",
			Run:    flagMatches,
		},
		{
			ID:       "ext-streaming/flag-matches-slow",
			Title:    "a slow tool that streams is flagged supports_streaming",
			Checks:   []requirements.ID{"ext-stream-flag-matches"},
			Needs:    []suite.Need{suite.Role(roles.StreamTool), suite.Role(roles.SlowTool)},
			Lane:     suite.Waits,
			Disturbs: roles.SlowTool,
			Fix:      "set supports_streaming to true on the entry of each tool that sends chunks",
			Run:      flagMatchesSlow,
		},
		{
			ID:     "ext-streaming/interleaved",
			Title:  "the chunks of two calls at the same time can be told apart",
			Checks: []requirements.ID{"ext-stream-interleaved"},
			Needs:  []suite.Need{suite.Role(roles.StreamTool)},
			Lane:   suite.Alone, // a count that all calls share shows no even numbers beside other cases
			Fix:    "give each call an operation_id and a count of its own",
			Run:    interleaved,
		},
	}
}

// A server with neither a manifest nor any flag has no place for flags, since they
// belong to the manifest: then there is nothing to compare.
func flagMatches(c *probe.Client) error {
	flagged, anywhere := proposal.StreamingTools(c)
	s := stream(c)
	c.NotSeenIf(!anywhere, noFlags)
	call := c.Role(roles.StreamTool).Call()
	switch flag := slices.Contains(flagged, call.Tool); {
	case !flag && len(s.all()) > 0:
		return s.unflagged(call.Tool)
	case flag && len(s.all()) == 0 && s.parts:
		c.Undecide(partsOnly)
	case flag && len(s.all()) == 0 && !s.other:
		proposal.Undeclared(c)
		return s.reply.Violation("%s is flagged supports_streaming, and sent no chunk, want its result in pieces", call.Tool).
			Unless(proposal.OnStanding())
	}
	return nil
}

// A tool with the flag is not called: nobody said that this call has a result of
// more than one piece. One that is the stream-tool, too, is judged above.
func flagMatchesSlow(c *probe.Client) error {
	flagged, anywhere := proposal.StreamingTools(c)
	c.NotSeenIf(!anywhere, noFlags)
	call := c.Role(roles.SlowTool).Call()
	if slices.Contains(flagged, call.Tool) {
		return nil
	}
	if streams, _ := c.Role(roles.StreamTool).Fields().Call(); streams.Tool == call.Tool {
		c.NotSeen("roles.slow-tool is the tool of roles.stream-tool, which ext-streaming/flag-matches judges")
	}
	s := streamIn(c, call, dialect(c, roles.StreamTool), probe.Within(patience(c, roles.SlowTool)))
	switch {
	case len(s.all()) > 0:
		return s.unflagged(call.Tool)
	}
	bench.WantRun(c, roles.SlowTool, s.reply)
	return nil
}

const noFlags = "the server has no manifest and flags no tool, so there is nothing to compare"

func (s *streamed) unflagged(tool string) error {
	s.client.UndecideIf(!s.client.Survey().Whole[protocol.Tools().Method], "tools/list was not read to its end")
	return s.violation(s.all()[:1], "%s streams, and its entry is not flagged, want supports_streaming true", tool)
}

// operation is one of two calls at the same time.
type operation struct {
	id    string
	reply *probe.Reply
}

func interleaved(c *probe.Client) error {
	alone := stream(c)
	b := bench.New(c)
	b.Dialect = dialect(c, roles.StreamTool)
	mark := c.Mark()
	var both [2]operation
	var pending [2]*probe.Pending
	for i := range both {
		b.ToolCall = c.Role(roles.StreamTool).Call()
		both[i].id = operationID(c)
		pending[i] = b.StartCall(asking(c, probe.Object{"stream": true, "operation_id": both[i].id}))
	}
	for i := range both {
		both[i].reply = pending[i].Reply()
	}
	for i := range both {
		c.UndecideIf(!proposal.Done(both[i].reply),
			"one of two parallel calls of roles.stream-tool had no result: "+both[i].reply.Outcome())
	}
	c.Settle(mark)
	return apart(alone, both, operations.Chunks(c.Since(mark)))
}

// apart judges what came for the two calls. What was seen of a call alone is not
// held against them.
func apart(alone *streamed, both [2]operation, all []operations.Record) error {
	alone.client.NotSeenIf(len(all) == 0, "the calls of roles.stream-tool yield no chunks")
	var ids []string
	by := map[string][]operations.Record{}
	for _, chunk := range all {
		id, _ := chunk.Text("operation_id")
		alone.client.NotSeenIf(id == "", unidentified)
		if by[id] == nil {
			ids = append(ids, id)
		}
		by[id] = append(by[id], chunk)
	}
	shown := operations.Shown(both[0].reply, both[1].reply)
	if len(ids) == 1 {
		return operations.Shown(shown, all[0].Seen, all[len(all)-1].Seen).Violation(
			"all chunks of two parallel calls have the operation_id %q, want one for each call", ids[0])
	}
	even := false
	_ = alone.client.Try(func() { even = sequenceOrder(alone) == nil && sequenceComplete(alone) == nil })
	for _, id := range ids {
		alone.client.Must(rising(alone.client, shown, by[id], even))
	}
	return ownData(alone.client, both, by)
}

// rising expects the chunks of one operation in their order. A gap that only comes
// with another call beside is a count that both share.
func rising(c *probe.Client, shown probe.Evidence, of []operations.Record, even bool) error {
	numbers, ok := sequences(of)
	c.NotSeenIf(!ok, unnumbered)
	if !even {
		return nil
	}
	for i := range numbers[1:] {
		if numbers[i+1] <= numbers[i] {
			return operations.Shown(shown, of[i].Seen, of[i+1].Seen).Violation(
				"$.params.sequence is %d after %d in the same operation beside another one, want more", numbers[i+1], numbers[i])
		}
	}
	if last := len(numbers) - 1; numbers[last]-numbers[0] != last {
		return operations.Shown(shown, of[0].Seen, of[last].Seen).Violation(
			"%d chunks of an operation beside another one have numbers from %d to %d, want a count of their own",
			len(of), numbers[0], numbers[last]).AtMostWarn()
	}
	return nil
}

// ownData expects of chunks that name the client's own operation that they add up
// to the answer of that call.
func ownData(c *probe.Client, both [2]operation, by map[string][]operations.Record) error {
	join := c.Role(roles.StreamTool).Fields().Text("join")
	var joined, answer [2]any
	for i, call := range both {
		var ok bool
		joined[i], answer[i], ok = (&streamed{client: c, reply: call.reply, chunks: by[call.id]}).joined(join)
		if !ok {
			return nil
		}
	}
	for i, mine := range both {
		if len(by[mine.id]) == 0 || probe.Same(joined[i], answer[i]) {
			continue
		}
		other := both[1-i]
		shown := operations.Shown(mine.reply, by[mine.id][0].Seen, other.reply)
		switch {
		case probe.Same(joined[i], answer[1-i]):
			return shown.Violation("the chunks with operation_id %q add up to the result of the other call, want that of their own", mine.id)
		case len(by[other.id]) > 0 && probe.Same(joined[1-i], answer[i]) && !overlap(by[mine.id], answer[i]):
			return operations.Shown(shown, by[other.id][0].Seen).Violation(
				"the result of the call with operation_id %q is what the chunks with operation_id %q add up to, want that of its own chunks",
				mine.id, other.id)
		}
	}
	return nil
}

// overlap reports whether the answer has some of what the chunks hold. It has where two
// calls rightly have the same result, and a chunk of one of them was lost.
func overlap(chunks []operations.Record, answer any) bool {
	for _, chunk := range chunks {
		data := chunk.Fields["data"]
		switch answer := answer.(type) {
		case string:
			if piece, ok := data.(string); ok && piece != "" && strings.Contains(answer, piece) {
				return true
			}
		case []any:
			if slices.ContainsFunc(flattened([]any{data}), func(item any) bool {
				return slices.ContainsFunc(answer, func(one any) bool { return probe.Same(one, item) })
			}) {
				return true
			}
		}
	}
	return false
}
