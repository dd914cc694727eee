package probe

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Act performs an action that a role names: a call of a tool, or a command on
// the kit's own machine. It does nothing where the role names no action. A
// failed action leaves the case undecided.
func (c *actor) Act(named roles.Fields) { c.ActOn(named, nil) }

// ActOn is Act with values for further placeholders of the action, such as ${url}.
func (c *actor) ActOn(named roles.Fields, given map[string]any) {
	action, ok := named.Action()
	if !ok {
		return
	}
	action, err := action.Expand(roles.Vars{Nonce: c.Nonce(), Given: given})
	c.Must(err)
	if action.Call == nil {
		err := c.setup.Run(c.live(), action.Command)
		c.live()
		if err != nil {
			c.Undecide(fmt.Sprintf("the command %q of a role: %v", action.Command[0], err))
		}
		return
	}
	reply := c.Call("tools/call", Object{"name": action.Call.Tool, "arguments": Object(action.Call.Arguments)})
	err = reply.WantResult()
	if err == nil && reply.ErrorFlag() {
		err = reply.Violation("%s, want a result without isError", reply.AnswerTo("tools/call"))
	}
	if err != nil {
		c.Undecide(fmt.Sprintf("the call of %s that a role names as an action: %v", action.Call.Tool, err))
	}
}
