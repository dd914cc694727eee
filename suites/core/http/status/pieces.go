package status

import (
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// pieceCases send a body that a server cannot read in one go.
func pieceCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/character-in-pieces",
		Title:  "a request is answered under its id where a character of its body comes in two pieces",
		Checks: []requirements.ID{"jsonrpc-response-id-echo", "jsonrpc-single-response"},
		Needs:  []suite.Need{suite.Answers()},
		Fix:    "collect the bytes of the whole body and decode them then: a piece that is read may end within a character",
		Run:    characterInPieces,
	}}
}

// characterInPieces cuts a second request elsewhere: a server may refuse bodies in chunks.
func characterInPieces(c *probe.Client) error {
	const letter, ascii = "漢", "kit-"
	cut := func(at string) (reply *probe.Reply, id string, served bool) {
		id = strconv.Quote(ascii + c.Nonce() + "-" + letter)
		text := probe.RequestText(id, protocol.Harmless().At(c.Revision()), c.Params(nil))
		reply = c.Ask(text, probe.Patient(), probe.CutIn(at))
		return reply, id, reply.Served() && frame.SameID(reply.ID(), id)
	}
	within, id, served := cut(letter)
	if served {
		return nil
	}
	between, _, served := cut(ascii)
	c.NotSeenIf(!served, "where the body comes in two pieces and no character is cut, the request gets "+between.Outcome())
	shown := probe.Shown(within, between)
	if within.Served() {
		return shown.Violation("$.id is %s, want %s: the body came in two pieces, and the first ended within a character",
			within.ID(), id).Under("jsonrpc-response-id-echo")
	}
	return shown.Violation("%s, want the result that it has where the pieces end elsewhere",
		within.AnswerTo(within.Method+" with a character that comes in two pieces")).Under("jsonrpc-single-response")
}
