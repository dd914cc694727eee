package tasks

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// parallelCases judge which of two tasks a result belongs to.
func parallelCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/result-own",
			Title:  "two tasks that work at the same time have the results of their own calls",
			Checks: []requirements.ID{"tasks-result-of-finished"},
			Needs:  needing(tool("slow")),
			Lane:   suite.Waits,
			Fix:    "keep each result under the id of its task, not under the tool or in the order of the ends",
			Run: func(c *probe.Client) error {
				t := both(c, func() (*probe.ToolCall, *probe.Pending) {
					call := callOf(c, "slow")
					return call, c.StartTool(call, probe.Object{"task": probe.Object{"ttl": lifetime}})
				}, func(r *probe.Reply) task {
					id, _ := r.At("/result/task/taskId")
					return created(c, task{r, probe.TextOf(id)})
				})
				return t.own(c, c, func(t task) (*probe.Reply, string) {
					end(c, t)
					result := c.Call(getResult, named(t))
					kept, _ := bare(result)
					return result, probe.JSON(kept)
				})
			},
		},
		{
			ID:     "tasks/ext-result-own",
			Title:  "two tasks that work at the same time are completed with the results of their own calls",
			Checks: []requirements.ID{"tasks-ext-completed-has-outcome"},
			Needs:  extended(tool("slow")),
			Lane:   suite.Waits,
			Fix:    "keep each result under the id of its task, not under the tool or in the order of the ends",
			Run: func(c *probe.Client) error {
				a := able(c)
				t := both(a, func() (*probe.ToolCall, *probe.Pending) {
					call := callOf(a, "slow")
					return call, a.StartTool(call, nil)
				}, func(r *probe.Reply) task { return taken(a, r) })
				return t.own(a, c, func(t task) (*probe.Reply, string) {
					last := finish(a, t)
					content, _ := last.At("/result/result/content")
					return last, probe.JSON(content)
				})
			},
		},
	}
}

// A pair is two tasks of one tool, each with a text in its arguments that the other lacks.
type pair struct {
	tasks [2]task
	words [2]string
}

// both makes two tasks at the same time.
func both(c *probe.Client, start func() (*probe.ToolCall, *probe.Pending), made func(*probe.Reply) task) pair {
	one, first := start()
	other, second := start()
	p := pair{words: told(one, other)}
	p.tasks = [2]task{made(first.Reply()), made(second.Reply())}
	c.NotSeenIf(p.words[0] == "",
		"no argument of roles.task-tool.slow differs from call to call; write ${nonce} into one that the result repeats")
	return p
}

// told are the texts by which two calls of one tool can be told apart.
func told(one, other *probe.ToolCall) (words [2]string) {
	for _, name := range slices.Sorted(maps.Keys(one.Arguments)) {
		a, b := probe.TextOf(one.Arguments[name]), probe.TextOf(other.Arguments[name])
		if a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a) {
			return [2]string{a, b}
		}
	}
	return words
}

// names reports whether a text has one of the words, and not the other.
func (p pair) names(text string, at int) bool {
	return strings.Contains(text, p.words[at]) && !strings.Contains(text, p.words[1-at])
}

// own speaks where each result names the other call and not its own. A tool may name neither
// call, or all calls that it knows. It may also name the last one, unless a client that makes
// no tasks is told of its own calls only.
func (p pair) own(c, plain *probe.Client, result func(task) (*probe.Reply, string)) error {
	first, one := result(p.tasks[0])
	second, other := result(p.tasks[1])
	named := p.names
	switch {
	case named(one, 1) && named(other, 0):
		return probe.Shown(first, second).Violation(
			"the results of two tasks name %s and %s, each that of the other call, want the results of their own calls",
			probe.Show(p.words[1]), probe.Show(p.words[0]))
	case named(one, 0) && named(other, 1):
		return nil
	}
	for at, word := range p.words {
		if named(one, at) && named(other, at) && plainlyOwn(plain) {
			return probe.Shown(first, second).Violation(
				"the results of two tasks both name %s, which is that of one call, want the results of their own calls", probe.Show(word)).
				Unless(sharedID())
		}
	}
	c.NotSeen("the results of roles.task-tool.slow do not tell by which call each of them came")
	return nil
}

// plainlyOwn makes two calls at the same time that become no tasks, and reports whether the
// answer to each names that call only.
func plainlyOwn(c *probe.Client) bool {
	one, other := callOf(c, "slow"), callOf(c, "slow")
	first, second := c.StartTool(one, nil, probe.Within(c.Waits().Max)), c.StartTool(other, nil, probe.Within(c.Waits().Max))
	p := pair{words: told(one, other)}
	content := func(r *probe.Reply) string {
		content, _ := r.At("/result/content")
		return probe.JSON(content)
	}
	return p.names(content(first.Reply()), 0) && p.names(content(second.Reply()), 1)
}
