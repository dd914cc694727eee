package server

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// nameKey is the key of the answer that conformance suites send.
const nameKey = "user_name"

// modernTools need a client that declares its capabilities with each request and takes
// a result that asks. The tools that ask build the result by hand: with the key that
// conformance suites know, and without a state.
func modernTools() []tool {
	return []tool{
		{
			name: "test_input_required_result_elicitation", title: "Asks for a name", about: "Asks the user for a name, then greets",
			hint: reads, input: nothing, since: requirements.R20260728,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) { return askForName(core.From(ctx)) },
		},
		{
			name: "test_streaming_elicitation", title: "Streams and asks for a name", hint: reads, input: nothing, since: requirements.R20260728,
			about: "Sends notifications while it asks the user for a name, then greets",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				turn := core.From(ctx)
				result, err := askForName(turn)
				if err == nil { // a refusal has a status of its own, and no stream
					turn.Open()
					turn.Progress(1, 1, "The question is written.")
					turn.Log("info", "harbour", "A question was written.")
				}
				return result, err
			},
		},
		{
			name: "test_missing_capability", title: "Needs sampling", about: "Refuses clients that do not declare sampling", hint: reads,
			input: nothing, since: requirements.R20260728,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				if err := core.From(ctx).Lacks("sampling/createMessage", nil); err != nil {
					return nil, err
				}
				return plain("The client offers sampling.")
			},
		},
	}
}

// askForName asks the user by its result. It keeps no state between the rounds, so the
// answer may come on another connection, or never.
func askForName(turn *core.Turn) (*mcp.CallToolResult, error) {
	answer, err := nameAnswer(turn.Params())
	switch {
	case err != nil:
		return nil, err
	case answer.Action == "decline" || answer.Action == "cancel":
		return plain("The user gave no name.")
	case answer.Action == "accept" && answer.name() != "":
		return plain("Hello, " + answer.name() + "!")
	}
	// The answer is missing or does not fit the form.
	if err := turn.Lacks("elicitation/create", nil); err != nil {
		return nil, err
	}
	return mcpserver.NewInputRequestBuilder("").Elicit(nameKey, mcp.ElicitationParams{
		Mode:    mcp.ElicitationModeForm,
		Message: "What is your name?",
		RequestedSchema: json.RawMessage(`{"type":"object","required":["name"],"properties":{
			"name":{"type":"string","title":"Name","minLength":1}}}`),
	}).ToolResult(), nil
}

// An elicited is the client's answer to a form.
type elicited struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content"`
}

func (e elicited) text(field string) string { s, _ := e.Content[field].(string); return s }

func (e elicited) name() string { return e.text("name") }

// nameAnswer finds the answer to the form in the params of a call; without an answer
// the action is empty. Answers to other questions only have to be objects.
func nameAnswer(params json.RawMessage) (elicited, error) {
	var call, answers map[string]json.RawMessage
	_ = json.Unmarshal(params, &call) // the envelope has checked that this is an object
	raw, given := call["inputResponses"]
	if !given {
		return elicited{}, nil
	}
	if json.Unmarshal(raw, &answers) != nil || answers == nil {
		return elicited{}, malformed("inputResponses is not an object")
	}
	for _, one := range answers {
		var members map[string]json.RawMessage
		if json.Unmarshal(one, &members) != nil || members == nil {
			return elicited{}, malformed("inputResponses holds an answer that is not an object")
		}
	}
	raw, given = answers[nameKey]
	if !given {
		return elicited{}, nil
	}
	var answer elicited
	if json.Unmarshal(raw, &answer) != nil {
		return elicited{}, malformed("the answer " + nameKey + " has members of the wrong type")
	}
	switch answer.Action {
	case "accept", "decline", "cancel":
		return answer, nil
	default:
		return elicited{}, malformed("the answer " + nameKey + " has no action that exists")
	}
}

func malformed(problem string) *core.Error {
	return &core.Error{Code: envelope.InvalidParams, Message: problem}
}
