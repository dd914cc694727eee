package tasks

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const statusTold = "notifications/tasks/status"

// recordCases watch the records of tasks, wherever they stand.
func recordCases() []suite.Case {
	moment := probe.That("a time in ISO 8601, such as 2025-11-25T10:30:00Z", func(v any) bool { return isMoment(probe.TextOf(v)) })
	field := func(slug, title, fix string, rule requirements.ID, name string, want probe.Matcher) shapes.Row {
		return shapes.Row{
			Slug: slug, Title: title, Fix: fix, Rule: rule, Owns: partsOf("/" + name),
			Values: []shapes.Value{{At: "/" + name, Want: want}},
		}
	}
	cases := shapes.Cases(shapes.In{Suite: "tasks", Sees: "the record of a task", Watch: onRecords},
		field("id-string", "the id of a task is a string", "write taskId as a string, also where it is a number inside",
			"tasks-id-string", "taskId", probe.AString()),
		field("created-at", "the record of a task says when the task was created", "write createdAt as a time in ISO 8601 into every record",
			"tasks-created-at", "createdAt", moment),
		field("last-updated-at", "the record of a task says when the task was last updated",
			"write lastUpdatedAt as a time in ISO 8601 into every record", "tasks-last-updated-at", "lastUpdatedAt", moment),
	)
	return append(cases, []suite.Case{
		{
			ID:     "tasks/created-at-stays",
			Title:  "all records of a task say the same time of its creation",
			Checks: []requirements.ID{"tasks-created-at"},
			Fix:    "keep the time at which the task was made, and write it into every record as createdAt",
			Sees:   "two records of one task",
			Watch:  func() probe.Watcher { return &births{first: map[string]birth{}} },
		},
		{
			ID:     "tasks/last-updated-moves",
			Title:  "a record of a task that changed its status says a later time of the last update",
			Checks: []requirements.ID{"tasks-last-updated-at"},
			Fix:    "set lastUpdatedAt to the time at which the status of the task changes",
			Sees:   "a task whose status changed after a while",
			Watch:  func() probe.Watcher { return &changes{last: map[string]change{}} },
		},
		{
			ID:     "tasks/ttl-reported",
			Title:  "tasks/get says how long the task is kept, or null",
			Checks: []requirements.ID{"tasks-ttl-reported"},
			Fix:    "write ttl into the answer to tasks/get: milliseconds since the creation, or null without a limit",
			Owns:   []suite.Part{{Of: getTask, At: "/ttl"}},
			Sees:   "an answer to tasks/get",
			Watch: probe.OnResult(getTask, func(a probe.Answer) probe.Opinion {
				if wrapped(a.Message.Message) {
					return probe.Nothing()
				}
				return a.Wants("/result/ttl", probe.That("a number of milliseconds, or null", func(v any) bool {
					_, number := probe.NumberOf(v)
					return number || v == nil
				}))
			}),
		},
		{
			ID:     "tasks/record-schema",
			Title:  "tasks/get, tasks/list and tasks/cancel are answered with records of tasks",
			Checks: []requirements.ID{"tasks-record-schema"},
			Fix:    "write the fields of the task at the top of the result; tasks/list has an array of such records, as tasks",
			Owns:   []suite.Part{{Of: getTask}, {Of: listTasks}, {Of: cancelTask}},
			Sees:   "the record of a task",
			Watch: probe.OnResults([]string{getTask, listTasks, cancelTask}, func(a probe.Answer) probe.Opinion {
				if wrapped(a.Message.Message) {
					return probe.Breaks("%s is the record, want its fields at the top of the result", a.Where("/result/task"))
				}
				definition := map[string]string{getTask: "GetTaskResult", listTasks: "ListTasksResult", cancelTask: "CancelTaskResult"}
				return fits(a.Message, "tasks/record-schema", definition[a.Request.Method], "/result")
			}),
		},
		{
			ID:     "tasks/status-notification-schema",
			Title:  "a notification of the status of a task holds its whole record",
			Checks: []requirements.ID{"tasks-status-notification-schema"},
			Fix:    "put the same record into " + statusTold + " that tasks/get is answered with",
			Owns:   []suite.Part{{Of: statusTold}},
			Sees:   statusTold,
			Watch: probe.OnNotification(statusTold, func(n probe.Notice) probe.Opinion {
				return fits(n.Message, "tasks/status-notification-schema", "TaskStatusNotification", "")
			}),
		},
		{
			ID:     "tasks/no-related-metadata",
			Title:  "a record of a task does not name the task in its metadata once more",
			Checks: []requirements.ID{"tasks-no-related-metadata-in-records"},
			Fix:    "leave io.modelcontextprotocol/related-task out of what tasks/get, tasks/list and tasks/cancel are answered with",
			Sees:   "the record of a task",
			Watch:  probe.OnBinding(noRelated),
		},
	}...)
}

