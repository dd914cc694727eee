package jsonrpc

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/fixtures"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// encodingCases judge the bytes of messages.
func encodingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/utf8",
			Title:  "every message of the server is UTF-8",
			Checks: []requirements.ID{"jsonrpc-utf8"},
			Fix:    "set the encoding of stdout and of response bodies to UTF-8 without a byte order mark",
			Sees:   "a message of the server",
			Watch:  func() probe.Watcher { return probe.WatchFunc(encoding) },
		},
		{
			ID:     "jsonrpc/utf8-beyond-ascii",
			Title:  "a request that holds characters from beyond ASCII is answered in UTF-8",
			Checks: []requirements.ID{"jsonrpc-utf8"},
			Needs:  []suite.Need{suite.Either(suite.Capability("tools"), suite.Capability("prompts"))},
			Fix:    "read and write UTF-8 whatever the locale is, and escape or encode whole characters, not bytes",
			Run:    utf8BeyondASCII,
		},
	}
}

// encoding judges bytes, so it includes frames without a message.
func encoding(s *probe.WatchedFrame) probe.Opinion {
	raw := s.Raw()
	if s.Dir != frame.Received || s.Kind != frame.KindMessage || s.Truncated {
		return probe.Nothing()
	}
	if m := s.Message(); m.Class == frame.NotJSON && !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return probe.Nothing() // the frame holds no message in any encoding
	}
	if problem := notUTF8(raw); problem != "" {
		return probe.Breaks("%s", problem)
	}
	// A byte order mark at the beginning of an event stream belongs to the stream, not to
	// a message.
	if s.SSE == nil && slices.Contains(s.Framing, frame.OddBOM) {
		return probe.Breaks("the message begins with a byte order mark, want none").AtMostWarn()
	}
	return probe.Kept()
}

func notUTF8(raw []byte) string {
	if utf8.Valid(raw) {
		return ""
	}
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && size <= 1 {
			return fmt.Sprintf("byte %d of the message is 0x%02x, want UTF-8", at, raw[at])
		}
		at += size
	}
	return ""
}

// utf8BeyondASCII uses a name that does not exist, so that no tool runs; most servers
// repeat the name in their answer.
func utf8BeyondASCII(c *probe.Client) error {
	method := "prompts/get"
	if c.Survey().Capabilities["tools"] != nil {
		method = "tools/call"
	}
	reply := c.Call(method, probe.Object{"name": "kit " + fixtures.BeyondASCII()})
	seen, answered := reply.Seen()
	c.NotSeenIf(!answered, "no answer came: "+reply.Outcome())
	if problem := notUTF8(seen.Raw()); problem != "" {
		return reply.Violation("%s", problem)
	}
	return nil
}
