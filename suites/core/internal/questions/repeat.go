package questions

import "github.com/mcp-conform/mcp-conform/suites/probe"

// Responses answers the questions of a result that asks.
func Responses(reply *probe.Reply, answer func(probe.Request) any) probe.Object {
	asked, _ := reply.At("/result/inputRequests")
	responses := probe.Object{}
	for key, each := range probe.ObjectOf(asked) {
		q := probe.ObjectOf(each)
		method, _ := q["method"].(string)
		responses[key] = answer(probe.Request{ID: key, Method: method, Params: probe.ObjectOf(q["params"])})
	}
	return responses
}

// Retry are the members of a request that brings answers, beside its own params.
func Retry(reply *probe.Reply, responses probe.Object) probe.Object {
	beside := probe.Object{"inputResponses": responses}
	if state, there := reply.At("/result/requestState"); there {
		beside["requestState"] = state
	}
	return beside
}

// Repeat repeats a call with the answers to its questions.
func Repeat(c *probe.Client, call *probe.ToolCall, reply *probe.Reply, answer func(probe.Request) any) *probe.Reply {
	return c.CallTool(call, Retry(reply, Responses(reply, answer)))
}
