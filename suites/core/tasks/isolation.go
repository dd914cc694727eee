package tasks

import (
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// isolationCases judge who may see a task, and what its owner may ask for.
func isolationCases() []suite.Case {
	http := suite.Over(requirements.HTTP)
	second := suite.Role(roles.Principals, "second")
	return []suite.Case{
		{
			ID:     "tasks/foreign-context-refused",
			Title:  "a task is not shown to another identity, and cannot be cancelled by it",
			Checks: []requirements.ID{"tasks-foreign-context-refused"},
			Needs:  needing(http, second, tool()),
			Fix:    "keep with each task who made it, and refuse tasks/get, tasks/result and tasks/cancel of everybody else",
			Run:    foreignContextRefused,
		},
		{
			ID:     "tasks/list-own-context",
			Title:  "a list of tasks holds those of its caller only",
			Checks: []requirements.ID{"tasks-list-own-context"},
			Needs:  needing(http, second, tool()),
			Fix:    "list the tasks that the identity of the request has made",
			Run:    listOwnContext,
		},
		{
			ID:     "tasks/id-unguessable",
			Title:  "the ids of tasks cannot be guessed",
			Checks: []requirements.ID{"tasks-id-unguessable"},
			Needs:  needing(tool()),
			Fix:    "make taskId of at least 128 random bits, such as a random UUID",
			Run: func(c *probe.Client) error {
				c.NotSeenIf(c.Survey().Traits[probe.Guarded], "the server knows its clients by their credentials")
				return guessable(func() (string, *probe.Reply) { t := create(c, ""); return t.id, t.Reply })
			},
		},
		{
			ID:     "tasks/no-list-without-identity",
			Title:  "a server that cannot tell its clients apart does not list tasks",
			Checks: []requirements.ID{"tasks-no-list-without-identity"},
			Needs:  []suite.Need{http, suite.Capability("tasks"), tool()},
			Lane:   suite.Fresh,
			Fix:    "leave tasks.list out of the capabilities of clients without credentials",
			Run:    noListWithoutIdentity,
		},
		{
			ID:     "tasks/rate-limited",
			Title:  "a client that looks at a task too often is refused",
			Checks: []requirements.ID{"tasks-rate-limited"},
			Needs:  needing(tool(), suite.Role(roles.RateLimit, "tasks")),
			Fix:    "count the requests about tasks of each client, and refuse those beyond the limit with an error",
			Run:    rateLimited,
		},
		{
			ID:     "tasks/lifetime-limited",
			Title:  "a task is not kept for as long as a client likes",
			Checks: []requirements.ID{"tasks-resource-limits"},
			Needs:  needing(tool()),
			Fix:    "limit the ttl that a client may ask for",
			Run:    lifetimeLimited,
		},
		{
			ID:     "tasks/get-no-stream",
			Title:  "tasks/get is answered without an event stream",
			Checks: []requirements.ID{"tasks-get-no-stream"},
			Needs:  needing(http, tool()),
			Fix:    "answer tasks/get with application/json",
			Run:    getNoStream,
		},
	}
}

// stranger is the other identity, in a session of its own. The case ends where it is not
// served at all.
func stranger(c *probe.Client) *probe.Client {
	other := c.As("second")
	c.Require(other.Barrier().WantResult(), "principals.second is not served at all")
	return other
}

func foreignContextRefused(c *probe.Client) error {
	own := create(c, "")
	other := stranger(c)
	methods := []string{getTask}
	if c.Survey().Declares("tasks.cancel") {
		methods = append(methods, cancelTask)
	}
	end(c, own)
	for _, method := range append(methods, getResult) {
		if reply := other.Call(method, named(own)); reply.Served() {
			return probe.Shown(own, reply).Violation("%s from principals.second is served for a task of principals.first, want a refusal", method)
		}
	}
	return nil
}

func listOwnContext(c *probe.Client) error {
	first := c
	if c.Identified("first") {
		first = c.As("first")
	}
	c.NotSeenIf(!first.Call(listTasks, nil).Served(), "the server does not list tasks to principals.first")
	own := created(c, ask(first, callOf(c, ""), nil))
	listed := probe.ListAnew(stranger(c), protocol.Tasks())
	if item, found := listed.Find(own.id); found {
		return probe.Shown(own, item.Page).Violation("principals.second is listed the task %s of principals.first, want its own tasks only",
			probe.Show(own.id))
	}
	return nil
}

// guessable looks for patterns that anybody sees: short ids, and ids that differ in few
// characters, such as those of a counter or of a clock.
func guessable(create func() (id string, shown *probe.Reply)) error {
	const many, least = 8, 6
	var ids []string
	var first *probe.Reply
	for range many {
		id, shown := create()
		if first == nil {
			first = shown
		}
		ids = append(ids, id)
	}
	if differing(ids) < least {
		return first.Violation("the ids of tasks differ in fewer than %d characters, such as %s and %s, want random ones",
			least, probe.Show(ids[0]), probe.Show(ids[1]))
	}
	return nil
}

// differing is the least number of characters in which two of the ids that follow each
// other differ.
func differing(ids []string) int {
	least := 1 << 10
	for i, id := range ids[1:] {
		before, n := ids[i], 0
		for at := range max(len(id), len(before)) {
			if at >= len(id) || at >= len(before) || id[at] != before[at] {
				n++
			}
		}
		least = min(least, n)
	}
	return least
}

// noListWithoutIdentity asks as two clients without credentials. A server that lists to one
// what the other has made cannot tell them apart.
func noListWithoutIdentity(c *probe.Client) error {
	one, capabilities := anonymous(c)
	c.NotSeenIf(capabilities["list"] == nil || capabilities["list"] == false,
		"the server does not declare tasks.list to a client without credentials")
	call := callOf(c, "")
	made := one.CallTool(call, probe.Object{"task": probe.Object{"ttl": lifetime}}, probe.Anonymous())
	value, _ := made.At("/result/task/taskId")
	id := probe.TextOf(value)
	c.NotSeenIf(id == "", "a client without credentials cannot make a task")
	two, _ := anonymous(c)
	params := probe.Object{}
	for range c.Waits().Pages {
		listed := two.Call(listTasks, params, probe.Anonymous())
		tasks, _ := listed.At("/result/tasks")
		if strings.Contains(probe.JSON(tasks), probe.JSON(id)) {
			return probe.Shown(made, listed).Violation(
				"a client without credentials is listed a task that another such client has made, want no tasks.list")
		}
		next, more := listed.At("/result/nextCursor")
		if !more || probe.Same(next, params["cursor"]) {
			break
		}
		params["cursor"] = next
	}
	return nil
}

// anonymous opens a session without credentials, and gives the tasks capability there.
func anonymous(c *probe.Client) (*probe.Client, map[string]any) {
	other := c.Another()
	reply := other.First(probe.Anonymous())
	c.NotSeenIf(!reply.Served(), "the server serves no client without credentials")
	other.Ask(probe.NotificationText("notifications/initialized", probe.Object{}), probe.Anonymous())
	tasks, _ := reply.At("/result/capabilities/tasks")
	return other, probe.ObjectOf(tasks)
}

// rateLimited sends all requests at once: a limit may hold for a second, which a busy machine
// takes for as many requests one after the other.
func rateLimited(c *probe.Client) error {
	repeat, _ := c.Role(roles.RateLimit).Fields().At("tasks").Number("repeat")
	t := create(c, "")
	began := time.Now()
	var asked []*probe.Pending
	for range repeat + 1 {
		asked = append(asked, c.Start(getTask, named(t)))
	}
	var last *probe.Reply
	for _, each := range asked {
		if last = each.Reply(); last.Refused() {
			return nil
		}
		c.UndecideIf(!last.Served(), "the answer to tasks/get is "+last.Outcome())
	}
	refusals.MustBeAtOnce(c, began)
	return last.Violation("%d tasks/get at once are served, want a refusal beyond %d", repeat+1, repeat)
}

// lifetimeLimited passes over tasks without a ttl: the server decides how long it keeps them.
func lifetimeLimited(c *probe.Client) error {
	const century = 100 * 365 * 24 * 3_600_000.0
	t := ask(c, callOf(c, ""), probe.Object{"task": probe.Object{"ttl": century}})
	c.NotSeenIf(t.id == "", "a task with a ttl of a hundred years is refused")
	shown := get(c, t)
	ttl, _ := shown.At("/result/ttl")
	if granted, ok := probe.NumberOf(ttl); ok && granted >= century {
		return shown.Violation("$.result.ttl is %s, a hundred years as the client asked for, want a limit of the server", probe.Show(ttl))
	}
	return nil
}

func getNoStream(c *probe.Client) error {
	reply := get(c, create(c, ""))
	if kind := reply.Header("Content-Type"); strings.HasPrefix(strings.ToLower(kind), "text/event-stream") {
		return reply.Violation("tasks/get is answered by an event stream, want application/json")
	}
	return nil
}
