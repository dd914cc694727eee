package stdio

import (
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// letter is encoded in more than one byte.
const letter = "漢"

// readingCases send valid requests that a server cannot read in one go.
func readingCases() []suite.Case {
	reading := func(slug, title, fix string, run func(*probe.Client) error) suite.Case {
		return suite.Case{
			ID:     "stdio/" + slug,
			Title:  title,
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Needs:  []suite.Need{suite.Answers()},
			Fix:    fix,
			Run:    run,
		}
	}
	return []suite.Case{
		reading("line-in-pieces", "a request whose line comes in two pieces is answered",
			"collect what is read until a newline comes: what is read at one go need not be a line",
			inPieces("whose line comes in two pieces", `"method"`, func(c *probe.Client) string {
				return c.Compose(protocol.Harmless().At(c.Revision()), nil)
			})),
		reading("character-in-pieces", "a request is answered where a character comes in two pieces",
			"collect bytes until a newline comes and decode them then, or keep the first bytes of a character until the others come",
			inPieces("with a character that comes in two pieces", letter, func(c *probe.Client) string {
				id := strconv.Quote("kit-" + c.Nonce() + "-" + letter)
				return probe.RequestText(id, protocol.Harmless().At(c.Revision()), c.Params(nil))
			})),
		reading("long-line", "a request of 100 KiB is answered",
			"let the buffer for a line grow to some MiB, and answer with an error what is longer",
			longLine),
	}
}

// inPieces sends a request that is cut at the given text. An answer with its id shows
// that the server put the pieces together, or was busy and read them at one go, so that the
// request is sent twice.
func inPieces(what, at string, request func(*probe.Client) string) func(*probe.Client) error {
	return func(c *probe.Client) error {
		call := func(c *probe.Client, options ...probe.Option) (reply *probe.Reply, served bool) {
			text := request(c)
			reply = c.Ask(text, append(options, probe.Patient())...)
			return reply, reply.Answered() && !reply.Failed() && frame.SameID(reply.ID(), frame.Read([]byte(text)).ID)
		}
		cut, served := call(c, probe.CutIn(at))
		if served {
			cut, served = call(c, probe.CutIn(at))
		}
		if served {
			return nil
		}
		whole, served := call(c.Opened())
		c.NotSeenIf(!served, "the same request in one piece got "+whole.Outcome())
		return probe.Shown(cut, whole).Violation("%s, want the result that it has in one piece", cut.AnswerTo(cut.Method+" "+what))
	}
}

// longLine only warns, because no sentence limits the length of a line. A server may
// refuse such a line, even without having read its id.
func longLine(c *probe.Client) error {
	call := func(c *probe.Client, size int) *probe.Reply {
		padded := probe.Object{"_meta": probe.Object{"com.example/padding": strings.Repeat("x", size)}}
		return c.Ask(c.Compose(protocol.Harmless().At(c.Revision()), padded), probe.Patient())
	}
	long := call(c, 100<<10)
	if long.Answered() {
		return nil
	}
	short := call(c.Opened(), 1)
	c.NotSeenIf(!short.Answered(), "the same request without 100 KiB of text in _meta got "+short.Outcome())
	return probe.Shown(long, short).Violation("%s, want a result or an error", long.AnswerTo(long.Method+" of 100 KiB")).AtMostWarn()
}

// garbageCases send lines without a message, each followed by a request.
func garbageCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		id, title string
		lines     []string
	}{
		{"garbage-line", "a line that is not JSON", []string{garbage.Line, ""}},
		{"unfinished-json", "a line of truncated JSON", []string{`{"jsonrpc":"2.0","id":900,"method":"pi`}},
		{"invalid-utf8", "a line of invalid UTF-8", []string{"\xff\xfe\x80 no text"}},
	} {
		cases = append(cases, suite.Case{
			ID:     "stdio/survives-" + row.id,
			Title:  "the next request still works after " + row.title,
			Checks: []requirements.ID{"stdio-survives-garbage-line"},
			Fix:    "catch the parse error of each line on its own, answer -32700 or nothing, and continue with the next line",
			Run:    survives(row.lines...),
		})
	}
	return cases
}

// survives allows an error and silence in answer to the line; the page on messages judges
// the answer.
func survives(lines ...string) func(*probe.Client) error {
	return func(c *probe.Client) error {
		c.Quiet()
		mark := c.Mark()
		for _, line := range lines {
			// If the server has ended, the next request shows it.
			c.Send(line)
		}
		after := c.Barrier()
		if code, _ := after.Code(); after.Answered() && code != protocol.ParseError {
			c.Settle(mark)
			return nil // the next case must not see the answer to the line
		}
		if _, ended := c.Await(mark, 0, isEnd); ended {
			if lines[0] != garbage.Line {
				garbage.LeaveToOne(c)
			}
			c.Note("no sentence with MUST is broken by that, so it is a warning; with --strict it fails")
			return framesSince(c, mark).Violation("the process ended after the line, want the next request answered")
		}
		return framesSince(c, mark).Violation("the request after the line got %s, want the answer it had before", after.Outcome())
	}
}
