package tasks

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// resultCases judge what tasks/result is answered with.
func resultCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/result-of-finished",
			Title:  "tasks/result of a task that is completed is answered with the result of its call",
			Checks: []requirements.ID{"tasks-result-of-finished"},
			Needs:  needing(tool()),
			Fix:    "keep the result of the tool, and answer tasks/result with it",
			Run:    resultOfFinished,
		},
		{
			ID:     "tasks/result-blocks",
			Title:  "tasks/result of a task that works is answered when the task is over",
			Checks: []requirements.ID{"tasks-result-blocks"},
			Needs:  needing(tool("slow")),
			Lane:   suite.Waits,
			Fix:    "wait in tasks/result until the task is completed, failed or cancelled",
			Run:    resultBlocks,
		},
		{
			ID:     "tasks/result-identical",
			Title:  "tasks/result is answered with what the call itself would be answered with",
			Checks: []requirements.ID{"tasks-result-identical"},
			Needs:  needing(tool()),
			Fix:    "keep the whole result of the tool for tasks/result, structuredContent and isError included",
			Run:    resultIdentical,
		},
		{
			ID:     "tasks/error-identical",
			Title:  "tasks/result is answered with the error that the call itself would be answered with",
			Checks: []requirements.ID{"tasks-result-identical"},
			Needs:  needing(tool("protocol-error")),
			Fix:    "keep the code, the message and the data of the error, and answer tasks/result with them",
			Run:    errorIdentical,
		},
		{
			ID:     "tasks/tool-error-identical",
			Title:  "tasks/result is answered with isError where the call itself would be answered with it",
			Checks: []requirements.ID{"tasks-result-identical"},
			Needs:  needing(tool("failing")),
			Fix:    "keep isError with the result of the tool, and answer tasks/result with both",
			Run:    toolErrorIdentical,
		},
		{
			ID:     "tasks/result-related-metadata",
			Title:  "the result that tasks/result is answered with names the task in its metadata",
			Checks: []requirements.ID{"tasks-result-related-metadata"},
			Fix:    "put io.modelcontextprotocol/related-task with the taskId into _meta of the result",
			Sees:   "a result of tasks/result",
			Watch: probe.OnResult(getResult, func(a probe.Answer) probe.Opinion {
				return a.Wants("/result"+relatedAt+"/taskId", probe.Equal(a.Request.Params()["taskId"])).Unless(oddMeta(a.Result))
			}),
		},
		{
			ID:     "tasks/param-id-authoritative",
			Title:  "tasks/get is answered with the task that its params name, whatever task its metadata names",
			Checks: []requirements.ID{"tasks-param-id-authoritative"},
			Needs:  needing(tool()),
			Fix:    "look the task up by params.taskId only",
			Run:    paramIDAuthoritative,
		},
		{
			ID:     "tasks/failed-on-tool-error",
			Title:  "a task whose result is marked as an error ends as failed",
			Checks: []requirements.ID{"tasks-failed-on-tool-error"},
			Needs:  needing(tool("failing")),
			Fix:    "end a task with status failed where its result has isError",
			Long:   true,
			Run:    failedOnToolError,
		},
		{
			ID:     "tasks/failed-message",
			Title:  "a task that failed says why",
			Checks: []requirements.ID{"tasks-failed-message"},
			Needs:  needing(tool("failing")),
			Fix:    "write the cause into statusMessage when a task fails",
			Run:    failedMessage,
		},
	}
}

func resultOfFinished(c *probe.Client) error {
	p := ordinary(c)
	c.NotSeenIf(statusOf(p.end) != completed, "the task of roles.task-tool ends as "+statusOf(p.end))
	c.NotSeenIf(gone(p.result) && gone(get(c, p.task)), "the server does not keep the task")
	return misshapen(p.result)
}

// misshapen says why an answer is not the result of a call. It leaves _meta that is no object
// to meta/object.
func misshapen(r *probe.Reply) error {
	if err := r.WantResult(); err != nil {
		return err
	}
	result, _ := r.Result()
	if oddMeta(result).Case != "" {
		result, _ = bare(r)
	}
	return r.Fits("CallToolResult", "/result", result)
}

