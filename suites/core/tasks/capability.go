package tasks

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// capabilityCases judge what is declared, and what is done without a declaration.
func capabilityCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/capability-declared",
			Title:  "a server that answers a call with a task declares tasks.requests.tools.call",
			Checks: []requirements.ID{"tasks-capability-declared"},
			Needs:  []suite.Need{suite.Role(roles.ReadOnlyTool)},
			Fix:    "declare tasks.requests.tools.call in the answer to initialize as soon as a tool runs as a task",
			Run:    capabilityDeclared,
		},
		{
			ID:     "tasks/capability-shape",
			Title:  "the tasks capability and what it holds are objects",
			Checks: []requirements.ID{"tasks-capability-shape"},
			Needs:  []suite.Need{suite.Capability("tasks")},
			Fix:    "write an empty object for list, cancel and requests.tools.call, and leave out what is not served",
			Owns:   []suite.Part{{Of: "initialize", At: "/capabilities/tasks"}},
			Run:    capabilityShape,
		},
		{
			ID:     "tasks/undeclared-ignored",
			Title:  "a server that does not declare tasks serves a call with a task parameter like any other",
			Checks: []requirements.ID{"tasks-undeclared-ignored"},
			Needs:  []suite.Need{suite.Role(roles.ReadOnlyTool)},
			Fix:    "ignore params.task where tasks are not supported",
			Run:    undeclaredIgnored,
		},
		undeclared("list", listTasks), undeclared("cancel", cancelTask),
	}
}

func undeclared(member, method string) suite.Case {
	return suite.Case{
		ID:     "tasks/undeclared-" + member,
		Title:  method + " is an unknown method where tasks." + member + " is not declared",
		Checks: []requirements.ID{"tasks-undeclared-operations"},
		Needs:  []suite.Need{suite.Capability("tasks")},
		Fix:    "declare tasks." + member + ", or answer " + method + " with error -32601",
		Run: func(c *probe.Client) error {
			undeclaredOnly(c, "tasks."+member)
			return c.Call(method, probe.Object{"taskId": "no-such-" + c.Nonce()}).WantError(protocol.MethodNotFound)
		},
	}
}

// capabilityDeclared calls a tool as a task that only reads.
func capabilityDeclared(c *probe.Client) error {
	if c.Survey().Declares(calls) {
		return nil
	}
	t := ask(c, c.Role(roles.ReadOnlyTool).Call(), nil)
	c.NotSeenIf(t.id == "", "the server answers a call with a task parameter as it answers any other")
	return t.Violation("a call is answered with a task, and the server does not declare %s, want it declared", calls)
}

// capabilityShape takes booleans: the page calls the members so, the schema has objects.
func capabilityShape(c *probe.Client) error {
	tasks := c.Survey().Capabilities["tasks"]
	requests := probe.ObjectOf(probe.ObjectOf(tasks)["requests"])
	for _, one := range []struct {
		path  string
		value any
	}{
		{"", tasks},
		{".list", probe.Member(probe.ObjectOf(tasks), "list")},
		{".cancel", probe.Member(probe.ObjectOf(tasks), "cancel")},
		{".requests", probe.Member(probe.ObjectOf(tasks), "requests")},
		{".requests.tools", probe.Member(requests, "tools")},
		{".requests.tools.call", probe.Member(probe.ObjectOf(requests["tools"]), "call")},
	} {
		switch one.value.(type) {
		case probe.Absent, map[string]any:
		case bool:
			c.Note(fmt.Sprintf("capabilities.tasks%s is a boolean; the schema has an object", one.path))
		default:
			return probe.Evidence{}.Violation("capabilities.tasks%s is %s, want an object", one.path, probe.Show(one.value))
		}
	}
	return nil
}

// undeclaredOnly ends the case where the server declares a capability, or where nobody can tell.
func undeclaredOnly(c *probe.Client, capability string) {
	c.NotSeenIf(c.Survey().Declares(capability), "the server declares "+capability)
	c.NotSeenIf(probe.Misdeclared(c.Survey().Capabilities, capability),
		"it cannot be told whether the server declares "+capability+", which lifecycle/capability-shapes and tasks/capability-shape judge")
}

// undeclaredIgnored asks for no more than a warning: the page also says that a tool which
// does not run as a task is refused with -32601.
func undeclaredIgnored(c *probe.Client) error {
	undeclaredOnly(c, calls)
	call := c.Role(roles.ReadOnlyTool).Call()
	usual := c.CallTool(call, nil)
	c.Require(usual.WantResult(), "the tool of roles.read-only-tool does not answer")
	t := ask(c, call, nil)
	c.NotSeenIf(t.id != "", "the call is answered with a task, which tasks/capability-declared judges")
	if !t.Served() {
		c.UndecideIf(!c.CallTool(call, nil).Served(), "the same call without a task parameter is not served any more")
		return probe.AtMostWarn(probe.Shown(usual, t).Violation(
			"%s with a task parameter, which the server does not support, want the result of the call without it", t.AnswerTo("tools/call")))
	}
	return nil
}
