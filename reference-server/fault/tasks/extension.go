package tasks

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	update   = "tasks/update"
	resultAt = "/result/resultType"
)

func extension() []fault.Fault {
	discovering := fault.When(func(x fault.Exchange) bool {
		extensions, _ := x.Declared()
		return x.Method == "server/discover" && extensions["io.modelcontextprotocol/tasks"] != nil
	})
	fallback := []string{"lifecycle/extension-fallback"}
	return []fault.Fault{
		{
			Name: "tasks-ext-anybody", Title: "a client without the extension is given tasks", Breaks: "tasks-ext-no-handle-without-capability",
			Tasks:  fault.Tasks{HandsToAnybody: true},
			May:    fallback,
			Silent: []string{"tasks/ext-former-declaration", "tasks/ext-missing-capability", "jsonrpc/result-type-known"},
		}, {
			Name: "tasks-ext-former", Title: "the former capability counts as the extension", Breaks: "tasks-ext-legacy-declaration-not-enough",
			Tasks: fault.Tasks{FormerDeclares: true}, May: fallback, Silent: []string{"jsonrpc/result-type-known"},
		}, {
			Name: "tasks-ext-required-plain", Title: "a tool that runs as a task only is called without one",
			Breaks: "tasks-ext-missing-capability-error",
			Tasks:  fault.Tasks{PlainAnyway: true},
		}, {
			Name: "tasks-ext-serves-all", Title: "tasks serve clients without the extension", Breaks: "tasks-ext-operations-need-capability",
			Tasks: fault.Tasks{ServesUndeclared: true}, May: []string{"tasks/ext-listen-undeclared"},
		}, {
			Name: "tasks-ext-tells-all", Title: "any client may listen for tasks", Breaks: "tasks-ext-listen-needs-capability",
			Tasks: fault.Tasks{TellsUndeclared: true},
		}, {
			Name: "tasks-ext-advertised", Title: "the former capability is advertised", Breaks: "tasks-ext-legacy-capability-not-advertised",
			Reply: fault.Set("server/discover", "/result/capabilities/tasks", map[string]any{}),
			May:   []string{"lifecycle/negotiated-capabilities"},
		}, {
			Name: "tasks-ext-parameter-refused", Title: "a call with a task parameter is refused", Breaks: "tasks-ext-task-parameter-ignored",
			Inbound: fault.When(asked).Refuse(-32602, "task is not a parameter of tools/call"),
		}, {
			Name: "tasks-ext-in-handshake", Title: "a client that declares the extension in a handshake is given its tasks",
			Breaks: "tasks-ext-not-under-legacy-revision",
			Reply: fault.When(func(x fault.Exchange) bool {
				extensions, _ := x.Declared()
				return x.Method == "tools/call" && !x.Revision.Modern() && extensions["io.modelcontextprotocol/tasks"] != nil
			}).Set(resultAt, "task"),
		}, {
			Name: "tasks-ext-former-locked", Title: "tasks of a client that does not declare the extension cannot be looked at",
			Breaks: "tasks-ext-legacy-tasks-still-reachable",
			May:    []string{"tasks/param-id-authoritative", "tasks/unknown-id-get", "tasks/internal-error", "tasks/input-required-status"},
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Method == "tasks/get" && !x.Revision.Modern() }).
				Refuse(-32021, "the extension is not declared"),
		}, {
			Name: "tasks-ext-list-as-task", Title: "the list of tools is answered with a task", Breaks: "tasks-ext-only-tool-calls",
			Reply:  fault.Changes(discovering.Set(resultAt, "task"), discovering.Set("/result/taskId", "task-1")),
			Silent: []string{"tasks/ext-no-progress-on-listen"},
		}, {
			Name: "tasks-ext-removed-result", Title: "tasks/result is served as it was", Breaks: "tasks-ext-result-method-removed",
			Kills: []string{"tasks/ext-removed-result"}, Inbound: fault.On(result).Refuse(-32602, "there is no such task"),
		}, {
			Name: "tasks-ext-removed-list", Title: "tasks/list is served as it was", Breaks: "tasks-ext-result-method-removed",
			Kills: []string{"tasks/ext-removed-list"}, Inbound: fault.On(list).Answer(map[string]any{"resultType": "complete", "tasks": []any{}}),
		},
	}
}

