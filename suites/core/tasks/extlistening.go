package tasks

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

const taskTold = "notifications/tasks"

// ofTask is the task that a frame tells of; empty if it tells of none.
func ofTask(s probe.Seen) string {
	m, _ := subscriptions.Told(s, taskTold)
	id, _ := m.At("/params/taskId")
	return probe.TextOf(id)
}

// stateTold is the status that a frame tells of.
func stateTold(s probe.Seen) string {
	m, _ := subscriptions.Told(s, taskTold)
	status, _ := m.At("/params/status")
	return probe.TextOf(status)
}

// listenFor listens for a task. It ends the case where the server does not acknowledge that
// it tells of the task: nothing would come.
func listenFor(a *probe.Client, t task) *subscriptions.Listening {
	l := subscriptions.Listen(a, probe.Object{"taskIds": []any{t.id}})
	filter, _ := l.MustOpen().Message().At("/params/notifications/taskIds")
	a.NotSeenIf(!slices.Contains(probe.Strings(filter), t.id), "the server does not acknowledge that it tells of the task")
	return l
}

// toldFits expects the fields of a task in what a frame tells of one.
func toldFits(l *subscriptions.Listening, s probe.Seen) error {
	m, _ := subscriptions.Told(s, taskTold)
	for _, f := range recordFields() {
		value, given := m.At("/params/" + f.name)
		if !given {
			value = probe.Absent{}
		}
		if fits, _ := f.want.Match(value); !fits {
			return probe.Shown(l, s).Violation("$.params.%s of %s is %s, want %s", f.name, taskTold, probe.Show(value), f.want.FailureMessage(nil))
		}
	}
	return nil
}

// notificationComplete judges the fields of all news, and the first news of the end, of whatever task.
func notificationComplete(c *probe.Client) error {
	a := able(c)
	t := take(a, "slow")
	l := listenFor(a, t)
	told, came := l.Await(c.Waits().Max, func(s probe.Seen) bool {
		_, news := subscriptions.Told(s, taskTold)
		return news && l.Tells(s) && (toldFits(l, s) != nil || ofTask(s) != t.id || over(stateTold(s)))
	})
	c.NotSeenIf(!came, "no notification told of the end of the task")
	c.Must(toldFits(l, told))
	m, _ := subscriptions.Told(told, taskTold)
	if ofTask(told) != t.id {
		return probe.Shown(l, told).Violation("$.params.taskId of %s is %s, and the subscription names %s, want that one", taskTold,
			probe.Show(ofTask(told)), probe.Show(t.id))
	}
	last := look(a, t)
	c.NotSeenIf(gone(last), "the server does not keep the task once it told of its end")
	c.NotSeenIf(!isStatus(statusOf(last)), "tasks/get does not show the state of the task, which tasks/ext-status-shape judges")
	for _, name := range []string{"status", "result", "error"} {
		said, _ := m.At("/params/" + name)
		if got, _ := last.At("/result/" + name); !probe.Same(said, got) {
			return probe.Shown(told, last).Violation("$.params.%s of %s differs from what tasks/get has, want the same", name, taskTold)
		}
	}
	return nil
}

func noProgressOnListen(c *probe.Client) error {
	a := able(c)
	t := taken(c, a.CallTool(callOf(c, "progress"), probe.Object{"_meta": probe.Object{"progressToken": "kit-" + c.Nonce()}}))
	l := subscriptions.Listen(a, probe.Object{"taskIds": []any{t.id}})
	l.MustOpen()
	from := a.Mark()
	finish(a, t)
	subscriptions.Settle(a)
	for _, s := range a.Since(from) {
		for _, method := range []string{"notifications/progress", "notifications/message"} {
			if subscriptions.Says(s, method) {
				return probe.Shown(t, s).Violation("%s comes while the client listens for the task, want none of a task", method)
			}
		}
	}
	return nil
}

func authorized(c *probe.Client) error {
	a := able(c)
	own := take(a, "")
	reply := a.Call(getTask, named(own), about(own.id), probe.As("second"))
	if reply.Served() {
		return probe.Shown(own, reply).Violation("tasks/get from principals.second is served for a task of principals.first, want a refusal")
	}
	return nil
}

// listenAuthorized listens as the owner too, to see that something is told at all.
func listenAuthorized(c *probe.Client) error {
	a := able(c)
	t := take(a, "slow")
	from, own := a.Mark(), listenFor(a, t)
	other := subscriptions.Listen(a, probe.Object{"taskIds": []any{t.id}}, probe.As("second"))
	if _, open := other.Opened(); !open {
		return nil
	}
	_, came := own.Await(c.Waits().Max, func(s probe.Seen) bool { return own.Tells(s) && ofTask(s) == t.id && over(stateTold(s)) })
	subscriptions.Settle(a)
	for _, s := range other.Told(from) {
		if ofTask(s) == t.id {
			return probe.Shown(t, other, s).Violation("%s tells principals.second of a task of principals.first, want it told to nobody else",
				taskTold)
		}
	}
	c.NotSeenIf(!came, "no notification told of the end of the task")
	return nil
}
