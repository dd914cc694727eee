package tasks

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// extTaskCases judge the tasks of the extension.
func extTaskCases() []suite.Case {
	row := func(slug, title, fix string, rule requirements.ID, run func(*probe.Client) error, needs ...suite.Need) suite.Case {
		return suite.Case{
			ID: "tasks/ext-" + slug, Title: title, Fix: fix, Checks: []requirements.ID{rule}, Needs: extended(needs...), Run: run,
		}
	}
	slow := func(c suite.Case) suite.Case { c.Lane = suite.Waits; return c }
	second := []suite.Need{suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"), tool()}
	return []suite.Case{
		row("handle", "a task is handed out with resultType task, and its fields beside that",
			"write resultType task and the fields of the task into the result", "tasks-ext-result-type-task", handle, tool()),
		row("durable", "a task can be looked at as soon as it is handed out", "keep the task before the call is answered",
			"tasks-ext-durable-before-answer", durable, tool()),
		slow(row("status-shape", "tasks/get is answered with the fields of the task, and what its status calls for",
			"write the fields of the task at the top of the result, and inputRequests while input is required", "tasks-ext-get-status-shape",
			statusShape, tool())),
		{
			ID: "tasks/ext-type-complete", Title: "tasks/get, tasks/update and tasks/cancel are answered with resultType complete",
			Fix: "write complete as resultType", Checks: []requirements.ID{"tasks-ext-get-result-type-complete"},
			Sees: "an answer to tasks/get, tasks/update or tasks/cancel", Watch: onDeclared(typeComplete),
		},
		slow(row("inputs-complete", "a task that asks for several things at once lists all of them", "put every open request into inputRequests",
			"tasks-ext-input-requests-complete", inputsComplete, tool("two-inputs"))),
		slow(row("keys-unique", "no two requests of a task have the same key", "count the requests of a task, and make their keys of the numbers",
			"tasks-ext-input-request-keys-unique", keysUnique, tool("two-inputs"))),
		slow(row("update-acknowledged", "tasks/update is answered with an empty result",
			"answer tasks/update with resultType complete, and nothing of the task",
			"tasks-ext-update-acknowledged", updateAcknowledged, tool("input"))),
		slow(row("unknown-keys-ignored", "answers to what was not asked are ignored",
			"take the answers that are due out of inputResponses, and ignore the others",
			"tasks-ext-update-unknown-keys-ignored", unknownKeysIgnored, tool("input"))),
		slow(row("cancel-acknowledged", "tasks/cancel is answered with an empty result",
			"answer tasks/cancel with resultType complete, and nothing of the task", "tasks-ext-cancel-acknowledged", func(c *probe.Client) error {
				a := able(c)
				t := take(a, "slow")
				reply := stop(a, t)
				c.NotSeenIf(gone(reply) && gone(look(a, t)), "the server does not have the task that it handed out, which tasks/ext-durable judges")
				return bareResult(reply)
			}, tool("slow"))),
		row("unknown-id-get", "tasks/get of a task that does not exist is refused as invalid params",
			"answer error -32602 where no task has the id", "tasks-ext-unknown-id-get", unknownTo(getTask)),
		row("unknown-id-update", "tasks/update of a task that does not exist is refused as invalid params",
			"answer error -32602 where no task has the id", "tasks-ext-unknown-id-update-cancel", unknownTo(updateTask)),
		row("unknown-id-cancel", "tasks/cancel of a task that does not exist is refused as invalid params",
			"answer error -32602 where no task has the id", "tasks-ext-unknown-id-update-cancel", unknownTo(cancelTask)),
		slow(row("tool-error-completed", "a task whose result is marked as an error is completed",
			"end a task as failed only where the call ends with a JSON-RPC error",
			"tasks-ext-failed-only-protocol-errors", toolErrorCompleted, tool("failing"))),
		slow(row("failed-error", "a task that failed holds the JSON-RPC error", "put the code and the message of the error into error",
			"tasks-ext-failed-has-error", failedError, tool("protocol-error"))),
		slow(row("failed-message", "a task that failed says why in a message", "write the cause into statusMessage when a task fails",
			"tasks-ext-failed-message", extFailedMessage, tool("protocol-error"))),
		slow(row("completed-result", "a task that is completed holds the result of its call", "put the result of the tool into result",
			"tasks-ext-completed-has-outcome", completedResult, tool())),
		slow(row("notification", "a notification about a task says what tasks/get would say", "send the whole record in "+taskTold+
			", with result or error", "tasks-ext-notification-complete-task", notificationComplete, tool("slow"))),
		slow(row("no-progress-on-listen", "progress and log messages of a task do not come with its subscription", "send nothing but "+taskTold+
			" about a task", "tasks-ext-no-progress-on-listen", noProgressOnListen, tool("progress"))),
		row("id-unguessable", "the ids of tasks cannot be guessed", "make taskId of at least 128 random bits, such as a random UUID",
			"tasks-ext-id-unguessable", func(c *probe.Client) error {
				a := able(c)
				return guessable(func() (string, *probe.Reply) { t := take(a, ""); return t.id, t.Reply })
			}, tool()),
		row("authorized", "a task is refused to another identity", "keep with each task who made it, and refuse requests of everybody else",
			"tasks-ext-authorization-per-request", authorized, second...),
		slow(row("listen-authorized", "a task is not told to another identity", "tell of a task only who made it, whoever names its id",
			"tasks-ext-authorization-per-request", listenAuthorized, append(second[:2:2], tool("slow"))...)),
		row("informative-errors", "the error for a task that does not exist says so", "write into the message of the error what is wrong",
			"tasks-ext-informative-errors", func(c *probe.Client) error {
				id := "no-such-" + c.Nonce()
				return informative(c, able(c).Call(getTask, probe.Object{"taskId": id}, about(id)))
			}),
		row("internal-error", "a failure inside the server is answered with error -32603",
			"answer error -32603 where a task cannot be read for a reason inside the server",
			"tasks-ext-internal-error", extInternalError, suite.Role(roles.Failure, "tasks")),
		slow(row("asks-before-handle", "a tool that asks before it begins does so ahead of the task",
			"collect the first answers by results with input_required, and hand the task out then",
			"tasks-ext-mrtr-before-handle", asksBeforeHandle, tool("input-first"))),
	}
}

// handle judges the fields too. All other cases pass over a task without an id that can be used.
func handle(c *probe.Client) error {
	reply := able(c).CallTool(callOf(c, ""), nil)
	if id, there := reply.At("/result/taskId"); there && probe.TextOf(id) == "" {
		return reply.Violation("$.result.taskId is %s, want a string that names the task", probe.Show(id))
	}
	t := taken(c, reply)
	kind, _ := reply.At("/result/resultType")
	c.NotSeenIf(probe.TextOf(kind) == "", "the result has no resultType that is a string, which jsonrpc/result-type-present judges")
	c.Must(t.Want("/result/resultType", probe.Equal(protocol.Task)))
	return recordFits(t.Reply)
}

// A field is a member of the record of a task, and what the extension wants there: it has no schema of
// its own in the kit.
type field struct {
	name string
	want probe.Matcher
}

func recordFields() []field {
	milliseconds := probe.That("a number of milliseconds, or null", func(v any) bool {
		_, number := probe.NumberOf(v)
		return number || v == nil
	})
	moment := probe.That("a time in ISO 8601", func(v any) bool { return isMoment(probe.TextOf(v)) })
	return []field{
		{"taskId", probe.AString()},
		{"status", probe.That("working, input_required, completed, failed or cancelled", func(v any) bool { return isStatus(probe.TextOf(v)) })},
		{"createdAt", moment},
		{"lastUpdatedAt", moment},
		{"ttlMs", milliseconds},
		{"pollIntervalMs", probe.OrMissing(milliseconds)},
	}
}

// recordFits expects the fields of a task at the top of the result.
func recordFits(r *probe.Reply) error {
	if wrapped(r.Message()) {
		return r.Violation("$.result.task is the record, want its fields at the top of the result")
	}
	for _, f := range recordFields() {
		if err := r.Want("/result/"+f.name, f.want); err != nil {
			return err
		}
	}
	return nil
}

func durable(c *probe.Client) error {
	a := able(c)
	t := take(a, "")
	if reply := look(a, t); gone(reply) {
		return probe.Shown(t, reply).Violation("tasks/get is answered by error -32602 right after the task was handed out, want the task")
	}
	return nil
}

// statusShape judges the last answer, whether the task is over or not.
func statusShape(c *probe.Client) error {
	a := able(c)
	t := take(a, "")
	last, _ := follow(a, t, ended)
	if last.HasCode(protocol.MethodNotFound) {
		return probe.Shown(t, last).Violation("tasks/get is answered by error -32601, want the task")
	}
	c.UndecideIf(!last.Served(), unended(a, last))
	c.Must(recordFits(last))
	made, _ := t.At("/result/createdAt")
	if kept, _ := last.At("/result/createdAt"); apart(kept, made) {
		const moved = "$.result.createdAt is %s of a task that was created at %s, want it to stay"
		return probe.Shown(t, last).Violation(moved, probe.Show(kept), probe.Show(made))
	}
	return nil
}

// typeComplete passes over the type task on the record of a task that is over: two examples of
// the specification have it.
func typeComplete(m probe.Message) probe.Opinion {
	if !slices.Contains([]string{getTask, updateTask, cancelTask}, m.Request.Method) {
		return probe.Nothing()
	}
	kind, _ := m.At("/result/resultType")
	status, _ := m.At("/result/status")
	if kind == protocol.Task && m.Request.Method == getTask && (status == completed || status == failed) {
		return probe.Nothing()
	}
	if kind == protocol.Task || kind == protocol.InputRequired {
		return probe.Breaks("%s is %s, want complete", m.Where("/result/resultType"), probe.Show(kind))
	}
	return probe.Kept()
}

// bareResult expects a result with nothing in it.
func bareResult(r *probe.Reply) error {
	c := r.WantResult()
	if c != nil {
		return c
	}
	result, _ := r.Result()
	for _, name := range slices.Sorted(maps.Keys(result)) {
		if name != "resultType" && name != "_meta" {
			return r.Violation("$.result.%s is present, want an empty result", name)
		}
	}
	return nil
}

func unknownTo(method string) func(*probe.Client) error {
	return func(c *probe.Client) error {
		params := probe.Object{"taskId": "no-such-" + c.Nonce()}
		if method == updateTask {
			params["inputResponses"] = probe.Object{}
		}
		reply := able(c).Call(method, params, about(probe.TextOf(params["taskId"])))
		return probe.Unless(reply.WantError(protocol.InvalidParams), unserved(method, reply))
	}
}

// toolErrorCompleted looks at two tasks, and at two calls without a task, where the tasks end with
// an error of JSON-RPC: it may be made up for a result that is marked as an error.
func toolErrorCompleted(c *probe.Client) error {
	a := able(c)
	last := finish(a, take(a, "failing"))
	if _, fails := last.At("/result/error"); !fails {
		return last.Want("/result/status", probe.Equal(completed))
	}
	const own = "the task of roles.task-tool.failing ends with a JSON-RPC error"
	one, two := c.CallTool(callOf(c, "failing"), nil), c.CallTool(callOf(c, "failing"), nil)
	c.NotSeenIf(!one.ErrorFlag() || !two.ErrorFlag(), own)
	_, again := finish(a, take(a, "failing")).At("/result/error")
	c.NotSeenIf(!again, own+" once, and not each time")
	return probe.Shown(one, last).Violation("$.result.status is %s with an error, and the call without a task has a result with isError, "+
		"want %s with that result", probe.Show(statusOf(last)), completed)
}

func extFailed(c *probe.Client) *probe.Reply {
	a := able(c)
	last := finish(a, take(a, "protocol-error"))
	c.NotSeenIf(statusOf(last) != failed, "the task of roles.task-tool.protocol-error does not fail")
	return last
}

func failedError(c *probe.Client) error {
	last := extFailed(c)
	c.Must(last.Want("/result/error/code", probe.That("an integer", func(v any) bool {
		n, ok := probe.NumberOf(v)
		return ok && n == float64(int64(n))
	})))
	return last.Want("/result/error/message", probe.AString())
}

func extFailedMessage(c *probe.Client) error {
	return extFailed(c).Want("/result/statusMessage", probe.That("a string that says why", func(v any) bool { return probe.TextOf(v) != "" }))
}

func completedResult(c *probe.Client) error {
	a := able(c)
	t := take(a, "")
	last := finish(a, t)
	c.NotSeenIf(statusOf(last) != completed, "the task of roles.task-tool ends as "+statusOf(last))
	c.Must(last.Want("/result/result/content", probe.AnArray()))
	again := look(a, t)
	if statusOf(again) != completed { // it may be gone once its result was read
		return nil
	}
	if problem := again.Want("/result/result/content", probe.AnArray()); problem != nil {
		return probe.Shown(last, again).Violation("the second tasks/get of a completed task has no $.result.result.content, " +
			"want the result each time")
	}
	return nil
}

func extInternalError(c *probe.Client) error {
	broken := c.Role(roles.Failure).Fields().At("tasks")
	c.Cleanup(func() { c.Act(broken.At("after")) })
	c.Act(broken.At("before"))
	a := able(c)
	t := taken(c, a.CallTool(c.Role(roles.Failure).Field("tasks"), nil))
	reply := look(a, t)
	return probe.Unless(refusals.Internal(reply), unserved(getTask, reply))
}

// unserved tells what judges that the server does not know tasks/get.
func unserved(method string, reply *probe.Reply) probe.Elsewhere {
	if method != getTask || !reply.HasCode(protocol.MethodNotFound) {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "tasks/ext-status-shape", Why: "the server does not know tasks/get"}
}

// asksBeforeHandle looks at the first answer: a task that is handed out before the tool has
// asked, and asks then, asks too late.
func asksBeforeHandle(c *probe.Client) error {
	a := able(c)
	from := a.Mark()
	a.Answers(questions.Elicitation, questions.Accept)
	reply := a.CallTool(callOf(c, "input-first"), nil)
	for _, s := range a.Since(from) {
		if kind, _ := s.Message().At("/result/resultType"); kind == protocol.InputRequired {
			return nil
		}
	}
	t := taken(c, reply)
	a.Cleanup(func() { stop(a, t) })
	last := parked(a, t)
	return probe.Shown(t, last).Violation("the task was handed out before its tool has asked, want the question in the answer to the call")
}

// informative expects a message that says more than the code.
func informative(c *probe.Client, reply *probe.Reply) error {
	c.NotSeenIf(!reply.Failed(), "tasks/get of a task that does not exist is not refused")
	text, _ := reply.At("/error/message")
	said := strings.ToLower(strings.Trim(probe.TextOf(text), " .!"))
	c.NotSeenIf(said == "", "the error has no message, which errors/message judges")
	vague := []string{"error", "invalid params", "invalid parameters", "bad request", "unknown error", "internal error", "failed"}
	if slices.Contains(vague, said) {
		return reply.Violation("$.error.message is %s, want the cause of the error", probe.Show(text))
	}
	return nil
}