// fits expects part of a message to fit a definition, but for what other cases judge of it.
func fits(m probe.Message, asking, definition, at string) probe.Opinion {
	if m.Frame.Schemas == nil {
		return probe.Failed(errors.New("there are no schemas"))
	}
	set, err := m.Frame.Schemas.Core(string(m.Revision))
	if err != nil {
		return probe.Failed(err)
	}
	value := m.Message.Value
	if at != "" {
		value, _ = m.At(at)
	}
	var faults []schemas.Fault
	for _, f := range set.Validate(definition, value) {
		if at != "" || strings.HasPrefix(f.Pointer, "/params") {
			faults = append(faults, f)
		}
	}
	faults = m.Unowned(asking, faults)
	said := probe.Fits(probe.Faults(at, faults), nil)
	if !slices.ContainsFunc(faults, func(f schemas.Fault) bool { return !strings.HasSuffix(f.Pointer, "/ttl") }) {
		said = said.Unless(probe.Elsewhere{Case: "tasks/ttl-reported", Why: "the record has no ttl, or a wrong one"})
	}
	return said
}

// partsOf is a field of records, wherever they stand.
func partsOf(field string) []suite.Part {
	return []suite.Part{
		{Of: "tools/call", At: "/task" + field}, {Of: getTask, At: field}, {Of: cancelTask, At: field},
		{Of: listTasks, At: "/tasks/*" + field}, {Of: statusTold, At: "/params" + field},
	}
}

// onRecords leaves a notification that lacks several fields to the case on the whole of it.
func onRecords(judge shapes.Judge) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		said := probe.Nothing()
		for _, at := range recordsIn(m) {
			one := judge(m, at)
			if _, whole := m.At(at + "/ttl"); m.Class == frame.Notification && !whole {
				one = one.Unless(probe.Elsewhere{Case: "tasks/status-notification-schema", Why: "the notification has only a part of the record"})
			}
			said = said.And(one)
		}
		return said
	})
}

// recordsIn are the places of the records in a message of the server.
func recordsIn(m probe.Message) []string {
	switch {
	case m.Class == frame.Notification && m.Method == statusTold:
		return objectAt(m, "/params")
	case m.Class != frame.Result:
		return nil
	}
	switch m.Request.Method {
	case "tools/call":
		if _, asked := m.Request.Params()["task"]; asked {
			return objectAt(m, "/result/task")
		}
	case getTask, cancelTask:
		if wrapped(m.Message) {
			return nil
		}
		return objectAt(m, "/result")
	case listTasks:
		var all []string
		listed, _ := m.At("/result/tasks")
		for i := range probe.ArrayOf(listed) {
			all = append(all, objectAt(m, "/result/tasks/"+strconv.Itoa(i))...)
		}
		return all
	}
	return nil
}

// wrapped reports whether a result holds a record as task, as the answer to the call does that made the
// task, in place of its fields.
func wrapped(m frame.Message) bool {
	_, inside := m.At("/result/task/taskId")
	_, beside := m.At("/result/taskId")
	return inside && !beside
}

func objectAt(m probe.Message, at string) []string {
	if value, _ := m.At(at); probe.ObjectOf(value) == nil {
		return nil
	}
	return []string{at}
}

func noRelated(m probe.Message) probe.Opinion {
	at := "/result"
	switch {
	case m.Class == frame.Notification && m.Method == statusTold:
		at = "/params"
	case m.Class != frame.Result:
		return probe.Nothing()
	case m.Request.Method != getTask && m.Request.Method != listTasks && m.Request.Method != cancelTask:
		return probe.Nothing()
	}
	if _, given := m.At(at + relatedAt); given {
		return probe.Breaks("%s has io.modelcontextprotocol/related-task, want the id in the record only", m.Where(at+"/_meta"))
	}
	return probe.Kept()
}
