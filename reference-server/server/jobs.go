package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/progress"
	"github.com/mcp-conform/mcp-conform/reference-server/tasks"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// taskTools are the tools that run as tasks.
func taskTools() map[string]tasks.Tool {
	return map[string]tasks.Tool{
		"slow_compute":        {Short: noTime},
		"failing_job":         {Required: true},
		"protocol_error_job":  {},
		"confirm_delete":      {},
		"multi_input":         {},
		"test_tool_with_task": {AsksFirst: true},
		"lose_papers":         {Lost: true},
		"weigh_crane":         {},
	}
}

// noTime says of a computation that it takes no time.
func noTime(arguments json.RawMessage) bool {
	var given struct{ Seconds *float64 }
	return json.Unmarshal(arguments, &given) == nil && given.Seconds != nil && *given.Seconds == 0
}

// jobTools take their time, and are there since the revision that has tasks. Conformance
// suites look for most of them by name.
func jobTools(computed *tally) []tool {
	const labelled = `{"type":"object","properties":{"label":{"type":"string","maxLength":200,"examples":["load"]}},"required":["label"],` +
		`"additionalProperties":false}`
	jobs := []tool{
		{
			name: "slow_compute", title: "Compute a load", about: "Computes the load of a crane, which takes as long as it is told to.",
			hint: changes,
			input: `{"type":"object","properties":{
				"seconds":{"type":"number","minimum":0,"maximum":60,"default":1},
				"label":{"type":"string","maxLength":200,"default":"load"}},"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) { return compute(ctx, a, computed) },
		},
		{
			name: "count_computed", title: "Number of computations", hint: reads, input: labelled,
			about: "Says how many computations with a label were finished. The answer is the bare number.",
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(computed.of(loadLabel(a))))
			},
		},
		{
			name: "weigh_crane", title: "Weight of the crane", about: "Says what the crane of the harbour weighs.", hint: reads, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return plain("The crane weighs 80 tons.")
			},
		},
		{
			name: "failing_job", title: "Lift a wreck", about: "Tries to lift a wreck, and fails.", hint: changes, input: nothing,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				if err := pause(ctx, jobTime); err != nil {
					return failed("The work was stopped.")
				}
				return failed("The wreck is too heavy for the crane.")
			},
		},
		{
			name: "protocol_error_job", title: "Move a crane", about: "Tries to move a crane, whose motor does not answer.", hint: changes,
			input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return nil, &core.Error{
					Code: core.InternalError, Message: "the motor of the crane does not answer", Data: map[string]any{"motor": "north"},
				}
			},
		},
		{
			name: "lose_papers", title: "Lose the papers", about: "Works on papers that get lost.", hint: changes, input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) { return plain("The papers are gone.") },
		},
		{
			name: "greet", title: "Greet", about: "Greets somebody.", hint: reads,
			input: `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100}},"required":["name"],` +
				`"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain("Hello, " + a.text("name") + "!")
			},
		},
	}
	all := append(jobs, askingJobs()...)
	for i := range all {
		all[i].since = requirements.R20251125
	}
	return all
}

// jobTime is how long most jobs take.
const jobTime = 200 * time.Millisecond

func loadLabel(a arguments) string { return cmp.Or(a.text("label"), "load") }

// compute reports each step, and has its effect at the end.
func compute(ctx context.Context, a arguments, computed *tally) (*mcp.CallToolResult, error) {
	const steps = 5
	seconds, given := a["seconds"].(float64)
	if !given {
		seconds = 1
	}
	call := core.From(ctx)
	if seconds > 0 {
		call.Open()
	}
	for done := 1; done <= steps; done++ {
		if err := pause(ctx, time.Duration(seconds*float64(time.Second)/steps)); err != nil {
			return failed("The computation was stopped.")
		}
		progress.Report(call, progress.Step{
			Done: float64(done), Total: steps, Message: fmt.Sprintf("%d of %d parts are computed.", done, steps),
		})
	}
	computed.add(loadLabel(a))
	return plain("The load of " + loadLabel(a) + " is 12 tons.")
}

// askingJobs ask the client while they work.
func askingJobs() []tool {
	return []tool{
		{
			name: "confirm_delete", title: "Delete a file", about: "Deletes a file once the user agrees. There is no file, so that nothing is lost.",
			hint: changes,
			input: `{"type":"object","properties":{"filename":{"type":"string","maxLength":200,"default":"log.txt"}},` +
				`"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return fillIn(ctx, "Deletion", "May "+cmp.Or(a.text("filename"), "log.txt")+" be deleted?", confirmForm)
			},
		},
		{
			name: "multi_input", title: "Ask two things", about: "Asks the user for a name and for a berth, both at once where that is possible.",
			hint: changes, input: nothing, run: askBoth,
		},
		{
			name: "test_tool_with_task", title: "Ask, then work", about: "Asks the user for a name, then works for a while.", hint: changes,
			input: nothing,
			run:   askThenWork,
		},
	}
}

const confirmForm = `{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`

const berthForm = `{"type":"object","properties":{"berth":{"type":"string"}},"required":["berth"]}`

// askBoth asks for both at once where that is possible.
func askBoth(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
	form := func(message, schema string) core.Question {
		return core.Question{Method: "elicitation/create", Params: map[string]any{"message": message, "requestedSchema": json.RawMessage(schema)}}
	}
	raw, err := core.AskTogether(core.From(ctx), form("What is your name?", nameForm), form("Which berth do you want?", berthForm))
	if err != nil {
		return nil, err
	}
	var answers [2]elicited
	for i := range answers {
		if err := json.Unmarshal(raw[i], &answers[i]); err != nil {
			return nil, err
		}
	}
	return plain(fmt.Sprintf("name: %s, berth: %s", answers[0].Action, answers[1].Action))
}

// askThenWork asks before the call becomes a task, since 2026-07-28.
func askThenWork(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
	answer, err := elicit(ctx, "What is your name?", nameForm)
	if err != nil {
		return nil, err
	}
	tasks.Started(core.From(ctx))
	if err := pause(ctx, jobTime); err != nil {
		return failed("The work was stopped.")
	}
	return plain(fmt.Sprintf("Done for %v.", answer.Content["name"]))
}
