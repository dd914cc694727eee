package core

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Hooks returns the hooks that every MCPServer of a Core needs. mcp-go turns each
// error of a handler into -32603 without data; the hooks keep the error itself.
func Hooks() *mcpserver.Hooks {
	hooks := &mcpserver.Hooks{}
	hooks.AddOnError(func(ctx context.Context, _ any, _ mcp.MCPMethod, _ any, err error) {
		if slot, ok := ctx.Value(slotKey{}).(*error); ok {
			*slot = err
		}
	})
	return hooks
}

type (
	slotKey struct{}
	turnKey struct{}
)

// From returns the request that a handler is called for.
func From(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// ask lets mcp-go answer a method, which may differ from the method of the request. The
// id is not the client's: mcp-go would change a large id, and takes "5" for 5.
func (t *Turn) ask(method string, params map[string]any) (fault.Message, *Error) {
	if t.meta.modern {
		capabilities := t.meta.capabilities
		if !isObject(capabilities) {
			capabilities = json.RawMessage(`{}`)
		}
		params["_meta"] = map[string]any{keyVersion: string(requirements.R20260728), keyCapabilities: capabilities}
	}
	request, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": t.core.ids.Add(1), "method": method, "params": params,
	})
	if err != nil {
		return nil, refuse(InternalError, "the request could not be passed on")
	}
	var handlerError error
	ctx := context.WithValue(t.ctx, turnKey{}, t)
	ctx = context.WithValue(ctx, slotKey{}, &handlerError)
	return translate(t, t.core.MCP().HandleMessage(ctx, request), handlerError)
}

func translate(t *Turn, answer mcp.JSONRPCMessage, cause error) (fault.Message, *Error) {
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		result, err := reread(a.Result)
		if object, ok := result.(map[string]any); ok && err == nil {
			return object, nil
		}
		return nil, refuse(InternalError, "the result is not an object")
	case mcp.JSONRPCError:
		return nil, failureOf(t, a, cause)
	default:
		return nil, refuse(InternalError, "there is no answer")
	}
}

func failureOf(t *Turn, answer mcp.JSONRPCError, cause error) *Error {
	var own *Error
	var unanswered *Unanswered
	switch {
	case errors.As(cause, &own):
		return own
	case errors.As(cause, &unanswered) && unanswered.Lacking != nil && t.meta.modern:
		return unanswered.refusal()
	case errors.Is(cause, mcpserver.ErrResourceNotFound):
		return noResource(t)
	}
	return &Error{Code: answer.Error.Code, Message: answer.Error.Message, Data: answer.Error.Data}
}

// noResource is the error for a resource that does not exist.
func noResource(t *Turn) *Error {
	uri, _ := text(t.in.Param["uri"])
	t.Refuse(Refusal{Code: "RESOURCE_NOT_FOUND", Category: Permanent})
	missing := &Error{Code: ResourceNotFound, Message: "there is no such resource", Data: map[string]any{"uri": uri}}
	if t.meta.modern {
		missing.Code = -32602
	}
	return missing
}
