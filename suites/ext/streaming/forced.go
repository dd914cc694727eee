package streaming

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A client that knows nothing of the extension may be refused by a server that
// demands it, where the protocol has an error for that.
func notForced(c *probe.Client) error {
	plain := c.Undeclared()
	call := plain.Role(roles.StreamTool).Call()
	mark := plain.Mark()
	reply := plain.CallTool(call, nil)
	if reply.HasCode(protocol.MissingCapability) {
		wanted, _ := reply.At("/error/data/requiredCapabilities/extensions")
		if named, _ := wanted.(map[string]any); named[proposal.Extension("streaming").Key()] != nil {
			return nil
		}
	}
	bench.PlainlyRuns(c, roles.StreamTool, reply)
	c.Must(proposal.WantDone(reply))
	plain.Settle(mark)
	if got := operations.Chunks(plain.Since(mark)); len(got) > 0 {
		return operations.Shown(reply, got[0].Seen).Violation(
			"%s came to a client that does not declare the extension, want the result only", got[0].Method)
	}
	if hollow(reply) {
		return reply.Violation("$.result holds nothing, want the whole result for a client that does not declare the extension")
	}
	noteAsked(c, plain)
	return onlyOnRequest(c)
}

// onlyOnRequest judges a call that does not ask for pieces, of a client that declares the
// extension. It names the operation: other calls may be under way on the connection. Whether
// to declare is to ask is left open by the text, so that this is a warning.
func onlyOnRequest(c *probe.Client) error {
	mark := c.Mark()
	b, id := bench.New(c), operationID(c)
	b.ToolCall, b.Dialect = c.Role(roles.StreamTool).Call(), dialect(c, roles.StreamTool)
	reply := b.StartCall(bench.Call{Values: probe.Object{"operation_id": id}}).Reply()
	if reply.Answered() {
		c.Settle(mark)
	}
	for _, chunk := range operations.Chunks(c.Since(mark)) {
		if named, _ := chunk.Text("operation_id"); named == id {
			return operations.Shown(reply, chunk.Seen).Violation(
				"%s came for a call that does not ask for chunks, want the result only", chunk.Method).AtMostWarn()
		}
	}
	return nil
}

// noteAsked tells of a server that goes by what the call says, whatever its client declares. The
// example code of the proposal does so, and the rule is about clients that do neither.
func noteAsked(c, plain *probe.Client) {
	s := streamIn(plain, plain.Role(roles.StreamTool).Call(), dialect(c, roles.StreamTool))
	if all := s.all(); len(all) > 0 {
		c.Note(all[0].Method + " came to a client that asks for chunks and does not declare the extension")
	}
}
