package tasks

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const requiredAt = "/error/data/requiredCapabilities/extensions/io.modelcontextprotocol~1tasks"

// extCapabilityCases judge what a client gets that declares the extension, and one that does
// not.
func extCapabilityCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:     "tasks/ext-no-handle-undeclared",
			Title:  "a request that does not declare the extension is not answered with a task, whatever earlier ones declared",
			Checks: []requirements.ID{"tasks-ext-no-handle-without-capability"},
			Needs:  extended(tool()),
			Fix:    "look at the capabilities of each request, and answer with a plain result or error -32021 where the extension is missing",
			Run:    noHandleUndeclared,
		},
		{
			ID:     "tasks/ext-former-declaration",
			Title:  "the tasks capability of 2025-11-25 does not count as the extension",
			Checks: []requirements.ID{"tasks-ext-legacy-declaration-not-enough"},
			Needs:  extended(tool()),
			Fix:    "look for the extension among extensions of the client's capabilities only",
			Run:    formerDeclaration,
		},
		{
			ID:     "tasks/ext-missing-capability",
			Title:  "a tool that runs as a task only refuses a client without the extension with -32021, and names the extension",
			Checks: []requirements.ID{"tasks-ext-missing-capability-error"},
			Needs:  extended(tool("required")),
			Fix:    "answer error -32021 with the extension in data.requiredCapabilities.extensions",
			Run:    missingCapability,
		},
		{
			ID:     "tasks/ext-listen-undeclared",
			Title:  "listening for tasks without the extension is refused with -32021",
			Checks: []requirements.ID{"tasks-ext-listen-needs-capability"},
			Needs:  extended(),
			Fix:    "answer subscriptions/listen with taskIds by error -32021 where the request does not declare the extension",
			Run:    listenUndeclared,
		},
		{
			ID:     "tasks/ext-former-not-advertised",
			Title:  "the tasks capability of 2025-11-25 is not advertised",
			Checks: []requirements.ID{"tasks-ext-legacy-capability-not-advertised"},
			Fix:    "leave tasks out of the capabilities in the answer to server/discover",
			Run: func(c *probe.Client) error {
				if declared, given := c.Survey().Capabilities["tasks"]; given {
					return probe.Evidence{}.Violation("capabilities.tasks is %s in the answer to server/discover, want it absent", probe.Show(declared))
				}
				return nil
			},
		},
		{
			ID:     "tasks/ext-task-parameter-ignored",
			Title:  "a task parameter of a call, as 2025-11-25 has it, means nothing",
			Checks: []requirements.ID{"tasks-ext-task-parameter-ignored"},
			Needs:  extended(suite.Role(roles.ReadOnlyTool)),
			Fix:    "ignore params.task",
			Run:    taskParameterIgnored,
		},
		{
			ID:     "tasks/ext-not-at-former-revision",
			Title:  "a client that declares the extension in a handshake is not given its tasks",
			Checks: []requirements.ID{"tasks-ext-not-under-legacy-revision"},
			Needs:  []suite.Need{suite.Trait(probe.DualEra), suite.Role(roles.ReadOnlyTool)},
			Lane:   suite.Alone, // it opens a connection that may be one too many
			Fix:    "ignore the extension in the capabilities of a handshake",
			Run:    notAtFormerRevision,
		},
		{
			ID:     "tasks/ext-former-reachable",
			Title:  "a server that speaks 2026-07-28 too lets a client of 2025-11-25 look at its tasks and cancel them",
			Checks: []requirements.ID{"tasks-ext-legacy-tasks-still-reachable"},
			Needs:  needing(suite.Trait(probe.DualEra), suite.Capability("tasks.cancel"), tool("slow")),
			Fix:    "serve tasks/get and tasks/cancel to clients of 2025-11-25 as before, without asking for the extension",
			Run:    formerReachable,
		},
		{
			ID:     "tasks/ext-only-tool-calls",
			Title:  "no other request than a call of a tool is answered with a task",
			Checks: []requirements.ID{"tasks-ext-only-tool-calls"},
			Fix:    "answer other requests than tools/call with their own results",
			Sees:   "an answer to a client that declares the extension",
			Watch: onDeclared(func(m probe.Message) probe.Opinion {
				id, _ := m.At("/result/taskId")
				if kind, _ := m.At("/result/resultType"); kind == protocol.Task && probe.TextOf(id) != "" && m.Request.Method != "tools/call" &&
					!strings.HasPrefix(m.Request.Method, "tasks/") {
					return probe.Breaks("%s is answered with a task, want its own result", m.Request.Method)
				}
				return probe.Kept()
			}),
		},
		{
			ID:     "tasks/ext-type-only-handle",
			Title:  "the resultType task stands in results only that hold a task",
			Checks: []requirements.ID{"tasks-ext-result-type-only-handle"},
			Fix:    "write the fields of a task beside resultType task, and complete as resultType of a plain result",
			Sees:   "an answer to a client that declares the extension",
			Watch:  onDeclared(onlyHandle),
		},
	}
	for _, method := range []string{getTask, updateTask, cancelTask} {
		cases = append(cases, suite.Case{
			ID:     "tasks/ext-undeclared-" + strings.TrimPrefix(method, "tasks/"),
			Title:  method + " from a client that does not declare the extension is refused with -32021",
			Checks: []requirements.ID{"tasks-ext-operations-need-capability"},
			Needs:  extended(tool()),
			Fix:    "look at the capabilities of each request, and answer " + method + " by error -32021 where the extension is missing",
			Run: func(c *probe.Client) error {
				t := take(able(c), "")
				params := named(t)
				if method == updateTask {
					params = params.With("inputResponses", probe.Object{})
				}
				reply := c.Call(method, params, about(t.id))
				return probe.Unless(reply.WantError(protocol.MissingCapability), unserved(method, reply))
			},
		})
	}
	for _, method := range []string{getResult, listTasks} {
		cases = append(cases, suite.Case{
			ID:     "tasks/ext-removed-" + strings.TrimPrefix(method, "tasks/"),
			Title:  method + " is an unknown method",
			Checks: []requirements.ID{"tasks-ext-result-method-removed"},
			Needs:  extended(),
			Fix:    "answer " + method + " with error -32601 at this revision",
			Run: func(c *probe.Client) error {
				return able(c).Call(method, probe.Object{"taskId": "no-such-" + c.Nonce()}).WantError(protocol.MethodNotFound)
			},
		})
	}
	return cases
}

