package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// offerAskingPrompt offers a prompt that asks for a name. Conformance suites look for it.
func offerAskingPrompt(registry *mcpserver.MCPServer) {
	registry.AddPrompt(
		mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptTitle("Greeting"),
			mcp.WithPromptDescription("Greets the user by a name that it asks for, if it can.")),
		func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			name, err := wanted(ctx, "What is your name?", calledForm, "name", "the user")
			if err != nil {
				return nil, err
			}
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(fmt.Sprintf("Greet %s.", name))),
			}), nil
		})
}

// offerPilotBook offers a resource that asks for the place that is to be read about.
func offerPilotBook(registry *mcpserver.MCPServer) {
	const placeForm = `{"type":"object","properties":{"place":{"type":"string","title":"Place"}},"required":["place"]}`
	registry.AddResource(
		mcp.NewResource("harbour://pilot-book", "Pilot book", mcp.WithMIMEType("text/plain"),
			mcp.WithResourceDescription("What the pilot book says of a place that it asks for, if it can.")),
		func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			place, err := wanted(ctx, "About which place?", placeForm, "place", "the harbour")
			if err != nil {
				return nil, err
			}
			text := fmt.Sprintf("The pilot book knows no dangers of %s.", place)
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: text}}, nil
		})
}

// calledForm has a field that may stay empty.
const calledForm = `{"type":"object","properties":{"name":{"type":"string","title":"Name"}}}`

// wanted asks the user for a field of a form, by the result. A client that cannot be asked so,
// and a user who gives no answer, get the other text.
func wanted(ctx context.Context, message, schema, field, otherwise string) (string, error) {
	turn := core.From(ctx)
	if !turn.Revision().Modern() || turn.Lacks("elicitation/create", nil) != nil {
		return otherwise, nil //nolint:nilerr // the client cannot be asked
	}
	answer, err := elicit(ctx, message, schema)
	if err != nil {
		return "", err
	}
	if given := answer.text(field); answer.Action == "accept" && given != "" {
		return given, nil
	}
	return otherwise, nil
}
