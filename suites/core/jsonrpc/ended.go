package jsonrpc

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// endsProcess warns if the text ended the process. It sends the text to a second process too,
// because a process may end for other reasons. It only warns, because no sentence with
// MUST forbids this end.
func endsProcess(c *probe.Client, text, want string) error {
	if c.Transport() != requirements.Stdio {
		return nil
	}
	if _, ended := c.Await(0, 0, isEnd); !ended {
		return nil
	}
	garbage.LeaveToOne(c)
	second := c.Opened()
	second.Quiet()
	from := second.Mark()
	second.Send(text)
	_ = second.Try(func() { second.Settle(from) }) // the server may answer nothing more
	end, ended := second.Await(from, 0, isEnd)
	if !ended {
		return nil
	}
	shown := following(second, from, []probe.Seen{end})
	return shown.Violation("the process ended after this message, and so did a second one, want %s", want).AtMostWarn()
}

func isEnd(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }
