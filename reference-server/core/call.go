package core

import (
	"encoding/json"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An Extension adds to the protocol. Every field is optional.
type Extension struct {
	Name     string         // as operators switch it on and off
	Key      string         // under capabilities.extensions; empty if the extension declares nothing
	Settings map[string]any // the value under Key
	// CallTool wraps each tools/call of a known tool. CallTool may answer itself, or
	// call next, which checks the arguments and runs the tool, and change the result.
	// Afterwards call.Ran tells whether the tool was run.
	CallTool func(call *ToolCall, next func() (fault.Message, *Error)) (fault.Message, *Error)
	// Serve wraps the serving of every request, refused ones included, and may change
	// the result or the error.
	Serve func(t *Turn, next func() (fault.Message, *Error)) (fault.Message, *Error)
	// Notify may change a notification that is sent while a request is served.
	Notify func(t *Turn, m fault.Message) fault.Message
	// List adds to the items of a list. The answers at a revision share what it adds.
	List func(t *Turn, method string, items []fault.Message)
	// Declare adds to the capabilities that the sender of this request is told.
	Declare func(t *Turn, capabilities fault.Message)
	// Listen says of which tasks the sender of this request is told, among those that it
	// asks for.
	Listen func(t *Turn, tasks []string) (agreed []string, refused *Error)
	// ListenEvents says of which subscriptions to events the sender of this request is
	// told, among those that it names.
	ListenEvents func(t *Turn, ids []string) (agreed []string)
	// Cancelled is told of a notification that cancels a request of the conversation.
	Cancelled func(conv *Conversation, id json.RawMessage)
	// Methods are served on every revision.
	Methods map[string]func(*Turn) (fault.Message, *Error)
	// Describe adds the extension's part of the server's manifest, for the sender of
	// this request.
	Describe func(t *Turn, manifest fault.Message)
}

// A ToolCall is a tools/call of a known tool.
type ToolCall struct {
	*Turn
	Name      string
	Arguments json.RawMessage // an object
	Ran       bool            // the arguments fitted and the tool was run; a tool that asks for input was not
}

// Fits tells whether the arguments fit the schema of the tool.
func (call *ToolCall) Fits() bool {
	return misfit(call.core.Tool(call.Name).Tool.RawInputSchema, call.Arguments) == ""
}

// RunTool runs a tool for a method of an extension. No extension wraps the run, and
// the caller has checked the arguments.
func (t *Turn) RunTool(name string, arguments json.RawMessage) (fault.Message, *Error) {
	tool := t.core.Tool(name)
	if tool == nil {
		return nil, badParams("there is no such tool")
	}
	return t.runHandler(tool, arguments)
}

// Rerun runs a tool for a method of an extension, and fits the result to the
// revision as tools/call does.
func (t *Turn) Rerun(name string, arguments json.RawMessage) (fault.Message, *Error) {
	result, failure := t.RunTool(name, arguments)
	if failure != nil {
		return nil, failure
	}
	return t.shaper().toolResult(result), nil
}

// CallTool runs a tool through the extensions. A method of an extension may call
// CallTool too and is served like a tools/call; the result has the form of the newest
// revision. The ToolCall is nil when the tool does not exist.
func (t *Turn) CallTool(name string, arguments json.RawMessage) (*ToolCall, fault.Message, *Error) {
	tool := t.core.Tool(name)
	if tool == nil || t.withheld(name) {
		if t.core.Fault.Skips(fault.CheckTool) {
			return nil, toolError("there is no such tool"), nil
		}
		return nil, nil, badParams("there is no such tool")
	}
	if !isObject(arguments) {
		arguments = json.RawMessage(`{}`)
	}
	call := &ToolCall{Turn: t, Name: name, Arguments: arguments}
	next := func() (fault.Message, *Error) { return call.run(tool) }
	for _, extension := range t.core.Extensions {
		if around, inner := extension.CallTool, next; around != nil {
			next = func() (fault.Message, *Error) { return around(call, inner) }
		}
	}
	result, failure := next()
	return call, result, failure
}

// withheld says whether the tool does not exist yet at the revision of the request.
func (t *Turn) withheld(tool string) bool {
	return t.Revision().Before(t.core.Since[tool])
}

// run checks the arguments and runs the tool.
func (call *ToolCall) run(tool *mcpserver.ServerTool) (fault.Message, *Error) {
	problem := misfit(tool.Tool.RawInputSchema, call.Arguments)
	switch {
	case problem == "" || call.core.Fault.Skips(fault.CheckArguments):
		result, failure := call.runHandler(tool, call.Arguments)
		if call.Ran = result["resultType"] != "input_required"; !call.Ran {
			delete(result, "content") // mcp-go writes an empty content
		}
		return result, failure
	case call.Revision().Before(requirements.R20251125):
		call.Refuse(Refusal{Code: "INVALID_INPUT", Category: InvalidInput})
		return nil, badParams(problem)
	default:
		call.Refuse(Refusal{Code: "INVALID_INPUT", Category: InvalidInput})
		return toolError(problem), nil // so that the model sees it
	}
}

func toolError(problem string) fault.Message {
	return fault.Message{
		"content": []any{map[string]any{"type": "text", "text": problem}},
		"isError": true,
	}
}
