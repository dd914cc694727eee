package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// runHandler calls the handler of a tool directly. Most requests call a tool, and
// mcp-go's own dispatch would encode and decode each request three more times.
func (t *Turn) runHandler(tool *mcpserver.ServerTool, arguments json.RawMessage) (fault.Message, *Error) {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool.Tool.Name}}
	var given map[string]any
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, badParams("the arguments cannot be used")
	}
	request.Params.Arguments = given
	t.rounds = nil // each run asks from the start
	answer, err := callRecovering(context.WithValue(t.ctx, turnKey{}, t), tool, request)
	if result, failure, decided := t.rounds.outcome(); decided {
		return result, failure
	}
	var own *Error
	var unanswered *Unanswered
	switch {
	case errors.As(err, &own):
		return nil, own
	case errors.As(err, &unanswered) && unanswered.Lacking != nil && t.meta.modern:
		return nil, unanswered.refusal()
	case errors.As(err, &unanswered):
		return toolError(unanswered.Why), nil
	case err != nil:
		return nil, refuse(InternalError, err.Error())
	}
	result, err := plainResult(answer)
	if err != nil {
		return nil, refuse(InternalError, "the result could not be written")
	}
	return result, nil
}

// callRecovering turns a panic of a tool into an error, so that the server goes on.
func callRecovering(ctx context.Context, tool *mcpserver.ServerTool, request mcp.CallToolRequest) (answer *mcp.CallToolResult, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic recovered in %s tool handler: %v", tool.Tool.Name, r)
		}
	}()
	if answer, err = tool.Handler(ctx, request); err == nil && answer == nil {
		err = fmt.Errorf("tool '%s' handler returned no result", tool.Tool.Name)
	}
	return answer, err
}

// plainResult is the result as objects and lists, which hooks may change. Texts, the
// most common blocks, are copied; the rest is encoded and decoded.
func plainResult(of *mcp.CallToolResult) (fault.Message, error) {
	rest := *of
	rest.Content = nil
	content := make([]any, len(of.Content))
	for i, block := range of.Content {
		text, ok := block.(mcp.TextContent)
		if ok && text.Meta == nil && text.Annotations == nil {
			content[i] = map[string]any{"type": text.Type, "text": text.Text}
			continue
		}
		written, err := reread(block)
		if err != nil {
			return nil, err
		}
		content[i] = written
	}
	result := map[string]any{}
	if of.Meta != nil || of.ResultType != "" || of.StructuredContent != nil || len(of.InputRequests) > 0 || of.RequestState != "" {
		written, err := reread(rest)
		if err != nil {
			return nil, err
		}
		result, _ = written.(map[string]any)
	}
	result["content"] = content
	if of.IsError {
		result["isError"] = true
	}
	return result, nil
}

func reread(value any) (any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return tree(raw)
}