// oddMeta tells what judges _meta that is no object.
func oddMeta(result map[string]any) probe.Elsewhere {
	if meta, given := result["_meta"]; !given || probe.ObjectOf(meta) != nil {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "meta/object", Why: "_meta is not an object"}
}

func resultBlocks(c *probe.Client) error {
	t := create(c, "slow")
	reply := c.Start(getResult, named(t), probe.Within(c.Waits().Max)).Reply()
	now := get(c, t)
	c.UndecideIf(reply.Silent(), "the task did not end within "+c.Waits().Max.String())
	if status := statusOf(now); status == working || status == inputRequired {
		return probe.Shown(reply, now).Violation("%s while the task is %s, want the answer when the task is over", reply.AnswerTo(getResult),
			status)
	}
	return nil
}

// resultIdentical compares a tool whose answers are the same each time.
func resultIdentical(c *probe.Client) error {
	p := ordinary(c)
	c.NotSeenIf(support(c.Survey(), p.call.Tool) == "required", "the tool of roles.task-tool runs as a task only")
	again := [2]*probe.ToolCall{callOf(c, ""), callOf(c, "")}
	one, two := c.CallTool(again[0], nil), c.CallTool(again[1], nil)
	first, ok := bare(one)
	second, also := bare(two)
	c.NotSeenIf(!ok || !also || !same(first, again[0], second, again[1]),
		"the answers of the tool of roles.task-tool differ from call to call")
	kept, ok := bare(p.result)
	c.NotSeenIf(!ok, "tasks/result is not answered with a result, which tasks/result-of-finished judges")
	if same(first, again[0], kept, p.call) {
		return nil
	}
	c.NotSeenIf(statusOf(p.end) == completed && misshapen(p.result) != nil, "tasks/result is answered with a result that "+
		"tasks/result-of-finished judges")
	return probe.Shown(one, p.result).Violation(
		"$.result differs from what the call without a task is answered with, want the same but for _meta").Unless(one.UnclearText())
}

// same compares what came of two calls, without the texts that their arguments hold: with
// ${nonce} those differ from call to call.
func same(one any, call *probe.ToolCall, other any, otherCall *probe.ToolCall) bool {
	return probe.Same(one, other) || unnamed(one, call) == unnamed(other, otherCall)
}

func unnamed(v any, call *probe.ToolCall) string {
	const long = 8
	text := probe.JSON(v)
	for _, name := range slices.Sorted(maps.Keys(call.Arguments)) {
		if given := probe.TextOf(call.Arguments[name]); len(given) >= long {
			text = strings.ReplaceAll(text, strings.Trim(probe.JSON(given), `"`), "$"+name)
		}
	}
	return text
}

// bare is a result without its metadata.
func bare(r *probe.Reply) (map[string]any, bool) {
	result, ok := r.Result()
	result = maps.Clone(result)
	delete(result, "_meta")
	return result, ok
}

// errorIdentical passes over a refusal of the call without a task: a server may want every call
// of a tool to ask for one, whatever it lists. It looks at what two calls without a task have in common.
func errorIdentical(c *probe.Client) error {
	call := callOf(c, "protocol-error")
	t := created(c, ask(c, call, nil))
	end(c, t)
	kept := c.Call(getResult, named(t))
	c.NotSeenIf(gone(kept) && gone(get(c, t)), "the server does not keep the task")
	if support(c.Survey(), call.Tool) == "required" {
		return kept.WantError()
	}
	again := [2]*probe.ToolCall{callOf(c, "protocol-error"), callOf(c, "protocol-error")}
	usual, second := c.CallTool(again[0], nil), c.CallTool(again[1], nil)
	code, failed := usual.Code()
	c.NotSeenIf(!failed, "the tool of roles.task-tool.protocol-error does not end with a JSON-RPC error")
	own, ended := kept.Code()
	c.NotSeenIf(ended && own != code && code == protocol.MethodNotFound,
		"a call of the tool of roles.task-tool.protocol-error without a task is refused as a method that does not exist")
	c.Must(kept.WantError(code))
	for _, member := range []string{"message", "data"} {
		want, given := usual.At("/error/" + member)
		other, also := second.At("/error/" + member)
		got, has := kept.At("/error/" + member)
		if given != also || !same(want, again[0], other, again[1]) || given == has && same(want, again[0], got, call) {
			continue
		}
		if !given {
			want = probe.Absent{}
		}
		if !has {
			got = probe.Absent{}
		}
		differ := probe.Shown(usual, kept).Violation("$.error.%s is %s, want %s as the call without a task has it", member, probe.Show(got),
			probe.Show(want))
		if member == "message" && (probe.TextOf(want) == "" || probe.TextOf(got) == "") {
			differ = differ.Unless(probe.Elsewhere{Case: "jsonrpc/error-shape", Why: "the message of an error is not a string"})
		}
		return differ
	}
	return nil
}

