// Package tasks holds the ways to break basic/utilities/tasks, and the extension that takes
// its place.
package tasks

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(negotiation(), creation(), states(), records(), results(), parallel(), cancellation(), lists(), refusals(),
		isolation(), input(), extension(), extensionTasks())
}

// The methods.
const (
	get    = "tasks/get"
	cancel = "tasks/cancel"
	list   = "tasks/list"
	result = "tasks/result"
	status = "notifications/tasks/status"

	capability = "/result/capabilities/tasks"
	related    = "io.modelcontextprotocol/related-task"
)

// asked says whether a call asks for a task.
func asked(x fault.Exchange) bool { return x.Method == "tools/call" && x.Param("task") != nil }

func negotiation() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-undeclared-made", Title: "a call becomes a task on a server that does not declare tasks",
			Breaks: "tasks-capability-declared",
			Tasks:  fault.Tasks{ForbiddenAnyway: true}, Reply: fault.Drop("initialize", capability),
		}, {
			Name: "tasks-capability-text", Title: "tasks.cancel is a string", Breaks: "tasks-capability-shape",
			Reply: fault.Set("initialize", capability+"/cancel", "yes"),
		}, {
			Name: "tasks-parameter-refused", Title: "a server without tasks refuses calls with a task parameter", Breaks: "tasks-undeclared-ignored",
			Inbound: fault.When(asked).Refuse(-32603, "tasks are not supported"), Reply: fault.Drop("initialize", capability),
		}, {
			Name: "tasks-list-undeclared", Title: "tasks are listed although tasks.list is not declared", Breaks: "tasks-undeclared-operations",
			Kills: []string{"tasks/undeclared-list"}, Reply: fault.Drop("initialize", capability+"/list"),
			In: fault.OverStdio(requirements.R20251125), // over HTTP only a client that logs in can list its tasks
		}, {
			Name: "tasks-cancel-undeclared", Title: "tasks can be cancelled although tasks.cancel is not declared",
			Breaks: "tasks-undeclared-operations",
			Kills:  []string{"tasks/undeclared-cancel"}, Reply: fault.Drop("initialize", capability+"/cancel"),
		}, {
			Name: "tasks-support-sometimes", Title: "the taskSupport of a tool is sometimes", Breaks: "tasks-tool-support-values",
			Reply: fault.Set("tools/list", "/result/tools/0/execution", map[string]any{"taskSupport": "sometimes"}),
		}, {
			Name: "tasks-forbidden-plain", Title: "a tool that does not run as a task is called as if no task was asked for",
			Breaks: "tasks-tool-forbidden",
			Tasks:  fault.Tasks{ForbiddenPlain: true},
		}, {
			Name: "tasks-required-plain", Title: "a tool that runs as a task only is called without one", Breaks: "tasks-tool-required",
			Tasks: fault.Tasks{PlainAnyway: true},
		},
	}
}

func creation() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-no-task", Title: "a call that asks for a task is answered with the result of the tool", Breaks: "tasks-create-result",
			Kills: []string{"tasks/create-result"}, Tasks: fault.Tasks{NoTasks: true},
		}, {
			Name: "tasks-ttl-wanted", Title: "a call with a task parameter without ttl is refused", Breaks: "tasks-create-result",
			Kills: []string{"tasks/ttl-optional"},
			Inbound: fault.When(func(x fault.Exchange) bool {
				asked, given := x.Param("task").(map[string]any)
				return x.Method == "tools/call" && given && asked["ttl"] == nil
			}).Refuse(-32602, "ttl is missing"),
		}, {
			Name: "tasks-created-late", Title: "a call is answered when its task is over", Breaks: "tasks-create-prompt",
			May:   []string{"tasks/progress-continues"},
			Tasks: fault.Tasks{CreatesLate: true},
		}, {
			Name: "tasks-id-of-client", Title: "a client may choose the id of its task", Breaks: "tasks-id-server-generated",
			Tasks: fault.Tasks{ClientID: true},
		}, {
			Name: "tasks-id-twice", Title: "every third task has the id of another", Breaks: "tasks-id-unique",
			May:   []string{"tasks/id-unguessable"},
			Tasks: fault.Tasks{ID: func(number int) string { return "task-" + strconv.Itoa(number-number%3/2) }},
		}, {
			Name: "tasks-starts-asking", Title: "a new task waits for input", Breaks: "tasks-starts-working",
			Reply: whereMade(func(task fault.Message) { task["status"] = "input_required" }),
		}, {
			Name: "tasks-starts-submitted", Title: "a new task is in the state submitted", Breaks: "tasks-valid-transitions",
			Silent: []string{"tasks/starts-working"}, Reply: whereMade(func(task fault.Message) { task["status"] = "submitted" }),
		}, {
			Name: "tasks-starts-without-status", Title: "a new task has no status", Breaks: "tasks-valid-transitions",
			Silent: []string{"tasks/starts-working"}, Reply: whereMade(func(task fault.Message) { delete(task, "status") }),
		},
	}
}

