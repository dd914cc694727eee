package mrtr_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

// onAsking is a habit of results that ask.
func onAsking(change func(result fault.Message)) *fault.Fault {
	return &fault.Fault{Reply: func(_ fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok && result["resultType"] == "input_required" {
			change(result)
		}
	}}
}

// TestUnusualResults: results and questions are open objects, a state needs no question, and a
// result that is complete may hold what looks like a state.
func TestUnusualResults(t *testing.T) {
	lawful.Stateless(t, "results that ask have further properties", lawful.Contents, onAsking(func(result fault.Message) {
		for key, question := range result.Object("inputRequests") {
			q, _ := question.(map[string]any)
			q["id"], q["jsonrpc"] = key, "2.0"
		}
		result["harbour"], result["content"] = true, nil
	}))
	lawful.Stateless(t, "results that ask for nothing but to come back", lawful.Contents, onAsking(func(result fault.Message) {
		if result["requestState"] != nil {
			delete(result, "inputRequests")
		}
	}))
	lawful.Stateless(t, "results that ask have an empty object of questions", lawful.Contents, onAsking(func(result fault.Message) {
		result["inputRequests"] = map[string]any{}
	}))
	lawful.Stateless(t, "complete results have a state and an object of questions", lawful.Contents, &fault.Fault{
		Reply: fault.On("tools/call").Result(func(result fault.Message) {
			if result["resultType"] == "complete" {
				result["requestState"], result["inputRequests"] = map[string]any{}, map[string]any{"next": "later"}
			}
		}),
	})
}

// TestUnusualStates: a tool may ask without a state, and may send one that it never reads. What it
// says of a state that it rejects is its own business, and so is what it says at the end.
func TestUnusualStates(t *testing.T) {
	const greets = "roles: {input-required: {tool: test_input_required_result_elicitation}}"
	lawful.Configured(t, "a tool asks without a state", greets, lawful.Contents, nil)
	lawful.Configured(t, "a tool sends the same state each time, and does not read it", greets, lawful.Contents, onAsking(func(result fault.Message) {
		if result["requestState"] == nil {
			result["requestState"] = "v1"
		}
	}))
	rejecting := func(result map[string]any) *fault.Fault {
		return &fault.Fault{Reply: func(x fault.Exchange, m fault.Message) {
			if text, _ := m.Object("error")["message"].(string); strings.Contains(text, "requestState") {
				m.Become(x.Answer(result))
			}
			if len(m.Object("error")) == 0 {
				delete(m, "error")
			}
		}}
	}
	lawful.Stateless(t, "a result marked as an error rejects a state", lawful.Contents,
		rejecting(map[string]any{"resultType": "complete", "isError": true, "content": fault.Text("The offer has lapsed.")}))
	lawful.Stateless(t, "words reject a state", lawful.Contents,
		rejecting(map[string]any{"resultType": "complete", "content": fault.Text("The offer has lapsed, please call again.")}))
	lawful.Stateless(t, "a tool asks anew where it rejects a state", lawful.Contents,
		rejecting(map[string]any{"resultType": "input_required", "inputRequests": map[string]any{
			"again": map[string]any{"method": "elicitation/create", "params": map[string]any{
				"message": "What shall the crane move?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}},
			}},
		}}))
	lawful.Stateless(t, "each crane has a number", lawful.Contents, &fault.Fault{Reply: func(x fault.Exchange, m fault.Message) {
		result, _ := m.Result()
		if content, _ := result["content"].([]any); x.Tool() == "hire_crane" && result["isError"] == nil && len(content) > 0 {
			result["content"] = append(fault.Text("Number "+strconv.Itoa(x.Nth)), content...)
		}
	}})
}

// TestAsksAgain: a tool may ask again for an answer that it cannot use, and the kit then answers well.
func TestAsksAgain(t *testing.T) {
	t.Parallel()
	var questions sync.Map // by the state beside them
	lawful.Stateless(t, "a form whose answer has an unknown action is asked again", lawful.Contents, &fault.Fault{
		Reply: func(x fault.Exchange, m fault.Message) {
			result, _ := m.Result()
			if state := result["requestState"]; state != nil && result["resultType"] == "input_required" {
				questions.Store(state, result["inputRequests"])
			}
			state := x.Param("requestState")
			asked, given := questions.Load(state)
			if m["error"] != nil && given && strings.Contains(string(x.Params), `"shrug"`) {
				m.Become(x.Answer(map[string]any{"resultType": "input_required", "inputRequests": asked, "requestState": state}))
			}
		},
	})
}
