package probe

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Act does what a role names as an action: a call of a tool, or a command on
// the kit's own machine. Nothing is done where the role names none. An action
// that does not come off leaves the case undecided.
func (c *Client) Act(ctx context.Context, named roles.Fields) error {
	action, ok := named.Action()
	if !ok {
		return nil
	}
	action, err := action.Expand(roles.Vars{Nonce: c.Nonce()})
	if err != nil {
		return err
	}
	if action.Call == nil {
		if err := c.setup.Run(ctx, action.Command); err != nil && ctx.Err() == nil {
			return Undecide(fmt.Sprintf("the command %q of a role: %v", action.Command[0], err))
		}
		return ctx.Err()
	}
	reply, err := c.Call(ctx, "tools/call", Object{"name": action.Call.Tool, "arguments": Object(action.Call.Arguments)})
	if err != nil {
		return err
	}
	err = reply.WantResult()
	if err == nil && reply.ErrorFlag() {
		err = reply.Violation("%s, want a result without isError", reply.AnswerTo("tools/call"))
	}
	if err != nil {
		return Undecide(fmt.Sprintf("the call of %s that a role names as an action: %v", action.Call.Tool, err))
	}
	return nil
}
