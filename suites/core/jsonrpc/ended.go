package jsonrpc

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// ends finds that a text ends the process, where that is what came of it. Servers end
// for other reasons, too, so a second process is sent the same. No sentence with MUST
// speaks of it, and it is no more than a warning.
func ends(ctx context.Context, c *probe.Client, text, want string) error {
	if c.Transport() != requirements.Stdio {
		return nil
	}
	if _, ended, err := c.Await(ctx, 0, 0, isEnd); err != nil || !ended {
		return err
	}
	second, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	if err := second.Quiet(ctx); err != nil {
		return err
	}
	from := second.Mark()
	if err := second.Send(ctx, text); err != nil {
		return err
	}
	_ = second.Settle(ctx, from) // its error is that nothing more is answered
	end, ended, err := second.Await(ctx, from, 0, isEnd)
	if err != nil || !ended {
		return err
	}
	shown := following(second, from, []probe.Seen{end})
	return shown.Violation("the process ended after this message, and so did a second one, want %s", want).AtMostWarn()
}

func isEnd(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }
