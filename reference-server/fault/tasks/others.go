package tasks

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func cancellation() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-cancel-anyway", Title: "cancelling a task that is over is answered with its record",
			Breaks: "tasks-cancel-terminal-refused",
			Tasks:  fault.Tasks{ShowsCancelled: true},
		}, {
			Name: "tasks-cancel-nothing", Title: "a task that is cancelled works as before", Breaks: "tasks-cancel-takes-effect",
			Tasks: fault.Tasks{CancelsNothing: true}, May: []string{"tasks/cancel-terminal-refused", "tasks/cancel-stops-work"},
		}, {
			Name: "tasks-cancel-in-name", Title: "a task that is cancelled works on", Breaks: "tasks-cancel-stops-work",
			Tasks: fault.Tasks{WorksOnCancelled: true},
		}, {
			Name: "tasks-cancel-fades", Title: "a cancelled task is completed when its work is done", Breaks: "tasks-cancel-sticks",
			Tasks: fault.Tasks{CancelFades: true},
		}, {
			Name: "tasks-cancelled-by-notification", Title: "a notification for the call of a task cancels the task",
			Breaks: "tasks-cancel-notification-ignored", Tasks: fault.Tasks{NotificationCancels: true},
		}, {
			Name: "tasks-cancel-wakes-nobody", Title: "tasks/result that waits for a task is not answered when the task is cancelled",
			Breaks: "tasks-result-of-finished", Kills: []string{"tasks/result-awaits-cancel"},
			Tasks: fault.Tasks{CancelWakesNobody: true}, Hangs: true,
		}, {
			Name: "tasks-cancelled-hangs", Title: "tasks/result of a task that was cancelled is never answered", Breaks: "tasks-result-of-finished",
			Kills: []string{"tasks/result-of-cancelled"}, Hangs: true,
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if _, served := m.Result(); x.Method == result && !served && wasCancelled(x) {
					return nil
				}
				return []fault.Message{m}
			},
		},
	}
}

// wasCancelled says whether the client cancelled the task of a request.
func wasCancelled(x fault.Exchange) bool {
	return slices.ContainsFunc(x.Past, func(asked fault.Asked) bool {
		return asked.Method == cancel && fault.Exchange{Params: asked.Params}.Param("taskId") == x.Param("taskId")
	})
}

func lists() []fault.Fault {
	return []fault.Fault{
		{
			Name: "tasks-list-cut", Title: "tasks/list is cut off after the first page", Breaks: "tasks-list-next-cursor",
			Reply: fault.Drop(list, "/result/nextCursor"),
		}, {
			Name: "tasks-list-open", Title: "tasks/list leaves out tasks that are over", Breaks: "tasks-list-complete",
			Tasks: fault.Tasks{Hides: func(status string) bool { return status == "completed" }},
		}, {
			Name: "tasks-list-fetched", Title: "tasks/list leaves out tasks whose result was fetched", Breaks: "tasks-list-complete",
			Kills: []string{"tasks/list-complete"}, // a task that nobody asks for stays in the list
			Reply: withoutFetched,
		}, {
			Name: "tasks-list-whole", Title: "tasks/list is one long page", Breaks: "tasks-list-paginated",
			Tasks: fault.Tasks{OnePage: true},
		}, {
			Name: "tasks-list-any-cursor", Title: "tasks/list takes any cursor for that of the first page", Breaks: "tasks-list-invalid-cursor",
			Tasks: fault.Tasks{AnyCursor: true},
		}, {
			Name: "tasks-list-unserved", Title: "tasks/list is declared and an unknown method", Breaks: "tasks-list-invalid-cursor",
			Silent:  []string{"tasks/unknown-id-get"},
			Inbound: fault.On("tasks/list").Refuse(-32601, "unknown method"),
		},
	}
}

// withoutFetched takes the tasks out of a list whose result the client asked for.
func withoutFetched(x fault.Exchange, m fault.Message) {
	fetched := map[any]bool{}
	for _, asked := range x.Past {
		if asked.Method == result {
			fetched[fault.Exchange{Params: asked.Params}.Param("taskId")] = true
		}
	}
	fault.OnResult(list, func(page fault.Message) {
		listed, _ := page["tasks"].([]any)
		page["tasks"] = slices.DeleteFunc(listed, func(one any) bool { return fetched[one.(map[string]any)["taskId"]] })
	})(x, m)
}

func refusals() []fault.Fault {
	refused := func(method string) fault.Change {
		return fault.OnError(method, func(failure fault.Message) {
			if failure["code"] == -32602 {
				failure["code"] = -32603
			}
		})
	}
	unknown := func(name, method, kills string) fault.Fault {
		return fault.Fault{
			Name: "tasks-unknown-" + name, Title: "a task that does not exist is an internal error for " + method, Breaks: "tasks-unknown-id",
			Kills: []string{kills}, Reply: refused(method),
		}
	}
	cancelled := unknown("cancel", cancel, "tasks/unknown-id-cancel")
	cancelled.May = []string{"tasks/cancel-terminal-refused"}
	return []fault.Fault{
		unknown("get", get, "tasks/unknown-id-get"),
		unknown("result", result, "tasks/unknown-id-result"),
		cancelled,
		{
			Name: "tasks-id-unchecked", Title: "a number as the id of a task is an internal error", Breaks: "tasks-unknown-id",
			Kills: []string{"tasks/invalid-id"},
			Inbound: fault.On(get).And(func(x fault.Exchange) bool { _, number := x.Param("taskId").(float64); return number }).
				Refuse(-32603, "expected a string"),
		}, {
			Name: "tasks-record-lost", Title: "a task whose record cannot be read is an unknown task", Breaks: "tasks-internal-error",
			Tasks: fault.Tasks{LostCode: -32602},
		}, {
			Name: "tasks-error-general", Title: "the error for a task that does not exist does not say what is wrong",
			Breaks: "tasks-informative-errors",
			Reply:  fault.OnError(get, func(failure fault.Message) { failure["message"] = "Invalid params" }),
		},
	}
}

func isolation() []fault.Fault {
	started := time.Date(2025, time.November, 25, 0, 0, 0, 0, time.UTC).UnixMilli()
	return []fault.Fault{
		{
			Name: "tasks-any-caller", Title: "anybody who knows the id of a task may look at it", Breaks: "tasks-foreign-context-refused",
			Tasks: fault.Tasks{AnyOwner: true}, In: fault.OverHTTP(requirements.R20251125),
		}, {
			Name: "tasks-listed-to-all", Title: "tasks are listed to every client", Breaks: "tasks-list-own-context",
			Tasks: fault.Tasks{ListsAll: true}, In: fault.OverHTTP(requirements.R20251125),
		}, {
			Name: "tasks-id-counts", Title: "the ids of tasks are counted", Breaks: "tasks-id-unguessable",
			Tasks: fault.Tasks{ID: func(number int) string { return fmt.Sprintf("task-%012d", int(started)+number) }},
		}, {
			Name: "tasks-list-anonymous", Title: "tasks are listed to clients without an identity", Breaks: "tasks-no-list-without-identity",
			Tasks: fault.Tasks{ListsToAnybody: true}, In: fault.OverHTTP(requirements.R20251125),
		}, {
			Name: "tasks-any-rate", Title: "a task may be looked at without a limit", Breaks: "tasks-rate-limited",
			Tasks: fault.Tasks{AnyRate: true},
		}, {
			Name: "tasks-any-life", Title: "a client may have its task kept for any time", Breaks: "tasks-resource-limits",
			Tasks: fault.Tasks{AnyLife: true},
		}, {
			Name: "tasks-get-streams", Title: "tasks/get is answered by a stream", Breaks: "tasks-get-no-stream",
			Tasks: fault.Tasks{StreamsGet: true}, In: fault.OverHTTP(requirements.R20251125),
		},
	}
}
