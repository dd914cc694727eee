package probe

import "github.com/mcp-conform/mcp-conform/suites/roles"

// Undo takes the effect of a call back, where the call's role says how. It
// tidies up after the kit; the answers are not judged. It returns nil where nothing was called.
func (c *actor) Undo(t *ToolCall, answer *Reply) *Reply {
	undo, ok := t.filled.Fields.At("undo").Call()
	result, done := answer.Result()
	if !ok || !done {
		return nil
	}
	vars := t.vars
	vars.Result = result
	undo, err := undo.Expand(vars)
	if err != nil {
		c.Note(roles.Key(string(t.filled.Name)) + ".undo was not called, so that what the case did is still there: " + err.Error())
		return nil
	}
	return c.Call("tools/call", Object{"name": undo.Tool, "arguments": Object(undo.Arguments)})
}