// onDeclared watches results of requests that declare the extension, from servers that declare
// it too.
func onDeclared(judge func(probe.Message) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if m.Class != frame.Result || m.Request.Extensions()[protocol.TasksExtension] == nil || m.Survey().
			Extensions()[protocol.TasksExtension] == nil {
			return probe.Nothing()
		}
		return judge(m)
	})
}

func noHandleUndeclared(c *probe.Client) error {
	call := callOf(c, "")
	take(able(c), "")
	return plainly(c.CallTool(call, nil))
}

// plainly expects a call not to be answered with a task.
func plainly(reply *probe.Reply) error {
	if kind, _ := reply.At("/result/resultType"); kind == protocol.Task {
		return reply.Violation("$.result.resultType is task, and the request does not declare the extension, want a plain result or error -32021")
	}
	return nil
}

func formerDeclaration(c *probe.Client) error {
	none := probe.Object{}
	former := c.With(c.Capabilities().With("tasks", probe.Object{"list": none, "cancel": none, "requests": none}))
	return probe.Unless(plainly(former.CallTool(callOf(c, ""), nil)), toAnybody())
}

// toAnybody is the cause where the server does not look at what a request declares.
func toAnybody() probe.Elsewhere {
	return probe.Elsewhere{Case: "tasks/ext-no-handle-undeclared", Why: "a request that declares nothing is answered with a task"}
}

func missingCapability(c *probe.Client) error {
	reply := c.CallTool(callOf(c, "required"), nil)
	if problem := plainly(reply); problem != nil {
		return probe.Unless(problem, toAnybody())
	}
	c.Must(reply.WantError(protocol.MissingCapability))
	return probe.Unless(reply.Want(requiredAt, probe.AnObject()),
		probe.Elsewhere{Case: "meta/undeclared-capability-data", Why: "error -32021 does not say what is missing"})
}

func listenUndeclared(c *probe.Client) error {
	l := subscriptions.Listen(c, probe.Object{"taskIds": []any{"no-such-" + c.Nonce()}})
	if acknowledged, ok := l.Opened(); ok {
		return probe.Shown(acknowledged).Violation("listening for tasks without the extension is acknowledged, want error -32021")
	}
	reply := l.Reply()
	c.NotSeenIf(reply.HasCode(protocol.MethodNotFound), "the server has no subscriptions")
	return reply.WantError(protocol.MissingCapability)
}

func taskParameterIgnored(c *probe.Client) error {
	call := c.Role(roles.ReadOnlyTool).Call()
	usual := c.CallTool(call, nil)
	c.Require(usual.WantResult(), "the tool of roles.read-only-tool does not answer")
	reply := c.CallTool(call, probe.Object{"task": probe.Object{"ttl": lifetime}})
	_, made := reply.At("/result/task")
	if !reply.Served() || made {
		return probe.Shown(usual, reply).Violation("%s with a task parameter, want the result of the call without it",
			reply.AnswerTo("tools/call"))
	}
	return nil
}

func notAtFormerRevision(c *probe.Client) error {
	declaring := c.With(c.Capabilities().With("extensions", probe.Object{protocol.TasksExtension: probe.Object{}}))
	reply := declaring.CallTool(c.Role(roles.ReadOnlyTool).Call(), nil)
	if kind, _ := reply.At("/result/resultType"); kind == protocol.Task {
		return reply.Violation("$.result.resultType is task at 2025-11-25, want the result of the call")
	}
	return nil
}

// formerReachable allows error -32602 of a task that is over already.
func formerReachable(c *probe.Client) error {
	t := create(c, "slow")
	for _, reply := range []*probe.Reply{get(c, t), c.Call(cancelTask, named(t))} {
		if reply.HasCode(protocol.MethodNotFound) || reply.HasCode(protocol.MissingCapability) {
			return probe.Shown(t, reply).Violation("%s, want the task, which this client made", reply.Outcome())
		}
	}
	return nil
}

// onlyHandle names the record of 2025-11-25, which stood in a property of its own.
func onlyHandle(m probe.Message) probe.Opinion {
	kind, _ := m.At("/result/resultType")
	if _, given := m.At("/result/taskId"); kind != protocol.Task || given {
		return probe.Kept()
	}
	if _, former := m.At("/result/task/taskId"); former {
		return probe.Breaks("the task stands in %s, as at 2025-11-25, want its fields beside resultType, %s among them", m.Where("/result/task"),
			m.Where("/result/taskId"))
	}
	return probe.Breaks("%s is task, and %s is absent, want another resultType", m.Where("/result/resultType"), m.Where("/result/taskId"))
}
