package probe

// Undo takes the effect of a call back, where the call's role says how. It
// tidies up after the kit; the answers are not judged.
func (c *actor) Undo(t *ToolCall, answer *Reply) {
	undo, ok := t.filled.Fields.At("undo").Call()
	result, done := answer.Result()
	if !ok || !done {
		return
	}
	vars := t.vars
	vars.Result = result
	undo, err := undo.Expand(vars)
	if err != nil {
		return // the answer lacks a value that the undo needs
	}
	c.Call("tools/call", Object{"name": undo.Tool, "arguments": Object(undo.Arguments)})
}
