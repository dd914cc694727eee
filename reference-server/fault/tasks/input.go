package tasks

import "github.com/mcp-conform/mcp-conform/reference-server/fault"

func input() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-asks-working", Title: "a task that waits for its client is shown as working", Breaks: "tasks-input-required-status",
			Tasks: fault.Tasks{WorksOn: true},
		}, {
			Name: "tasks-asks-for-ever", Title: "a task whose client has answered is shown as asking", Breaks: "tasks-input-required-left",
			Tasks: fault.Tasks{StaysAsking: true},
		}, {
			Name: "tasks-asks-unrelated", Title: "a request of a task does not name the task", Breaks: "tasks-input-request-related",
			Tasks: fault.Tasks{AsksUnrelated: true},
		}, {
			Name: "tasks-asks-for-tasks", Title: "any client is asked for a task", Breaks: "tasks-requestor-capability",
			Notify: fault.Set("elicitation/create", "/params/task", map[string]any{"ttl": 60_000}), Silent: []string{"tasks/input-required-status"},
		}, {
			Name: "tasks-progress-stops", Title: "the progress of a task stops with the answer to its call", Breaks: "tasks-progress-continues",
			Tasks: fault.Tasks{NoProgress: true},
		}, {
			Name: "tasks-progress-afterwards", Title: "progress of a task is reported when it is over", Breaks: "tasks-progress-ends",
			Tasks: fault.Tasks{ProgressAfterwards: true},
		}, {
			Name: "tasks-progress-unrelated", Title: "progress of a task does not name the task", Breaks: "tasks-related-metadata-everywhere",
			Notify: fault.Drop("notifications/progress", "/params/_meta/io.modelcontextprotocol~1related-task"),
		},
	}
}