// made changes the results that hand out a task.
func made(change func(result fault.Message)) fault.Change {
	return fault.OnResult("tools/call", func(result fault.Message) {
		if result["taskId"] != nil {
			change(result)
		}
	})
}

func extensionTasks() []fault.Fault {
	at := func(status string, change func(result fault.Message)) fault.Change {
		return fault.OnResult(get, func(result fault.Message) {
			if result["status"] == status {
				change(result)
			}
		})
	}
	refused := func(method string) fault.Change {
		return fault.OnError(method, func(failure fault.Message) {
			if failure["code"] == -32602 {
				failure["code"] = -32603
			}
		})
	}
	return []fault.Fault{
		{
			Name: "tasks-ext-handle-complete", Title: "a task is handed out with resultType complete", Breaks: "tasks-ext-result-type-task",
			May:   []string{"ext-degradation/results-valid"},
			Reply: made(func(result fault.Message) { result["resultType"] = "complete" }),
		}, {
			Name: "tasks-ext-id-number", Title: "the id of a task is a number", Breaks: "tasks-ext-result-type-task",
			Reply: made(func(result fault.Message) { result["taskId"] = 7 }),
		}, {
			Name: "tasks-ext-type-on-plain", Title: "a plain result has the resultType task", Breaks: "tasks-ext-result-type-only-handle",
			Reply: fault.OnResult("tools/call", func(result fault.Message) {
				if result["taskId"] != nil {
					result["id"] = result["taskId"]
					delete(result, "taskId")
				}
			}),
		}, {
			Name: "tasks-ext-handle-former", Title: "a task is handed out as the property task, as at 2025-11-25",
			Breaks: "tasks-ext-result-type-only-handle",
			Reply: made(func(result fault.Message) {
				record := maps.Clone(result)
				for name := range record {
					if name != "resultType" && name != "_meta" {
						delete(result, name)
					}
				}
				delete(record, "resultType")
				delete(record, "_meta")
				result["task"] = map[string]any(record)
			}),
		}, {
			Name: "tasks-ext-handle-early", Title: "a task is handed out before it can be looked at", Breaks: "tasks-ext-durable-before-answer",
			May: []string{"tasks/ext-internal-error"}, Silent: []string{"tasks/ext-cancel-acknowledged"},
			Tasks: fault.Tasks{KeepsLate: true},
		}, {
			Name: "tasks-ext-no-times", Title: "a task does not say when it was updated", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-status-shape"}, Reply: fault.Drop(get, "/result/lastUpdatedAt"),
		}, {
			Name: "tasks-ext-created-moves", Title: "tasks/get says as createdAt when the task runs out", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-status-shape"},
			Reply: fault.OnResult(get, func(record fault.Message) { record["createdAt"] = fromNow(time.Hour) }),
		}, {
			Name: "tasks-ext-get-wrapped", Title: "tasks/get has the task as task", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-status-shape"}, Reply: fault.OnResult(get, wrap),
		}, {
			Name: "tasks-ext-state-unknown", Title: "a task that is completed is in the state done", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-status-shape"}, Reply: at("completed", func(record fault.Message) { record["status"] = "done" }),
		}, {
			Name: "tasks-ext-get-unknown", Title: "tasks/get is an unknown method", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-status-shape"}, Inbound: fault.On(get).Refuse(-32601, "unknown method"),
		}, {
			Name: "tasks-ext-poll-text", Title: "tasks/get says in words when to look again", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-status-shape"}, Reply: fault.OnResult(get, func(record fault.Message) { record["pollIntervalMs"] = "soon" }),
		}, {
			Name: "tasks-ext-get-as-task", Title: "a task that works is looked at with resultType task",
			Breaks: "tasks-ext-get-result-type-complete",
			Reply:  at("working", func(result fault.Message) { result["resultType"] = "task" }), Silent: []string{"tasks/ext-tool-error-completed"},
		}, {
			Name: "tasks-ext-questions-missing", Title: "tasks/get of a task that needs input does not say what it asks",
			Breaks: "tasks-ext-get-status-shape", Kills: []string{"tasks/ext-input-requests"},
			Reply: at("input_required", func(record fault.Message) { delete(record, "inputRequests") }),
			May:   []string{"tasks/ext-inputs-complete"},
		}, {
			Name: "tasks-ext-questions-texts", Title: "what a task asks its client for is a string", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-input-requests"}, May: []string{"tasks/ext-inputs-complete"},
			Reply: fault.Set(get, "/result/inputRequests/*", "May I?"),
		}, {
			Name: "tasks-ext-questions-unnamed", Title: "what a task asks its client for has no method", Breaks: "tasks-ext-get-status-shape",
			Kills: []string{"tasks/ext-input-requests"}, May: []string{"tasks/ext-inputs-complete"},
			Reply: fault.Drop(get, "/result/inputRequests/*/method"),
		}, {
			Name: "tasks-ext-one-question", Title: "a task that asks two things lists one", Breaks: "tasks-ext-input-requests-complete",
			Reply: at("input_required", func(result fault.Message) {
				requests := result.Object("inputRequests")
				for key := range requests {
					if len(requests) > 1 {
						delete(requests, key)
					}
				}
			}), May: []string{"tasks/ext-keys-unique"},
		}, {
			Name: "tasks-ext-one-key", Title: "all requests of a task have one key", Breaks: "tasks-ext-input-request-keys-unique",
			Tasks: fault.Tasks{Keys: func(int) string { return "question" }}, May: []string{"tasks/ext-inputs-complete"},
		}, {
			Name: "tasks-ext-update-record", Title: "tasks/update is answered with the task", Breaks: "tasks-ext-update-acknowledged",
			Reply: fault.Set(update, "/result/status", "working"),
		}, {
			Name: "tasks-ext-keys-refused", Title: "answers to what was not asked are refused", Breaks: "tasks-ext-update-unknown-keys-ignored",
			Tasks: fault.Tasks{RefusesUnknownKeys: true},
		}, {
			Name: "tasks-ext-any-key", Title: "an answer to what was not asked counts for what was", Breaks: "tasks-ext-update-unknown-keys-ignored",
			Tasks: fault.Tasks{AnyKeyAnswers: true},
		}, {
			Name: "tasks-ext-cancel-record", Title: "tasks/cancel is answered with the task", Breaks: "tasks-ext-cancel-acknowledged",
			Reply: fault.Set(cancel, "/result/status", "cancelled"),
		}, {
			Name: "tasks-ext-unknown-get", Title: "a task that does not exist is an internal error for tasks/get",
			Breaks: "tasks-ext-unknown-id-get",
			Reply:  refused(get),
		}, {
			Name: "tasks-ext-unknown-update", Title: "a task that does not exist is an internal error for tasks/update",
			Breaks: "tasks-ext-unknown-id-update-cancel", Kills: []string{"tasks/ext-unknown-id-update"}, Reply: refused(update),
		}, {
			Name: "tasks-ext-unknown-cancel", Title: "a task that does not exist is an internal error for tasks/cancel",
			Breaks: "tasks-ext-unknown-id-update-cancel", Kills: []string{"tasks/ext-unknown-id-cancel"}, Reply: refused(cancel),
		}, {
			Name: "tasks-ext-tool-error-failed", Title: "a task whose tool fails has failed", Breaks: "tasks-ext-failed-only-protocol-errors",
			Tasks: fault.Tasks{FailsOnToolError: true},
		}, {
			Name: "tasks-ext-no-error", Title: "a task that failed has no error", Breaks: "tasks-ext-failed-has-error",
			Reply: at("failed", func(result fault.Message) { delete(result, "error") }),
		}, {
			Name: "tasks-ext-failed-silently", Title: "a task that failed does not say why", Breaks: "tasks-ext-failed-message",
			Tasks: fault.Tasks{NoMessage: true},
		}, {
			Name: "tasks-ext-no-result", Title: "a task that is completed has no result", Breaks: "tasks-ext-completed-has-outcome",
			Kills: []string{"tasks/ext-completed-result"}, May: []string{"tasks/ext-notification"},
			Reply: at("completed", func(result fault.Message) { delete(result, "result") }),
		}, {
			Name: "tasks-ext-result-once", Title: "a task that is completed has its result in the first answer only",
			Breaks: "tasks-ext-completed-has-outcome", Kills: []string{"tasks/ext-completed-result"},
			Reply: at("completed", resultOnce()),
		}, {
			Name: "tasks-ext-told-short", Title: "a notification about a task lacks its result", Breaks: "tasks-ext-notification-complete-task",
			Notify: fault.Drop("notifications/tasks", "/params/result"),
		}, {
			Name: "tasks-ext-told-without-times", Title: "a notification about a task does not say when it was updated",
			Breaks: "tasks-ext-notification-complete-task", Notify: fault.Drop("notifications/tasks", "/params/lastUpdatedAt"),
		}, {
			Name: "tasks-ext-told-without-state", Title: "a notification about a task does not say its status",
			Breaks: "tasks-ext-notification-complete-task", Notify: fault.Drop("notifications/tasks", "/params/status"),
			Silent: []string{"tasks/ext-listen-authorized"},
		}, {
			Name: "tasks-ext-told-of-another", Title: "who listens for a task is told of another", Breaks: "tasks-ext-notification-complete-task",
			Notify: fault.Set("notifications/tasks", "/params/taskId", "b7a1c6de24f84f0c9d53"), May: []string{"tasks/ext-listen-authorized"},
		}, {
			Name: "tasks-ext-progress-told", Title: "progress of a task goes to who listens for it", Breaks: "tasks-ext-no-progress-on-listen",
			Tasks: fault.Tasks{TalksToListeners: true},
		}, {
			Name: "tasks-ext-id-counts", Title: "the ids of tasks are counted", Breaks: "tasks-ext-id-unguessable",
			Tasks: fault.Tasks{ID: func(number int) string { return fmt.Sprintf("task-%012d", number) }},
		}, {
			Name: "tasks-ext-any-caller", Title: "anybody who knows the id of a task may look at it", Breaks: "tasks-ext-authorization-per-request",
			Kills: []string{"tasks/ext-authorized"}, Tasks: fault.Tasks{AnyOwner: true}, In: fault.OverHTTP(requirements.R20260728),
		}, {
			Name: "tasks-ext-any-listener", Title: "anybody who knows the id of a task is told of it", Breaks: "tasks-ext-authorization-per-request",
			Kills: []string{"tasks/ext-listen-authorized"}, Tasks: fault.Tasks{AnyListener: true}, In: fault.OverHTTP(requirements.R20260728),
		}, {
			Name: "tasks-ext-error-general", Title: "the error for a task that does not exist does not say what is wrong",
			Breaks: "tasks-ext-informative-errors", Reply: fault.OnError(get, func(failure fault.Message) { failure["message"] = "Invalid params" }),
		}, {
			Name: "tasks-ext-record-lost", Title: "a task whose record cannot be read is an unknown task", Breaks: "tasks-ext-internal-error",
			Tasks: fault.Tasks{LostCode: -32602},
		}, {
			Name: "tasks-ext-asks-too-late", Title: "a tool that asks first is a task before that", Breaks: "tasks-ext-mrtr-before-handle",
			Tasks: fault.Tasks{HandsTooEarly: true},
		},
	}
}

// resultOnce takes the result out of what is told of a task, but for the first time.
func resultOnce() func(result fault.Message) {
	var told sync.Map
	return func(result fault.Message) {
		if _, again := told.LoadOrStore(result["taskId"], true); again {
			delete(result, "result")
		}
	}
}
