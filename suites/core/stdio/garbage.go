package stdio

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

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