func states() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-state-unknown", Title: "a task that is over is in the state done", Breaks: "tasks-valid-transitions",
			Silent: []string{"tasks/cancel-sticks", "tasks/input-required-status"},
			Reply:  fault.When(func(x fault.Exchange) bool { return x.Method == get && x.Nth%2 == 0 }).Set("/result/status", "done"),
		}, {
			Name: "tasks-works-again", Title: "a task that is over works again", Breaks: "tasks-valid-transitions",
			May:   []string{"tasks/cancel-sticks", "tasks/input-required-status"},
			Reply: fault.When(func(x fault.Exchange) bool { return x.Method == get && x.Nth%2 == 0 }).Set("/result/status", "working"),
		}, {
			Name: "tasks-told-working", Title: "a task that is over is told as working afterwards", Breaks: "tasks-valid-transitions",
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				record, ok := m.Result()
				if x.Method != get || !ok || record["status"] != "completed" {
					return []fault.Message{m}
				}
				late := maps.Clone(record)
				late["status"], late["lastUpdatedAt"] = "working", later()
				return []fault.Message{m, {"jsonrpc": "2.0", "method": status, "params": late}}
			}, In: fault.OverStdio(requirements.R20251125),
		}, {
			Name: "tasks-told-over-early", Title: "a task that works is told as completed at first", Breaks: "tasks-valid-transitions",
			Notify: fault.Told(status, func(_ fault.Exchange, params fault.Message) {
				params["status"], params["lastUpdatedAt"] = "completed", later()
			}),
			Silent: []string{"tasks/input-required-status"},
		}, {
			Name: "tasks-cancelled-at-last", Title: "a task that is completed can be cancelled", Breaks: "tasks-terminal-final",
			May:   []string{"tasks/cancel-terminal-refused"},
			Tasks: fault.Tasks{CancelsFinished: true},
		},
	}
}

// later is the time of an update behind all that was told.
func later() string { return time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano) }

// whereMade changes the record of a task in the answer to the call that made it.
func whereMade(change func(record fault.Message)) fault.Change {
	return fault.OnResult("tools/call", func(result fault.Message) {
		if task, made := result["task"].(map[string]any); made {
			change(task)
		}
	})
}

// everywhere changes a field of all records.
func everywhere(change func(record fault.Message)) fault.Fault {
	return fault.Fault{
		Reply: fault.Changes(
			fault.OnResult(get, change), fault.OnResult(cancel, change),
			whereMade(change),
			fault.OnResult(list, func(result fault.Message) {
				listed, _ := result["tasks"].([]any)
				for _, one := range listed {
					change(one.(map[string]any))
				}
			}),
		),
		Notify: fault.Told(status, func(_ fault.Exchange, params fault.Message) { change(params) }),
	}
}

func (c changing) of(change func(fault.Message)) fault.Fault {
	f := everywhere(change)
	f.Name, f.Title, f.Breaks, f.Kills, f.Silent = c.Name, c.Title, c.Breaks, c.Kills, c.Silent
	return f
}

// changing is a fault that changes all records.
type changing fault.Fault

func records() []fault.Fault {
	return []fault.Fault{
		changing{Name: "tasks-id-number", Title: "the ids of tasks are numbers", Breaks: "tasks-id-string"}.of(
			func(record fault.Message) { record["taskId"] = 17 }),
		changing{
			Name: "tasks-created-number", Title: "tasks say when they were created in seconds since 1970", Breaks: "tasks-created-at",
			Kills: []string{"tasks/created-at"},
		}.of(
			func(record fault.Message) { record["createdAt"] = 1764066600 }),
		changing{
			Name: "tasks-no-update-time", Title: "tasks do not say when they were updated", Breaks: "tasks-last-updated-at",
			Kills: []string{"tasks/last-updated-at"},
		}.of(
			func(record fault.Message) { delete(record, "lastUpdatedAt") }),
		changing{
			Name: "tasks-update-time-stays", Title: "tasks say when they were created as the time of their last update",
			Breaks: "tasks-last-updated-at", Kills: []string{"tasks/last-updated-moves"}, Silent: []string{"tasks/result-own"},
		}.of(
			func(record fault.Message) { record["lastUpdatedAt"] = record["createdAt"] }),
		changing{
			Name: "tasks-ttl-nowhere", Title: "no record of a task says how long the task is kept", Breaks: "tasks-ttl-reported",
			Silent: []string{"tasks/record-schema", "tasks/create-result", "tasks/status-notification-schema"},
		}.of(
			func(record fault.Message) { delete(record, "ttl") }),
		{
			Name: "tasks-created-moves", Title: "the time of creation of a task is that of the answer", Breaks: "tasks-created-at",
			Kills: []string{"tasks/created-at-stays"},
			Reply: fault.OnResult(get, func(record fault.Message) { record["createdAt"] = fromNow(0) }),
		}, {
			Name: "tasks-ttl-missing", Title: "tasks/get does not say how long the task is kept", Breaks: "tasks-ttl-reported",
			Reply: fault.Drop(get, "/result/ttl"),
		}, {
			Name: "tasks-get-wrapped", Title: "tasks/get has the record of the task as task", Breaks: "tasks-record-schema",
			Reply: fault.OnResult(get, wrap),
		}, {
			Name: "tasks-interval-text", Title: "the poll interval of a task is a string", Breaks: "tasks-record-schema",
			Reply: fault.Set(get, "/result/pollInterval", "often"),
		}, {
			Name: "tasks-status-short", Title: "a notification of the status of a task has no ttl", Breaks: "tasks-status-notification-schema",
			Notify: fault.Drop(status, "/params/ttl"),
		}, {
			Name: "tasks-status-thin", Title: "a notification of the status of a task has only its id and its status",
			Breaks: "tasks-status-notification-schema", Silent: []string{"tasks/created-at", "tasks/last-updated-at"},
			Notify: fault.Told(status, func(_ fault.Exchange, params fault.Message) {
				for _, name := range []string{"createdAt", "lastUpdatedAt", "ttl", "pollInterval", "statusMessage"} {
					delete(params, name)
				}
			}),
		}, {
			Name: "tasks-record-related", Title: "the record of a task names the task in its metadata too",
			Breaks: "tasks-no-related-metadata-in-records",
			Reply:  fault.Set(get, "/result/_meta", map[string]any{related: map[string]any{"taskId": "a"}}),
		},
	}
}

