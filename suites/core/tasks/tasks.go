// Package tasks holds the cases of basic/utilities/tasks of 2025-11-25, and of the
// extension that takes its place since 2026-07-28: calls that work on after their answer.
package tasks

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "tasks",
		Title: "a call that becomes a task can be looked at, awaited and cancelled by the client that made it",
		Cases: slices.Concat(capabilityCases(), toolCases(), creationCases(), stateCases(), recordCases(), resultCases(), parallelCases(),
			cancelCases(), listCases(), errorCases(), isolationCases(), inputCases(), extCapabilityCases(), extTaskCases(),
			[]suite.Case{extInputCase()}),
	}
}

// calls is the capability of a server of 2025-11-25 whose tools run as tasks.
const calls = "tasks.requests.tools.call"

// The methods, and the states of tasks.
const (
	getTask    = "tasks/get"
	getResult  = "tasks/result"
	cancelTask = "tasks/cancel"
	listTasks  = "tasks/list"

	working       = "working"
	inputRequired = "input_required"
	completed     = "completed"
	failed        = "failed"
	cancelled     = "cancelled"
)

// relatedAt is where a message names the task that it belongs to.
const relatedAt = "/_meta/io.modelcontextprotocol~1related-task"

// needing are needs of a case of 2025-11-25, with what all of them need.
func needing(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Capability(calls)}, more...)
}

func tool(field ...string) suite.Need { return suite.Role(roles.TaskTool, field...) }

// lifetime is what the kit asks for: tasks of servers that keep all of them should not stay.
const lifetime = 60_000

// A task is one that the client made.
type task struct {
	*probe.Reply // to the call
	id           string
}

// callOf is a call of the role's own tool, or of the tool of a field.
func callOf(c *probe.Client, field string) *probe.ToolCall {
	if field == "" {
		return c.Role(roles.TaskTool).Call()
	}
	return c.Role(roles.TaskTool).Field(field)
}

// ask calls a tool as a task. Further members stand in its params.
func ask(c *probe.Client, call *probe.ToolCall, beside probe.Object) task {
	params := probe.Object{"task": probe.Object{"ttl": lifetime}}
	for name, value := range beside {
		params[name] = value
	}
	reply := c.CallTool(call, params)
	id, _ := reply.At("/result/task/taskId")
	return task{reply, probe.TextOf(id)}
}

// create is ask for cases that rest on the task: without one they end.
func create(c *probe.Client, field string) task { return created(c, ask(c, callOf(c, field), nil)) }

func created(c *probe.Client, t task) task {
	c.UndecideIf(t.id == "", "the call was not answered with a task: "+t.Outcome())
	return t
}

func named(t task) probe.Object { return probe.Object{"taskId": t.id} }

func get(c *probe.Client, t task) *probe.Reply { return c.Call(getTask, named(t)) }

func statusOf(r *probe.Reply) string {
	status, _ := r.At("/result/status")
	return probe.TextOf(status)
}

func over(status string) bool { return status == completed || status == failed || status == cancelled }

// gone reports whether the server says that it does not have the task any more.
func gone(r *probe.Reply) bool { return r.HasCode(protocol.InvalidParams) }

// poll looks at the task until the answer fits, shows no state, or waits.max is over. It looks as
// often as the server suggests, within reason.
func poll(c *probe.Client, t task, fits func(*probe.Reply) bool) (last *probe.Reply, found bool) {
	for began := time.Now(); ; {
		last = get(c, t)
		switch {
		case fits(last):
			return last, true
		case !isStatus(statusOf(last)), time.Since(began) > c.Waits().Max:
			return last, false
		}
		c.Pause(interval(last, "/result/pollInterval"))
	}
}

// interval is how long the server wants a client to wait, between 50 ms and a second.
func interval(r *probe.Reply, at string) time.Duration {
	value, _ := r.At(at)
	n, _ := probe.NumberOf(value)
	return min(max(time.Duration(n)*time.Millisecond, 50*time.Millisecond), time.Second)
}

func ended(r *probe.Reply) bool { return over(statusOf(r)) }

// end waits for the end of the task. Without one the case ends.
func end(c *probe.Client, t task) *probe.Reply {
	last, found := poll(c, t, ended)
	c.UndecideIf(!found, unended(c, last))
	return last
}

// unended says what a last look shows of a task that was not seen to end.
func unended(c *probe.Client, last *probe.Reply) string {
	if !isStatus(statusOf(last)) {
		return "tasks/get does not show the state of the task: " + last.Outcome()
	}
	return "the task did not end within " + c.Waits().Max.String() + ": " + last.Outcome()
}

// A plain task is one of the role's own tool, looked at until it is over, and its result.
type plain struct {
	task
	call        *probe.ToolCall
	end, result *probe.Reply
}

func ordinary(c *probe.Client) plain {
	return probe.Once(c, "tasks:plain", func() (plain, bool) {
		call := callOf(c, "")
		t := created(c, ask(c, call, nil))
		p := plain{task: t, call: call, end: end(c, t)}
		p.result = c.Call(getResult, named(t))
		return p, true
	})
}

// support is what a listed tool says of tasks; empty for a tool that says nothing.
func support(s *probe.Survey, name string) string {
	for _, one := range s.Tools {
		if o := probe.ObjectOf(one); o["name"] == name {
			return probe.TextOf(probe.ObjectOf(o["execution"])["taskSupport"])
		}
	}
	return ""
}
