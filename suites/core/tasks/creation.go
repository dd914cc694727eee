package tasks

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// creationCases judge what a call is answered with that becomes a task.
func creationCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/create-result",
			Title:  "a call that becomes a task is answered with the record of the task",
			Checks: []requirements.ID{"tasks-create-result"},
			Fix:    "answer a call with a task parameter with {task: …} at once, and keep the result of the tool for tasks/result",
			Owns:   []suite.Part{{Of: "tools/call", At: "/task"}},
			Sees:   "the answer to a call of a tool that runs as a task",
			Watch:  probe.OnBinding(createResult),
		},
		{
			ID:     "tasks/created-promptly",
			Title:  "the answer with the record of a task comes while the tool works",
			Checks: []requirements.ID{"tasks-create-prompt"},
			Needs:  needing(tool("slow")),
			Lane:   suite.Waits,
			Fix:    "answer with the record of the task before the tool begins",
			Run:    createdPromptly,
		},
		{
			ID:     "tasks/ttl-optional",
			Title:  "a call with a task parameter without ttl becomes a task",
			Checks: []requirements.ID{"tasks-create-result"},
			Needs:  needing(tool()),
			Fix:    "choose a ttl where the task parameter has none: a client may leave it out",
			Run:    ttlOptional,
		},
		{
			ID:     "tasks/id-server-generated",
			Title:  "the id of a task is made by the server, whatever a client asks for",
			Checks: []requirements.ID{"tasks-id-server-generated"},
			Needs:  needing(tool()),
			Fix:    "make the taskId on the server, and ignore one in the task parameter",
			Run:    idServerGenerated,
		},
		{
			ID:     "tasks/id-unique",
			Title:  "no two tasks have the same id",
			Checks: []requirements.ID{"tasks-id-unique"},
			Needs:  needing(tool()),
			Fix:    "give each task an id of its own, such as a random UUID",
			Run:    idUnique,
		},
		{
			ID:     "tasks/starts-working",
			Title:  "a new task is in status working",
			Checks: []requirements.ID{"tasks-starts-working"},
			Needs:  needing(tool("slow")),
			Lane:   suite.Waits,
			Fix:    "create each task with status working",
			Run:    startsWorking,
		},
	}
}

// createResult passes over tools that do not list taskSupport: they may be served without a
// task.
func createResult(m probe.Message) probe.Opinion {
	_, asked := m.Request.Params()["task"]
	name := probe.TextOf(m.Request.Params()["name"])
	if m.Class != frame.Result || m.Request.Method != "tools/call" || !asked || !m.Survey().Declares(calls) {
		return probe.Nothing()
	}
	if s := support(m.Survey(), name); s != "optional" && s != "required" {
		return probe.Nothing()
	}
	if marked, _ := m.At("/result/isError"); marked == true {
		return probe.Nothing()
	}
	if made, _ := m.At("/result/task"); probe.ObjectOf(made) == nil {
		said := probe.Breaks("%s is %s, want the record of a task", m.Where("/result/task"), probe.Show(m.Value("/result/task")))
		if result, _ := m.At("/result"); probe.ObjectOf(result) == nil {
			said = said.Unless(probe.Elsewhere{Case: "jsonrpc/result-is-object", Why: "the result is not an object"})
		}
		return said
	}
	return fits(m, "tasks/create-result", "CreateTaskResult", "/result")
}

// createdPromptly compares how long the answer took with when the task was over.
func createdPromptly(c *probe.Client) error {
	const soon = 500 * time.Millisecond
	t := create(c, "slow")
	first := get(c, t)
	if !ended(first) || t.Took() < soon {
		return nil
	}
	return probe.Shown(t, first).Violation(
		"the answer with the record of a task came after %s, when the task was over, want it while the tool works",
		t.Took().Round(10*time.Millisecond))
}

// ttlOptional asks again, and with a ttl: a server may refuse a task for want of room.
func ttlOptional(c *probe.Client) error {
	without := probe.Object{"task": probe.Object{}}
	first := ask(c, callOf(c, ""), without)
	if first.id != "" {
		return nil
	}
	c.UndecideIf(first.Silent(), "a call with an empty task parameter is not answered")
	made := create(c, "")
	if ask(c, callOf(c, ""), without).id != "" {
		return nil
	}
	return probe.Shown(first, made).Violation("the answer to a call with an empty task parameter is %s, and with a ttl it is a task, "+
		"want a task", first.Outcome())
}

func idServerGenerated(c *probe.Client) error {
	own := "kit-" + c.Nonce()
	t := ask(c, callOf(c, ""), probe.Object{"task": probe.Object{"ttl": lifetime, "taskId": own}})
	c.NotSeenIf(t.id == "", "a call with an id of the client's in the task parameter is refused")
	if t.id == own {
		return t.Violation("$.result.task.taskId is %s, which the client asked for, want an id of the server's own", probe.Show(t.id))
	}
	return nil
}

// idUnique looks at several sessions where the server has some: over stdio another connection
// is another server.
func idUnique(c *probe.Client) error {
	const each = 4
	clients := []*probe.Client{c}
	if c.Transport() == requirements.HTTP {
		clients = append(clients, c.Opened())
	}
	seen := map[string]task{}
	for range each {
		for _, one := range clients {
			t := create(one, "")
			if before, twice := seen[t.id]; twice {
				return probe.Shown(before, t).Violation("two tasks have the id %s, want one of its own for each", probe.Show(t.id))
			}
			seen[t.id] = t
		}
	}
	return nil
}

// startsWorking leaves a status that is missing, or that there is not, to tasks/valid-transitions.
func startsWorking(c *probe.Client) error {
	t := create(c, "slow")
	value, _ := t.At("/result/task/status")
	return probe.Unless(t.Want("/result/task/status", probe.Equal(working)), unknownStatus(probe.TextOf(value)))
}
