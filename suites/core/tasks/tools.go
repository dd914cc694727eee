package tasks

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// toolCases judge what tools say of tasks, and calls in the other way.
func toolCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/tool-support",
			Title:  "the taskSupport of a tool is forbidden, optional or required",
			Checks: []requirements.ID{"tasks-tool-support-values"},
			Needs:  []suite.Need{suite.Capability("tools")},
			Fix:    "write forbidden, optional or required as execution.taskSupport, or leave it out",
			Owns:   []suite.Part{{Of: "tools/list", At: "/tools/*/execution/taskSupport"}},
			Run: probe.EachItem(protocol.Tools(), func(_ *probe.Client, i probe.Item) probe.Opinion {
				given, said := probe.ObjectOf(i.Get("execution"))["taskSupport"]
				if text, _ := given.(string); said && !slices.Contains([]string{"forbidden", "optional", "required"}, text) {
					return probe.Breaks("%s is %s, want forbidden, optional or required", i.Where("execution", "taskSupport"), probe.Show(given))
				}
				return probe.Kept()
			}),
		},
		{
			ID:     "tasks/tool-forbidden",
			Title:  "calling a tool as a task that does not support it yields -32601",
			Checks: []requirements.ID{"tasks-tool-forbidden"},
			Needs:  needing(),
			Fix:    "answer error -32601 where a tool without taskSupport optional or required is called with a task parameter",
			Run:    toolForbidden,
		},
		{
			ID:     "tasks/tool-required",
			Title:  "calling a tool without a task that requires one yields -32601",
			Checks: []requirements.ID{"tasks-tool-required"},
			Needs:  needing(tool("required")),
			Fix:    "answer error -32601 where a tool with taskSupport required is called without a task parameter",
			Run:    toolRequired,
		},
	}
}

// toolForbidden calls a tool that only reads.
func toolForbidden(c *probe.Client) error {
	for _, safe := range c.Survey().Safe {
		if s := support(c.Survey(), safe.Tool); s == "" || s == "forbidden" {
			return c.Call("tools/call", probe.Object{
				"name": safe.Tool, "arguments": safe.Arguments, "task": probe.Object{"ttl": lifetime},
			}).WantError(protocol.MethodNotFound)
		}
	}
	c.NotSeen("no tool that only reads refuses to run as a task")
	return nil
}

// toolRequired takes -32600: the page has that code for a request type that needs tasks.
func toolRequired(c *probe.Client) error {
	call := callOf(c, "required")
	c.NotSeenIf(support(c.Survey(), call.Tool) != "required", "the tool of roles.task-tool.required does not list taskSupport required")
	reply := c.CallTool(call, nil)
	if reply.HasCode(protocol.InvalidRequest) {
		c.Note("the code is -32600, which the page has for all calls at once; for one tool it is -32601")
		return nil
	}
	return reply.WantError(protocol.MethodNotFound)
}
