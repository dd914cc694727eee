package core

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A method describes in which era it exists, which params it takes, and which function
// serves it.
type method struct {
	legacy, modern bool
	slow           bool // serving it may take long
	params         func(map[string]json.RawMessage) *Error
	serve          func(*Turn) (fault.Message, *Error)
}

func (c *Core) core() map[string]method {
	both := func(params func(map[string]json.RawMessage) *Error, serve func(*Turn) (fault.Message, *Error)) method {
		return method{legacy: true, modern: true, params: params, serve: serve}
	}
	legacy := func(params func(map[string]json.RawMessage) *Error, serve func(*Turn) (fault.Message, *Error)) method {
		return method{legacy: true, params: params, serve: serve}
	}
	modern := func(params func(map[string]json.RawMessage) *Error, serve func(*Turn) (fault.Message, *Error)) method {
		return method{modern: true, params: params, serve: serve}
	}
	slow := func(m method) method { m.slow = true; return m }
	return map[string]method{
		"initialize":               legacy(initializeParams, initialize),
		"ping":                     legacy(object, ping),
		"logging/setLevel":         legacy(levelParams, setLevel),
		"resources/subscribe":      legacy(uriParams, subscribe),
		"resources/unsubscribe":    legacy(uriParams, unsubscribe),
		"server/discover":          modern(object, discover),
		"subscriptions/listen":     slow(modern(listenParams, listen)),
		"tools/list":               both(listParams, list),
		"resources/list":           both(listParams, list),
		"resources/templates/list": both(listParams, list),
		"prompts/list":             both(listParams, list),
		"tools/call":               slow(both(callParams, callTool)),
		"resources/read":           both(uriParams, readResource),
		"prompts/get":              both(promptParams, getPrompt),
		"completion/complete":      both(completeParams, complete),
	}
}

// initialize agrees on a revision: the requested one if it has a handshake, else the
// newest one with a handshake.
func initialize(t *Turn) (fault.Message, *Error) {
	if t.conv.Revision() != "" && !t.core.Fault.Skips(fault.CheckSecondOpening) {
		return nil, refuse(envelope.InvalidRequest, "the conversation has been initialized")
	}
	asked, _ := text(t.in.Param["protocolVersion"])
	agreed := requirements.R20251125
	if r := requirements.Revision(asked); r.Known() && !r.Modern() {
		agreed = r
	}
	result, failure := t.fixedAnswer(t.in.Method, agreed, map[string]any{
		"protocolVersion": string(agreed),
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "client", "version": "0"},
	})
	if failure != nil {
		return nil, failure
	}
	t.conv.open(agreed)
	t.conv.declare(t.in.Param["capabilities"])
	t.x.Revision = agreed
	result["protocolVersion"] = string(agreed)
	if t.core.Fault != nil && t.core.Fault.Negotiate != nil {
		result["protocolVersion"] = t.core.Fault.Negotiate(asked, agreed)
	}
	return result, nil
}

func ping(*Turn) (fault.Message, *Error) { return fault.Message{}, nil }

func discover(t *Turn) (fault.Message, *Error) {
	result, failure := t.fixedAnswer(t.in.Method, t.Revision(), map[string]any{})
	if failure != nil {
		return nil, failure
	}
	result["supportedVersions"] = Supported()
	return result, nil
}

func setLevel(t *Turn) (fault.Message, *Error) {
	level, _ := text(t.in.Param["level"])
	if !slices.Contains(Levels(), level) && !t.core.Fault.Skips(fault.CheckLogLevel) {
		return nil, badParams("level is not a log level")
	}
	if !t.conv.setLevel(level) {
		return nil, refuse(InternalError, "the log takes no new level")
	}
	if t.core.Fault.Skips(fault.CheckLogSession) {
		everybody, _ := t.core.hub.audience()
		for _, one := range everybody {
			one.setLevel(level)
		}
	}
	return fault.Message{}, nil
}

func callTool(t *Turn) (fault.Message, *Error) {
	m := t.in.Param
	name, _ := text(m["name"])
	_, result, failure := t.CallTool(name, m["arguments"])
	if failure != nil {
		return nil, failure
	}
	return t.shaper().toolResult(result), nil
}

func readResource(t *Turn) (fault.Message, *Error) {
	result, failure := t.dispatch()
	if failure != nil {
		if (failure.Code == ResourceNotFound || failure.Code == envelope.InvalidParams) && t.core.Fault.Skips(fault.CheckResource) {
			return fault.Message{"contents": []any{}}, nil
		}
		return nil, failure
	}
	return result, nil
}

func getPrompt(t *Turn) (fault.Message, *Error) {
	m := t.in.Param
	name, _ := text(m["name"])
	prompt, known := t.core.MCP().ListPrompts()[name]
	if !known {
		if t.core.Fault.Skips(fault.CheckPrompt) {
			return fault.Message{"messages": []any{}}, nil
		}
		return nil, badParams("there is no such prompt")
	}
	given := members(m["arguments"])
	for _, argument := range prompt.Prompt.Arguments {
		if _, ok := given[argument.Name]; argument.Required && !ok && !t.core.Fault.Skips(fault.CheckPromptArguments) {
			return nil, badParams("the argument " + argument.Name + " is missing")
		}
	}
	result, failure := t.dispatch()
	if failure != nil {
		return nil, failure
	}
	shape := t.shaper()
	messages, _ := result["messages"].([]any)
	for _, message := range messages {
		if m, ok := message.(map[string]any); ok {
			m["content"] = shape.block(m["content"])
		}
	}
	return result, nil
}

func complete(t *Turn) (fault.Message, *Error) {
	result, failure := t.dispatch()
	if failure != nil && failure.Code == envelope.InvalidParams && t.core.Fault.Skips(fault.CheckReference) {
		return fault.Message{"completion": map[string]any{"values": []any{}}}, nil
	}
	return result, failure
}

// dispatch lets mcp-go answer the request with the request's params.
func (t *Turn) dispatch() (fault.Message, *Error) {
	params := map[string]any{}
	for name, value := range t.in.Param {
		if name != "_meta" {
			params[name] = value
		}
	}
	result, failure := t.ask(t.in.Method, params)
	if asks, refused, decided := t.rounds.outcome(); decided {
		return asks, refused
	}
	return result, failure
}
