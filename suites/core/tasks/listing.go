package tasks

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// listCases judge the list of tasks, which shows each client its own.
func listCases() []suite.Case {
	lists := suite.Capability("tasks.list")
	return append([]suite.Case{
		{
			ID:     "tasks/list-complete",
			Title:  "each task that a client can get is in its list, on one page or another",
			Checks: []requirements.ID{"tasks-list-complete", "tasks-list-next-cursor"},
			Needs:  needing(lists, tool()),
			Fix:    "list every task of the client, whatever its status, and name the next page in nextCursor while there are more",
			Run:    listComplete,
		},
		{
			ID:     "tasks/list-paginated",
			Title:  "a long list of tasks comes in pages, and all of them are on these",
			Checks: []requirements.ID{"tasks-list-paginated", "tasks-list-next-cursor", "tasks-list-complete"},
			Needs:  needing(lists, tool(), suite.OptIn(suite.Stress)),
			Fix:    "cut the list of tasks into pages, and name the next page in nextCursor",
			Run:    listPaginated,
		},
	}, refusals.Cases(refusals.Row{
		ID: invalidCursor, Title: "tasks/list with a cursor that the server never issued is refused as invalid params",
		Checks: []requirements.ID{"tasks-list-invalid-cursor"}, Needs: needing(lists),
		Fix:    "serve tasks/list where tasks.list is declared: decode the cursor first, and answer error -32602 where that fails",
		Method: listTasks, Well: true, Codes: []int{protocol.InvalidParams},
		Params: func(c *probe.Client) probe.Object { return probe.Object{"cursor": "no-such-" + c.Nonce()} },
		Judge:  listServed,
	})...)
}

// invalidCursor is the case that also tells of a list that is declared and not served.
const invalidCursor = "tasks/list-invalid-cursor"

// listServed tells a list that the server does not know at all from one that takes the cursor
// for something else.
func listServed(c *probe.Client, reply *probe.Reply) error {
	if reply.HasCode(protocol.MethodNotFound) && listUnknown(c) {
		return reply.Violation(
			"capabilities.tasks.list is declared and tasks/list is an unknown method (error %d), want it served or not declared",
			protocol.MethodNotFound)
	}
	return reply.WantError(protocol.InvalidParams)
}

// listUnknown reports whether tasks/list is declared and the server does not know it.
func listUnknown(c *probe.Client) bool {
	return c.Survey().Declares("tasks.list") && c.Call(listTasks, nil).HasCode(protocol.MethodNotFound)
}

// few is more than most servers put on a page, and little to ask for.
const few = 6

// listComplete makes a few tasks. One more is over, and its result was fetched.
func listComplete(c *probe.Client) error {
	var made []task
	if err := c.Try(func() { made = append(made, ordinary(c).task) }); err != nil {
		c.Note("no task that is over was looked for in the list: " + err.Error())
	}
	for range few {
		made = append(made, create(c, ""))
	}
	listed := probe.ListAnew(c, protocol.Tasks())
	listed.MustBeRead()
	return lists(c, made, listed)
}

// lists looks for tasks in the list. It tells a list that is cut off, which does not grow with one
// more task, from one that leaves some tasks out.
func lists(c *probe.Client, made []task, listed probe.Items) error {
	missing, shown := lacking(c, made, listed)
	if missing == "" {
		return nil
	}
	create(c, "")
	again := probe.ListAnew(c, protocol.Tasks())
	if len(listed.All) > 0 && len(again.All) == len(listed.All) {
		return probe.Shown(shown, listed).Violation("$.result.nextCursor is absent, and the task %s is on no page, want a cursor for more tasks",
			probe.Show(missing)).Under("tasks-list-next-cursor").Unless(unlisted(listed))
	}
	return probe.Shown(shown, listed).Violation("the task %s is on no page of tasks/list, want each task that tasks/get is answered with",
		probe.Show(missing)).Under("tasks-list-complete").Unless(unlisted(listed))
}

// unlisted tells what judges why a task cannot be found in the list.
func unlisted(listed probe.Items) probe.Elsewhere {
	for _, page := range listed.Pages {
		cursor, given := page.At("/result/nextCursor")
		if _, text := cursor.(string); given && !text {
			return probe.Elsewhere{Case: "pagination/next-cursor-string", Why: "nextCursor is not a string"}
		}
	}
	for _, item := range listed.All {
		switch id := item.Get("taskId"); {
		case probe.ObjectOf(item.Value) == nil:
			return probe.Elsewhere{Case: "tasks/record-schema", Why: "a task of the list is not an object"}
		case probe.TextOf(id) == "":
			return probe.Elsewhere{Case: "tasks/id-string", Why: "the id of a task of the list is not a string"}
		}
	}
	return probe.Elsewhere{}
}

// lacking is a task that tasks/get still answers with and the list does not show.
func lacking(c *probe.Client, made []task, listed probe.Items) (id string, shown *probe.Reply) {
	for _, t := range made {
		if _, found := listed.Find(t.id); found {
			continue
		}
		if reply := get(c, t); reply.Served() {
			return t.id, reply
		}
	}
	return "", nil
}

func listPaginated(c *probe.Client) error {
	const many = 60
	var made []task
	for range many {
		made = append(made, create(c, ""))
	}
	listed := probe.ListAnew(c, protocol.Tasks())
	listed.MustBeRead()
	first := listed.Pages[0]
	c.Note(fmt.Sprintf("tasks/list came in %d pages", len(listed.Pages)))
	shown, _ := first.At("/result/tasks")
	if n := len(probe.ArrayOf(shown)); n >= many {
		return first.Violation("$.result.tasks has %d tasks on one page, want pages", n).Under("tasks-list-paginated")
	}
	return lists(c, made, listed)
}
