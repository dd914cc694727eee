package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// askingTools ask the client while they work. Conformance suites look for the tools by
// name. The tools change nothing, so that running them again after an answer costs
// nothing.
func askingTools() []tool {
	const prompted = `{"type":"object","properties":{
		"prompt":{"type":"string"},
		"patience":{"type":"number","description":"Seconds to wait for the answer.","exclusiveMinimum":0,"maximum":60,"default":60}},
		"required":["prompt"],"additionalProperties":false}`
	const messaged = `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}`
	const round = "test_input_required_result_"
	return []tool{
		{
			name: "test_sampling", title: "Asks the model", about: "Has the model of the client answer a prompt", hint: reads, input: prompted,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return sample(ctx, a.text("prompt"), time.Duration(a.number("patience")*float64(time.Second)))
			},
		},
		{
			name: "test_list_roots", title: "Asks for the roots", about: "Lists the roots of the client", hint: reads, input: nothing, run: roots,
		},
		{
			name: "test_elicitation", title: "Asks the user", about: "Asks the user for a name and an address", hint: reads, input: messaged,
			since: requirements.R20250618,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return fillIn(ctx, "User response", a.text("message"), contactForm)
			},
		},
		{
			name: "test_elicitation_sep1034_defaults", title: "Asks with defaults", hint: reads, input: nothing, since: requirements.R20251125,
			about: "Asks the user with a form whose fields have defaults",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				return fillIn(ctx, "Elicitation completed", "Please review the defaults.", defaultsForm)
			},
		},
		{
			name: "test_elicitation_sep1330_enums", title: "Asks with choices", hint: reads, input: nothing, since: requirements.R20251125,
			about: "Asks the user with a form that has each kind of choice",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				return fillIn(ctx, "Elicitation completed", "Please choose.", choicesForm)
			},
		},
		{
			name: round + "sampling", title: "Asks the model by its result", hint: reads, input: nothing, since: requirements.R20260728,
			about: "Has the model of the client name a capital",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				return sample(ctx, "What is the capital of France?", 0)
			},
		},
		{
			name: round + "list_roots", title: "Asks for the roots by its result", hint: reads, input: nothing, since: requirements.R20260728,
			about: "Lists the roots of the client", run: roots,
		},
		{
			name: round + "multi_round", title: "Asks twice", about: "Asks the user for a name, then for a color", hint: reads, input: nothing,
			since: requirements.R20260728, run: askTwice,
		},
		{
			name: round + "request_state", title: "Asks with a state", about: "Asks the user for a name, and says that the state came back",
			hint: reads, input: nothing, since: requirements.R20260728,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				return fillIn(ctx, "state-ok", "What is your name?", calledForm)
			},
		},
		{
			name: round + "multiple_inputs", title: "Asks three things at once", about: "Asks the user, the model and for the roots",
			hint: reads, input: nothing, since: requirements.R20260728, run: askAll,
		},
		{
			name: round + "tampered_state", title: "Asks for consent", about: "Asks the user for consent", hint: reads, input: nothing,
			since: requirements.R20260728,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				return fillIn(ctx, "User response", "Please confirm.", `{"type":"object","properties":{"ok":{"type":"boolean"}}}`)
			},
		},
		{
			name: round + "capabilities", title: "Asks in the way that the client can", hint: reads, input: nothing, since: requirements.R20260728,
			about: "Asks the model, or the user of a client without one",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				if core.From(ctx).Lacks("sampling/createMessage", nil) == nil {
					return sample(ctx, "Say hello.", 0)
				}
				return fillIn(ctx, "User response", "What is your name?", nameForm)
			},
		},
	}
}

