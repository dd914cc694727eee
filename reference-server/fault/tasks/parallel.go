package tasks

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func parallel() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-results-exchanged", Title: "two tasks that work at the same time have each other's results",
			Breaks: "tasks-result-of-finished", Kills: []string{"tasks/result-own"},
			Reply: ofResult(exchange),
		}, {
			Name: "tasks-ext-results-exchanged", Title: "two tasks that work at the same time are completed with each other's results",
			Breaks: "tasks-ext-completed-has-outcome", Kills: []string{"tasks/ext-result-own"},
			Reply: ofCompletion(exchange), In: fault.OverStdio(requirements.R20260728),
		}, {
			Name: "tasks-results-last", Title: "two tasks that work at the same time have both the result of the later one",
			Breaks: "tasks-result-of-finished", Kills: []string{"tasks/result-own"},
			Reply: ofResult(repeat),
		}, {
			Name: "tasks-ext-results-last", Title: "two tasks that work at the same time are both completed with the result of the later one",
			Breaks: "tasks-ext-completed-has-outcome", Kills: []string{"tasks/ext-result-own"},
			Reply: ofCompletion(repeat), In: fault.OverStdio(requirements.R20260728),
		},
	}
}

// ofResult changes the results that tasks/result answers with.
func ofResult(change func(fault.Exchange, fault.Message)) func(fault.Exchange, fault.Message) {
	return func(x fault.Exchange, m fault.Message) {
		if outcome, served := m.Result(); served && x.Method == result {
			change(x, outcome)
		}
	}
}

// ofCompletion changes the results that completed tasks have in answers to tasks/get.
func ofCompletion(change func(fault.Exchange, fault.Message)) func(fault.Exchange, fault.Message) {
	return func(x fault.Exchange, m fault.Message) {
		if record, served := m.Result(); served && x.Method == get && record["status"] == "completed" {
			change(x, record.Object("result"))
		}
	}
}

// repeat writes the load of the later one of two computations into the result of the other, as
// exchange does.
func repeat(x fault.Exchange, result fault.Message) {
	was := fmt.Sprint(result["content"])
	exchange(x, result)
	for i := range x.Past[:max(len(x.Past)-1, 0)] {
		if one, other := load(x.Past[i]), load(x.Past[i+1]); one != "" && other != "" && strings.Contains(was, other) {
			exchange(x, result) // back
			return
		}
	}
}

// exchange writes the load of another computation into the result of one, where the client
// asked for the two one right after the other.
func exchange(x fault.Exchange, result fault.Message) {
	content, _ := result["content"].([]any)
	if len(content) == 0 {
		return
	}
	block, _ := content[0].(map[string]any)
	text, _ := block["text"].(string)
	for i := range x.Past[:max(len(x.Past)-1, 0)] {
		one, other := load(x.Past[i]), load(x.Past[i+1])
		switch {
		case one == "" || other == "":
		case strings.Contains(text, one):
			block["text"] = strings.ReplaceAll(text, one, other)
			return
		case strings.Contains(text, other):
			block["text"] = strings.ReplaceAll(text, other, one)
			return
		}
	}
}

// load is the label of a computation that the client asked for.
func load(asked fault.Asked) string {
	var params struct {
		Name      string
		Arguments struct{ Label string }
	}
	if asked.Method != "tools/call" || json.Unmarshal(asked.Params, &params) != nil || params.Name != "slow_compute" {
		return ""
	}
	return params.Arguments.Label
}
