package mrtr_test

import (
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