const nameForm = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`

const contactForm = `{"type":"object","properties":{
	"username":{"type":"string","description":"Name of the user"},
	"email":{"type":"string","description":"Address of the user"}},
	"required":["username","email"]}`

const defaultsForm = `{"type":"object","properties":{
	"name":{"type":"string","default":"John Doe"},
	"age":{"type":"integer","default":30},
	"score":{"type":"number","default":95.5},
	"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
	"verified":{"type":"boolean","default":true}}}`

const choicesForm = `{"type":"object","properties":{
	"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
	"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]},
	"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
	"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
	"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]}}}}`

// askAll asks in each way at once.
func askAll(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
	answers, err := core.AskTogether(core.From(ctx), form("What is your name?", nameForm), prompted("Say hello."),
		core.Question{Method: "roots/list"})
	if err != nil {
		return nil, err
	}
	var user elicited
	if err := json.Unmarshal(answers[0], &user); err != nil {
		return nil, err
	}
	all, err := listed(answers[2])
	if err != nil {
		return nil, err
	}
	return plain(fmt.Sprintf("The user is %s. The model says: %s. There are %s.", user.name(), said(answers[1]), all))
}

// prompted is a question to the model.
func prompted(text string) core.Question {
	return core.Question{Method: "sampling/createMessage", Params: map[string]any{
		"messages":  []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": text}}},
		"maxTokens": 100,
	}}
}

// sample asks the client's model to answer a prompt, and waits as long as it is told to;
// zero leaves the limit to the server.
func sample(ctx context.Context, prompt string, patience time.Duration) (*mcp.CallToolResult, error) {
	q := prompted(prompt)
	answer, err := core.From(ctx).AskWithin(patience, q.Method, q.Params)
	if err != nil {
		return nil, err
	}
	return plain("LLM response: " + said(answer))
}

// said joins the texts of a model's message. The content is one block or, since
// 2025-11-25, a list of blocks.
func said(message json.RawMessage) string {
	var m struct{ Content json.RawMessage }
	if err := json.Unmarshal(message, &m); err != nil {
		return ""
	}
	type block struct{ Type, Text string }
	var one block
	var all []block
	if json.Unmarshal(m.Content, &all) != nil && json.Unmarshal(m.Content, &one) == nil {
		all = []block{one}
	}
	var texts []string
	for _, b := range all {
		if b.Type != "text" {
			b.Text = "a block of type " + b.Type
		}
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, " ")
}

func roots(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
	answer, err := core.From(ctx).Ask("roots/list", nil)
	if err != nil {
		return nil, err
	}
	all, err := listed(answer)
	if err != nil {
		return nil, err
	}
	return plain(all)
}

// listed says which roots a client has.
func listed(answer json.RawMessage) (string, error) {
	var given struct{ Roots []struct{ URI string } }
	if err := json.Unmarshal(answer, &given); err != nil {
		return "", err
	}
	uris := make([]string, len(given.Roots))
	for i, root := range given.Roots {
		uris[i] = root.URI
	}
	return fmt.Sprintf("%d roots: %s", len(uris), strings.Join(uris, ", ")), nil
}

// elicit asks the user to fill in a form.
func elicit(ctx context.Context, message, schema string) (elicited, error) {
	q := form(message, schema)
	raw, err := core.From(ctx).Ask(q.Method, q.Params)
	if err != nil {
		return elicited{}, err
	}
	var answer elicited
	err = json.Unmarshal(raw, &answer)
	return answer, err
}

// fillIn asks for a form and answers with the user's action and values.
func fillIn(ctx context.Context, label, message, form string) (*mcp.CallToolResult, error) {
	answer, err := elicit(ctx, message, form)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(answer.Content)
	if err != nil {
		return nil, err
	}
	return plain(label + ": action=" + answer.Action + ", content=" + string(content))
}

// askTwice needs the first answer before the second question.
func askTwice(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
	first, err := elicit(ctx, "What is your name?", nameForm)
	if err != nil {
		return nil, err
	}
	if first.Action != "accept" {
		return plain("The user gave no name.")
	}
	second, err := elicit(ctx, "What is your favorite color, "+first.name()+"?",
		`{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`)
	if err != nil {
		return nil, err
	}
	color, _ := second.Content["color"].(string)
	if color == "" {
		return plain(first.name() + " has no favorite color.")
	}
	return plain(first.name() + " likes " + color + ".")
}
