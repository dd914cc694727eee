package tools

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/together"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// parallelCases call one tool twice at the same time, with different arguments.
func parallelCases() []suite.Case {
	return []suite.Case{{
		ID:     "tools/parallel-arguments",
		Title:  "two calls of a tool at the same time are answered each for its own arguments",
		Checks: []requirements.ID{"jsonrpc-response-id-echo"},
		Needs:  append(declared(), suite.Role(readOnly)),
		Fix:    "hand the arguments of each call on as parameters, and keep none of them in a variable that calls share",
		Run:    ownArguments,
	}}
}

// ownArguments compares what two calls of a tool get together with what each gets alone. It
// does so for the first tools whose results differ and stay the same.
func ownArguments(c *probe.Client) error {
	const tools = 3
	began, most, judged := time.Now(), min(c.Waits().Answer, longest), 0
	c.NotSeenIf(c.Waits().Depth == 0, "--depth is 0, so no arguments are made up")
	for _, s := range subjects(c) {
		if judged == tools || time.Since(began) > most {
			break // tools that take their time must not hold up the run
		}
		pair, ok := s.differing(c)
		if !ok {
			continue
		}
		mixed := apart(c, s.tool.Key, pair)
		if mixed != nil && (!stillSteady(c, pair) || apart(c, s.tool.Key, pair) == nil) {
			continue // its results change by nature, or with what other cases do and undo
		}
		judged++
		c.Must(mixed)
	}
	c.NotSeenIf(judged == 0, "no read-only tool has two results that differ by its arguments and stay the same")
	return nil
}

// differing finds two calls of the tool with different results. The order of the calls shows
// results that depend on the call before, or on how often the tool was called.
func (s subject) differing(c *probe.Client) (pair together.Pair, ok bool) {
	const most = 6
	ask := func(arguments probe.Object) together.Asking {
		a := together.Asking{Method: "tools/call", Params: trial{tool: s.tool}.params(arguments)}
		a.Result, ok = resultOf(c, a)
		return a
	}
	one := ask(s.plain)
	for _, t := range s.fit[:min(len(s.fit), most)] {
		if !ok || one.Result == "" {
			return pair, false
		}
		other := ask(t.Arguments)
		if other.Result == "" || other.Result == one.Result {
			continue
		}
		if ask(t.Arguments).Result == other.Result && ask(s.plain).Result == one.Result {
			return together.Pair{one, other}, true
		}
	}
	return pair, false
}

// resultOf is the result of a call, and empty where the tool fails. It reports false for a tool
// that takes its time.
func resultOf(c *probe.Client, a together.Asking) (result string, prompt bool) {
	reply := c.Call(a.Method, a.Params, probe.Within(promptly(c)))
	if plain, served := reply.Result(); served && !reply.ErrorFlag() && final(plain) {
		result = together.Essence(reply.Message())
	}
	return result, !reply.Silent()
}

// promptly leaves a server time to serve one call after the other.
func promptly(c *probe.Client) time.Duration { return min(c.Waits().Answer/4, together.Alone) }

// apart makes both calls together. A server with a race does not mix them up each time.
func apart(c *probe.Client, tool string, pair together.Pair) error {
	for range together.Rounds {
		var started [2]*probe.Pending
		for i, one := range pair {
			started[i] = c.Start(one.Method, one.Params, probe.Within(min(c.Waits().Answer, together.Most)))
		}
		for i, own := range pair {
			reply, other := started[i].Reply(), pair[1-i]
			c.UndecideIf(reply.Silent(),
				"one of two calls that were made at the same time is not answered, which jsonrpc/all-answered judges")
			if together.Essence(reply.Message()) != other.Result {
				continue
			}
			second := started[1-i].Reply()
			return probe.Shown(reply, second).Violation(
				"a call of %s with the arguments %s gets the result for %s, with which it was called at the same time, want its own",
				probe.Show(tool), probe.Show(own.Params["arguments"]), probe.Show(other.Params["arguments"]))
		}
	}
	return nil
}

// stillSteady reports whether a call alone gets what it got before.
func stillSteady(c *probe.Client, pair together.Pair) bool {
	for range together.Rounds {
		for _, one := range pair {
			if !one.Steady(c, promptly(c)) {
				return false
			}
		}
	}
	return true
}
