package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// mostAdvice is how often the model may use tools before the office gives up.
const mostAdvice = 5

// adviceTools lend the model of the client a tool of the harbour.
func adviceTools() []tool {
	return []tool{{
		name: "advise_skipper", title: "Advise a skipper", hint: reads, since: requirements.R20251125,
		about: "Has the model of the client answer a skipper, with the tides of the harbour at hand",
		input: `{"type":"object","properties":{"question":{"type":"string"}},"required":["question"],"additionalProperties":false}`,
		run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
			return advise(core.From(ctx), a.text("question"))
		},
	}}
}

// tideTool is what the model may use.
const tideTool = `{"name":"tide_height","description":"The height of the tide on a day of the year.",
	"inputSchema":{"type":"object","properties":{"day":{"type":"integer","minimum":1,"maximum":366}},"required":["day"]}}`

// advise goes on asking while the model uses the tool. Each use gets its result in the next
// request, in a message that holds nothing else.
func advise(turn *core.Turn, question string) (*mcp.CallToolResult, error) {
	messages := []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": question}}}
	endless := turn.Skips(fault.CheckToolLoop)
	for round := 0; round < mostAdvice || endless; round++ {
		params := map[string]any{
			"messages": messages, "maxTokens": 200, "tools": []any{json.RawMessage(tideTool)}, "toolChoice": map[string]any{"mode": "auto"},
			"modelPreferences": map[string]any{"costPriority": 0.2, "intelligencePriority": 0.8},
		}
		if round == mostAdvice-1 && !endless {
			params["toolChoice"] = map[string]any{"mode": "none"}
		}
		answer, err := turn.Ask("sampling/createMessage", params)
		if err != nil {
			return nil, err
		}
		results, content := lookUp(answer)
		if len(results) == 0 {
			return plain("Advice: " + said(answer))
		}
		if endless {
			messages = messages[:1] // all of them would make each round longer
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": content}, map[string]any{"role": "user", "content": results})
	}
	return failed(fmt.Sprintf("The model came to no end within %d rounds.", mostAdvice))
}

// lookUp answers the uses of the tool in a message of the model.
func lookUp(answer json.RawMessage) (results []any, content json.RawMessage) {
	var message struct{ Content json.RawMessage }
	if json.Unmarshal(answer, &message) != nil {
		return nil, nil
	}
	type block struct {
		Type, ID, Name string
		Input          map[string]any
	}
	var one block
	var all []block
	if json.Unmarshal(message.Content, &all) != nil && json.Unmarshal(message.Content, &one) == nil {
		all = []block{one}
	}
	for _, b := range all {
		if b.Type != "tool_use" {
			continue
		}
		text, wrong := tideOn(b.Name, b.Input)
		results = append(results, map[string]any{
			"type": "tool_result", "toolUseId": b.ID, "isError": wrong, "content": []any{map[string]any{"type": "text", "text": text}},
		})
	}
	return results, message.Content
}

// tideOn is the result of the tool, or what is wrong with its use.
func tideOn(name string, input map[string]any) (text string, failed bool) {
	day, _ := input["day"].(float64)
	switch {
	case name != "tide_height":
		return "there is no such tool", true
	case day < 1 || day > 366:
		return "day is not a day of the year", true
	}
	written, err := json.Marshal(tides(int(day)))
	return string(written), err != nil
}