// toolErrorIdentical needs to know that the tool failed: the task says so where the tool runs
// as a task only, and two calls without a task say it otherwise.
func toolErrorIdentical(c *probe.Client) error {
	call := callOf(c, "failing")
	t := created(c, ask(c, call, nil))
	last := end(c, t)
	kept := c.Call(getResult, named(t))
	c.NotSeenIf(!kept.Served(), "tasks/result is not answered with a result: "+kept.Outcome())
	if kept.ErrorFlag() {
		return nil
	}
	if support(c.Survey(), call.Tool) == "required" {
		c.NotSeenIf(statusOf(last) != failed, "the task did not fail")
		return probe.Shown(last, kept).Violation("$.result.isError is not true of a task that failed, want true, or an error").
			Unless(oddFlag(kept))
	}
	one, two := c.CallTool(call, nil), c.CallTool(call, nil)
	c.NotSeenIf(!one.ErrorFlag() || !two.ErrorFlag(), "the result of roles.task-tool.failing is not marked as an error each time")
	return probe.Shown(one, kept).Violation("$.result.isError is not true, want true as the call without a task has it").Unless(oddFlag(kept))
}

// oddFlag tells what judges isError that is no boolean.
func oddFlag(r *probe.Reply) probe.Elsewhere {
	flag, given := r.At("/result/isError")
	if _, boolean := flag.(bool); boolean || !given {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "tasks/result-of-finished", Why: "isError is not a boolean"}
}

func paramIDAuthoritative(c *probe.Client) error {
	one, two := create(c, ""), create(c, "")
	reply := c.Call(getTask, named(one).With("_meta", probe.Object{"io.modelcontextprotocol/related-task": named(two)}))
	c.NotSeenIf(gone(reply) && gone(get(c, one)), "the server does not keep the task")
	got, _ := reply.At("/result/taskId")
	_, text := got.(string)
	c.NotSeenIf(reply.Served() && !text, "the record has no taskId that is a string, which tasks/id-string judges")
	return probe.Unless(reply.Want("/result/taskId", probe.Equal(one.id)), unknownGet(reply))
}

// failedOnToolError also speaks of a task that goes on while the same call without a task has
// failed long ago.
func failedOnToolError(c *probe.Client) error {
	call := callOf(c, "failing")
	t := created(c, ask(c, call, nil))
	last, found := poll(c, t, ended)
	if !found && statusOf(last) == working && support(c.Survey(), call.Tool) != "required" {
		plain := c.CallTool(call, nil)
		if refused := plain.Answered() && !plain.Served(); (refused || plain.ErrorFlag()) && plain.Took() < c.Waits().Max/4 {
			ordinary(c) // ends the case where tasks wait for long before they begin
			return probe.Shown(t, last, plain).Violation(
				"$.result.status is working %s after the call, and the call without a task fails after %s, want failed",
				c.Waits().Max, plain.Took().Round(time.Millisecond))
		}
	}
	c.UndecideIf(!found, unended(c, last))
	result := c.Call(getResult, named(t))
	c.NotSeenIf(result.Served() && !result.ErrorFlag(), "the result of roles.task-tool.failing is not marked as an error")
	return last.Want("/result/status", probe.Equal(failed))
}

func failedMessage(c *probe.Client) error {
	last := end(c, create(c, "failing"))
	c.NotSeenIf(statusOf(last) != failed, "the task did not fail")
	why, given := last.At("/result/statusMessage")
	_, text := why.(string)
	c.NotSeenIf(given && !text, "statusMessage is not a string, which tasks/record-schema judges")
	return last.Want("/result/statusMessage", probe.That("a string that says why", func(v any) bool { return probe.TextOf(v) != "" }))
}
