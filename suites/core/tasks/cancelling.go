package tasks

import (
	"encoding/json"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// cancelCases judge what becomes of tasks that a client cancels.
func cancelCases() []suite.Case {
	cancels := suite.Capability("tasks.cancel")
	return []suite.Case{
		{
			ID:     "tasks/cancel-terminal-refused",
			Title:  "cancelling a task that is over is refused as invalid params",
			Checks: []requirements.ID{"tasks-cancel-terminal-refused"},
			Needs:  needing(cancels, tool()),
			Fix:    "answer tasks/cancel of a task that is completed, failed or cancelled with error -32602",
			Run:    cancelTerminalRefused,
		},
		{
			ID:       "tasks/cancel-takes-effect",
			Title:    "a task that is cancelled while it works is cancelled in the answer",
			Checks:   []requirements.ID{"tasks-cancel-takes-effect"},
			Needs:    needing(cancels, tool("slow")),
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.TaskTool,
			Fix:      "set the status to cancelled before tasks/cancel is answered with the record",
			Run:      cancelTakesEffect,
		},
		{
			ID:       "tasks/cancel-stops-work",
			Title:    "a task that is cancelled has no effect any more",
			Checks:   []requirements.ID{"tasks-cancel-stops-work"},
			Needs:    needing(cancels, tool("slow"), tool("observe")),
			Lane:     suite.Waits,
			Contends: true,
			Observes: roles.TaskTool,
			Fix:      "pass the cancellation of a task on to the work, and look for it between two steps",
			Run:      cancelStopsWork,
		},
		{
			ID:       "tasks/cancel-sticks",
			Title:    "a task that was cancelled stays so when its work would be done",
			Checks:   []requirements.ID{"tasks-cancel-sticks"},
			Needs:    needing(cancels, tool("slow")),
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.TaskTool,
			Fix:      "drop the result of a task that was cancelled, and keep its status",
			Run:      cancelSticks,
		},
		{
			ID:       "tasks/cancel-notification-ignored",
			Title:    "notifications/cancelled for the call of a task leaves the task alone",
			Checks:   []requirements.ID{"tasks-cancel-notification-ignored"},
			Needs:    needing(tool("slow")),
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.TaskTool,
			Fix:      "ignore notifications/cancelled for a call that was answered with a task",
			Run:      cancelNotificationIgnored,
		},
		{
			ID:       "tasks/result-of-cancelled",
			Title:    "tasks/result of a task that was cancelled is answered",
			Checks:   []requirements.ID{"tasks-result-of-finished"},
			Needs:    needing(cancels, tool("slow")),
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.TaskTool,
			Fix:      "answer tasks/result of a task that was cancelled with an error, or with what the tool had done",
			Run:      resultOfCancelled,
		},
		{
			ID:       "tasks/result-awaits-cancel",
			Title:    "tasks/result that waits for a task is answered when the task is cancelled",
			Checks:   []requirements.ID{"tasks-result-of-finished"},
			Needs:    needing(cancels, tool("slow")),
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.TaskTool,
			Fix:      "let tasks/cancel wake whoever waits in tasks/result for the task",
			Run:      resultAwaitsCancel,
		},
	}
}

func cancel(c *probe.Client, t task) *probe.Reply { return c.Call(cancelTask, named(t)) }

func cancelTerminalRefused(c *probe.Client) error {
	t := create(c, "")
	end(c, t)
	return cancel(c, t).WantError(protocol.InvalidParams)
}

// cancelSlow ends the case where the task was over before it could be cancelled.
func cancelSlow(c *probe.Client, t task) *probe.Reply {
	c.Cleanup(func() { cancel(c, t) })
	reply := cancel(c, t)
	c.UndecideIf(reply.Failed() && ended(get(c, t)), "the task was over before it could be cancelled; let roles.task-tool.slow take longer")
	return reply
}

func cancelTakesEffect(c *probe.Client) error {
	reply := cancelSlow(c, create(c, "slow"))
	return probe.Unless(reply.Want("/result/status", probe.Equal(cancelled)), stateless(reply))
}

// cancelStopsWork compares the effect with that of a second task, which is not cancelled. Where
// the observation sees the effects of both, the second one is over before the first begins.
func cancelStopsWork(c *probe.Client) error {
	call, other := callOf(c, "slow"), callOf(c, "slow")
	var before probe.State
	var t task
	giveUp := func() {
		before = c.Observe(call)
		t = created(c, ask(c, call, nil))
		cancelSlow(c, t)
	}
	observe, _ := c.Role(roles.TaskTool).Fields().Observe()
	if observe.Private() {
		giveUp()
	}
	idle, began := c.Observe(other), time.Now()
	end(c, created(c, ask(c, other, nil)))
	c.UndecideIf(idle.Same(c.Observe(other)), "a task that is not cancelled has no effect either")
	wait := c.Waits().Event // two tasks that end together may have their effects in any order
	if !observe.Private() {
		wait += time.Since(began)
		giveUp()
	}
	c.Pause(wait)
	if after := c.Observe(call); !before.Same(after) {
		return probe.Shown(t, before, after).Violation("a task that was cancelled while it worked has its effect, want none")
	}
	return nil
}

// cancelSticks waits for a second task, which tells when the first would be over.
func cancelSticks(c *probe.Client) error {
	t := create(c, "slow")
	reply := cancelSlow(c, t)
	c.NotSeenIf(statusOf(reply) != cancelled, "the task was not cancelled, which tasks/cancel-takes-effect judges")
	end(c, create(c, "slow"))
	late := get(c, t)
	if status := statusOf(late); late.Served() && status != cancelled {
		return probe.Shown(reply, late).Violation("$.result.status is %s of a task that was cancelled, want cancelled", status).
			Unless(unknownStatus(status), sharedID())
	}
	return nil
}

func cancelNotificationIgnored(c *probe.Client) error {
	p := c.StartTool(callOf(c, "slow"), probe.Object{"task": probe.Object{"ttl": lifetime}})
	reply := p.Reply()
	id, _ := reply.At("/result/task/taskId")
	t := created(c, task{reply, probe.TextOf(id)})
	c.Notify("notifications/cancelled", probe.Object{"requestId": json.RawMessage(p.ID()), "reason": "the client looks at the task instead"})
	last, found := poll(c, t, ended)
	if statusOf(last) == cancelled {
		return probe.Shown(t, last).Violation("$.result.status is cancelled after notifications/cancelled for the call, want the task unchanged")
	}
	c.UndecideIf(!found, unended(c, last))
	return nil
}

// resultOfCancelled judges only that an answer comes: an error is one, and so is what the tool
// had done so far. A server that cannot stop the work may answer when the work is done, which a
// second task tells.
func resultOfCancelled(c *probe.Client) error {
	t := create(c, "slow")
	reply := cancelSlow(c, t)
	c.NotSeenIf(statusOf(reply) != cancelled, "the task was not cancelled, which tasks/cancel-takes-effect judges")
	if !c.Call(getResult, named(t), probe.Within(c.Waits().Event)).Silent() {
		return nil // what is late is asked for again
	}
	end(c, create(c, "slow"))
	result := c.Call(getResult, named(t))
	now := get(c, t)
	c.NotSeenIf(statusOf(now) != cancelled, "the server does not keep the task as cancelled")
	if result.Silent() {
		return probe.Shown(result, now).Violation("%s of a task that is cancelled, want an error, or what the call came to",
			result.AnswerTo(getResult))
	}
	return nil
}

// resultAwaitsCancel is resultOfCancelled for a request that waits. It leaves a server that never
// answers for a cancelled task to that case.
func resultAwaitsCancel(c *probe.Client) error {
	t := create(c, "slow")
	waiting := c.Start(getResult, named(t), probe.Within(c.Waits().Max))
	over := false
	c.Cleanup(func() {
		if !over {
			waiting.Cancel("the task was cancelled")
		}
	})
	subscriptions.Settle(c)
	reply := cancelSlow(c, t)
	c.NotSeenIf(statusOf(reply) != cancelled, "the task was not cancelled, which tasks/cancel-takes-effect judges")
	answered := func() bool {
		_, over = waiting.Await(subscriptions.Due(c), waiting.Answers)
		return over
	}
	if answered() {
		return nil
	}
	end(c, create(c, "slow")) // the work of a server that cannot stop it is done by then
	if answered() {
		return nil
	}
	if waiting.Closed() { // the answer may be on a stream that the client resumes
		if over = waiting.Reply().Answered(); over {
			return nil
		}
	}
	now, result := get(c, t), c.Call(getResult, named(t), probe.Within(subscriptions.Due(c)))
	c.NotSeenIf(statusOf(now) != cancelled, "the server does not keep the task as cancelled")
	c.NotSeenIf(result.Silent(), "tasks/result of a cancelled task is not answered, which tasks/result-of-cancelled judges")
	return probe.Shown(waiting, reply, now, result).Violation(
		"tasks/result that waited is not answered when the task is cancelled, and one sent afterwards is, want both answered")
}