// wrap puts the record of a task into the result as task, as the answer to the call has it.
func wrap(result fault.Message) {
	record := maps.Clone(result)
	for _, name := range []string{"_meta", "resultType"} {
		delete(record, name)
	}
	for name := range record {
		delete(result, name)
	}
	result["task"] = map[string]any(record)
}

func fromNow(ahead time.Duration) string {
	return time.Now().UTC().Add(ahead).Format("2006-01-02T15:04:05.000Z")
}

func results() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-result-record", Title: "tasks/result is answered with the record of the task", Breaks: "tasks-result-of-finished",
			Kills: []string{"tasks/result-of-finished"}, May: []string{"tasks/result-identical"},
			Reply: fault.OnResult(result, func(result fault.Message) {
				delete(result, "content")
				result["status"] = "completed"
			}),
		}, {
			Name: "tasks-result-early", Title: "tasks/result does not wait for the end of the task", Breaks: "tasks-result-blocks",
			Tasks: fault.Tasks{NoWait: true},
		}, {
			Name: "tasks-result-shortened", Title: "tasks/result leaves out part of the result", Breaks: "tasks-result-identical",
			Kills: []string{"tasks/result-identical"},
			Reply: fault.OnResult(result, func(result fault.Message) { result["content"] = []any{} }),
		}, {
			Name: "tasks-error-shortened", Title: "tasks/result has another message for an error than the call", Breaks: "tasks-result-identical",
			Kills: []string{"tasks/error-identical"},
			Reply: fault.OnError(result, func(failure fault.Message) { failure["message"] = "the task failed" }),
		}, {
			Name: "tasks-error-data-lost", Title: "tasks/result leaves out the data of the error that the call has",
			Breaks: "tasks-result-identical",
			Kills:  []string{"tasks/error-identical"}, Reply: fault.OnError(result, func(failure fault.Message) { delete(failure, "data") }),
		}, {
			Name: "tasks-result-no-error-flag", Title: "tasks/result leaves isError out", Breaks: "tasks-result-identical",
			Kills: []string{"tasks/tool-error-identical"}, Reply: fault.Drop(result, "/result/isError"),
		}, {
			Name: "tasks-result-unrelated", Title: "the result of a task does not name the task", Breaks: "tasks-result-related-metadata",
			Reply: fault.Drop(result, "/result/_meta/io.modelcontextprotocol~1related-task"),
		}, {
			Name: "tasks-metadata-trusted", Title: "the metadata of a request decides which task it is about",
			Breaks: "tasks-param-id-authoritative",
			Tasks:  fault.Tasks{TrustsMetadata: true},
		}, {
			Name: "tasks-tool-error-completed", Title: "a task whose tool fails is completed", Breaks: "tasks-failed-on-tool-error",
			Tasks: fault.Tasks{CompletesOnToolError: true},
		}, {
			Name: "tasks-tool-error-working", Title: "a task whose tool fails works on", Breaks: "tasks-failed-on-tool-error",
			Tasks: fault.Tasks{WorksOnToolError: true, PlainAnyway: true},
			Reply: fault.OnResult("tools/list", func(result fault.Message) {
				listed, _ := result["tools"].([]fault.Message)
				for _, tool := range listed {
					if tool["name"] == "failing_job" {
						tool["execution"] = map[string]any{"taskSupport": "optional"}
					}
				}
			}),
		}, {
			Name: "tasks-failed-silently", Title: "a task that failed does not say why", Breaks: "tasks-failed-message",
			Tasks: fault.Tasks{NoMessage: true},
		},
	}
}
