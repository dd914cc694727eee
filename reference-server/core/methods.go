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
		"initialize":               legacy(initializeParams, (*Turn).initialize),
		"ping":                     legacy(object, (*Turn).ping),
		"logging/setLevel":         legacy(levelParams, (*Turn).setLevel),
		"resources/subscribe":      legacy(uriParams, (*Turn).subscribe),
		"resources/unsubscribe":    legacy(uriParams, (*Turn).unsubscribe),
		"server/discover":          modern(object, (*Turn).discover),
		"subscriptions/listen":     slow(modern(listenParams, (*Turn).listen)),
		"tools/list":               both(listParams, (*Turn).list),
		"resources/list":           both(listParams, (*Turn).list),
		"resources/templates/list": both(listParams, (*Turn).list),
		"prompts/list":             both(listParams, (*Turn).list),
		"tools/call":               slow(both(callParams, (*Turn).callTool)),
		"resources/read":           both(uriParams, (*Turn).readResource),
		"prompts/get":              both(promptParams, (*Turn).getPrompt),
		"completion/complete":      both(completeParams, (*Turn).complete),
	}
}

// serve answers a request through the extensions.
func (t *Turn) serve() (fault.Message, *Error) {
	next := t.serveCore
	for _, extension := range t.core.Extensions {
		if around, inner := extension.Serve, next; around != nil {
			next = func() (fault.Message, *Error) { return around(t, inner) }
		}
	}
	return next()
}

// serveCore answers a request or refuses it.
func (t *Turn) serveCore() (fault.Message, *Error) {
	if t.refused != nil {
		return nil, t.refused
	}
	f := t.core.Fault
	m, known := t.core.methods[t.in.Method]
	if known && t.meta.modern && !m.modern && !f.Skips(fault.CheckRemoved) {
		known = false
	}
	if known && !t.meta.modern && !m.legacy {
		known = false
	}
	switch {
	case !t.meta.modern && t.unopened() && !f.Skips(fault.CheckOpening):
		return nil, refuse(envelope.InvalidRequest, "the conversation begins with initialize")
	case !known && f.Skips(fault.CheckMethod):
		return fault.Message{}, nil
	case !known:
		return nil, refuse(MethodNotFound, "unknown method")
	}
	if failure := m.params(t.in.Param); failure != nil && !t.paramsPass() {
		return nil, failure
	}
	return m.serve(t)
}

func (t *Turn) paramsPass() bool {
	if t.in.Method == "initialize" {
		return t.core.Fault.Skips(fault.CheckOpeningParams)
	}
	return t.core.Fault.Skips(fault.CheckParams)
}

func (t *Turn) unopened() bool {
	return t.conv.Revision() == "" && t.in.Method != "initialize" && t.in.Method != "ping"
}

// Revision is the revision that binds this request.
func (t *Turn) Revision() requirements.Revision {
	if t.meta.modern {
		return requirements.R20260728
	}
	if r := t.conv.Revision(); r != "" {
		return r
	}
	return requirements.R20241105
}

// initialize agrees on a revision: the requested one if it has a handshake, else the
// newest one with a handshake.
func (t *Turn) initialize() (fault.Message, *Error) {
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

func (t *Turn) ping() (fault.Message, *Error) { return fault.Message{}, nil }

func (t *Turn) discover() (fault.Message, *Error) {
	result, failure := t.fixedAnswer(t.in.Method, t.Revision(), map[string]any{})
	if failure != nil {
		return nil, failure
	}
	result["supportedVersions"] = Supported()
	return result, nil
}

func (t *Turn) setLevel() (fault.Message, *Error) {
	level, _ := text(t.in.Param["level"])
	if !slices.Contains(Levels(), level) && !t.core.Fault.Skips(fault.CheckLogLevel) {
		return nil, badParams("level is not a log level")
	}
	t.conv.setLevel(level)
	return fault.Message{}, nil
}

// dispatch lets mcp-go answer the request with the request's params.
func (t *Turn) dispatch() (fault.Message, *Error) {
	params := map[string]any{}
	for name, value := range t.in.Param {
		if name != "_meta" {
			params[name] = value
		}
	}
	result, failure := t.bridge(params)
	if asks, refused, decided := t.rounds.outcome(); decided {
		return asks, refused
	}
	return result, failure
}
