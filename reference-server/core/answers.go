package core

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/schemas"
)

// misfit says why a client's result does not answer the question; empty if it does. A
// person, a model or a program may have written the result: the server trusts none of
// them to keep to the form.
func (a asking) misfit(result json.RawMessage) string {
	if a.turn.core.Fault.Skips(fault.CheckForm) {
		return ""
	}
	set, err := schemas.Load().Core(string(a.turn.Revision()))
	if err != nil {
		return "there is no schema for it"
	}
	value, err := tree(result)
	if err != nil {
		return "it is not JSON"
	}
	if name, described := set.ResultOf(a.method); described {
		if faults := set.Validate(name, value); len(faults) > 0 {
			return oneLine("result" + faults[0].Pointer + " is " + faults[0].Got + ", want " + faults[0].Want)
		}
	}
	if a.method != "elicitation/create" || a.params["mode"] == "url" {
		return ""
	}
	answer := members(result)
	if action, _ := text(answer["action"]); action != "accept" {
		return ""
	}
	form, err := schemas.Compile(a.params["requestedSchema"])
	if err != nil {
		return "the form cannot be used: " + oneLine(err.Error())
	}
	content := answer["content"]
	if content == nil {
		content = json.RawMessage(`{}`)
	}
	return mismatch("content", form, content)
}
