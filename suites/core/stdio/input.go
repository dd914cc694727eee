package stdio

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// input is lines on stdin that hold no message, each followed by a request.
func input() []suite.Case {
	rows := []struct {
		id, title string
		lines     []string
	}{
		{"garbage-line", "a line that is not JSON disturbs nothing that follows", []string{"this line is no message", ""}},
		{"unfinished-json", "a line of JSON that breaks off disturbs nothing that follows", []string{`{"jsonrpc":"2.0","id":900,"method":"pi`}},
		{"invalid-utf8", "a line of bytes that are no UTF-8 disturbs nothing that follows", []string{"\xff\xfe\x80 no text"}},
	}
	var cases []suite.Case
	for _, row := range rows {
		cases = append(cases, suite.Case{
			ID:     "stdio/survives-" + row.id,
			Title:  row.title,
			Checks: []requirements.ID{"stdio-survives-garbage-line"},
			Fix:    "catch the parse error of each line on its own, answer -32700 or nothing, and read on at the next line",
			Lane:   suite.Fresh,
			Run:    survives(row.lines...),
		})
	}
	return cases
}

// What the line itself is answered with is for the page on messages: an error
// and silence are both seen.
func survives(lines ...string) func(context.Context, *probe.Client) error {
	return func(ctx context.Context, c *probe.Client) error {
		before, err := c.Barrier(ctx)
		if err != nil {
			return err
		}
		if !before.Answered() {
			return probe.Undecide("no request was answered before the line either")
		}
		mark := c.Mark()
		for _, line := range lines {
			// A server that is gone by now shows in what follows.
			if err := c.Send(ctx, line); err != nil && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		after, err := c.Barrier(ctx)
		if err != nil {
			return err
		}
		if code, _ := after.Code(); after.Answered() && code != probe.ParseError {
			return nil
		}
		if _, ended, _ := c.Await(ctx, mark, 0, isEnd); ended {
			return probe.Broken(frames(c.Since(mark)), "the process ends at the line, want an answer to the request behind it")
		}
		return probe.Broken(frames(c.Since(mark)), "the request behind the line is met with %s, want the answer it had before", after.Outcome())
	}
}

func frames(seen []probe.Seen) []frame.Frame {
	var all []frame.Frame
	for _, s := range seen {
		all = append(all, s.Frame)
	}
	return few(all)
}
