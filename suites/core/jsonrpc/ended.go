package jsonrpc

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// ends finds that a text ends the process, where that is what came of it. Servers end
// for other reasons, too, so a second process is sent the same. No sentence with MUST
// speaks of it, and it is no more than a warning.
func ends(c *probe.Client, text, want string) error {
	if c.Transport() != requirements.Stdio {
		return nil
	}
	if _, ended := c.Await(0, 0, isEnd); !ended {
		return nil
	}
	second := c.Opened()
	second.Quiet()
	from := second.Mark()
	second.Send(text)
	_ = second.Try(func() { second.Settle(from) }) // nothing more may be answered
	end, ended := second.Await(from, 0, isEnd)
	if !ended {
		return nil
	}
	shown := following(second, from, []probe.Seen{end})
	return shown.Violation("the process ended after this message, and so did a second one, want %s", want).AtMostWarn()
}

func isEnd(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }
