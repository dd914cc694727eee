package tasks

import (
	"maps"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// extInputCase judges what the record of a task asks its client for. The params of the requests
// belong to the pages of their methods.
func extInputCase() suite.Case {
	return suite.Case{
		ID:     "tasks/ext-input-requests",
		Title:  "the record of a task that needs input holds the requests, as objects with a method",
		Checks: []requirements.ID{"tasks-ext-get-status-shape"},
		Fix: "write inputRequests as an object while the task needs input, and each of its values as an object with method and params, " +
			"as in a result that asks for input",
		Sees:  "a task that needs input",
		Watch: onDeclared(asksWell),
	}
}

// asksWell takes an empty object: the answers may have come, and the task not have gone on.
func asksWell(m probe.Message) probe.Opinion {
	if m.Request.Method != getTask || m.Value("/result/status") != inputRequired {
		return probe.Nothing()
	}
	const at = "/result/inputRequests"
	asked := m.Value(at)
	all := probe.ObjectOf(asked)
	if all == nil {
		return probe.Breaks("%s is %s while the status is input_required, want what the client is asked for", m.Where(at), probe.Show(asked))
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		request := probe.ObjectOf(all[key])
		if request == nil {
			return probe.Breaks("%s is %s, want an object with method and params", m.Where(questions.At(key)), probe.Show(all[key]))
		}
		if method := probe.TextOf(request["method"]); !(questions.Question{Asks: method}).Known() {
			return probe.Breaks("%s is %s, want elicitation/create, sampling/createMessage or roots/list",
				m.Where(questions.At(key)+"/method"), probe.Show(probe.Member(request, "method")))
		}
	}
	return probe.Kept()
}

func inputsComplete(c *probe.Client) error {
	a := able(c)
	t := take(a, "two-inputs")
	a.Cleanup(func() { stop(a, t) })
	parked(a, t)
	last, found := follow(a, t, func(r *probe.Reply) bool { return len(asked(r)) > 1 || ended(r) })
	if !found || len(asked(last)) < 2 {
		return last.Violation("$.result.inputRequests has %d requests of a task that asks two things at once, want both", len(asked(last)))
	}
	return nil
}

// keysUnique answers one question after the other, and compares what stands under their keys.
func keysUnique(c *probe.Client) error {
	a := able(c)
	t := take(a, "two-inputs")
	a.Cleanup(func() { stop(a, t) })
	known := map[string]any{}
	answered := map[string]bool{}
	for range 4 {
		last, _ := follow(a, t, func(r *probe.Reply) bool {
			return ended(r) || slices.ContainsFunc(slices.Collect(maps.Keys(asked(r))), func(key string) bool {
				return !answered[key] || !probe.Same(asked(r)[key], known[key])
			})
		})
		open := asked(last)
		if ended(last) || len(open) == 0 {
			break
		}
		key := ""
		for _, name := range slices.Sorted(maps.Keys(open)) {
			if before, seen := known[name]; seen && !probe.Same(before, open[name]) {
				return last.Violation("$.result.inputRequests.%s is another request than before, want a key of its own for each", name)
			}
			known[name] = open[name]
			if !answered[name] {
				key = name
			}
		}
		if key == "" {
			break
		}
		answered[key] = true
		answerTo(a, t, probe.Object{key: accepts(open[key])})
	}
	c.NotSeenIf(len(known) == 0, "the task does not ask its client")
	return nil
}

// accepts is the answer to an input request.
func accepts(request any) any {
	params := probe.ObjectOf(probe.ObjectOf(request)["params"])
	if probe.ObjectOf(request)["method"] == questions.Sampling {
		return questions.Says("Yes.")
	}
	return questions.Accept(probe.Request{Params: params})
}

func updateAcknowledged(c *probe.Client) error {
	a := able(c)
	t := take(a, "input")
	return bareResult(answerTo(a, t, answers(parked(a, t))))
}

func answers(r *probe.Reply) probe.Object {
	all := probe.Object{}
	for key, request := range asked(r) {
		all[key] = accepts(request)
	}
	return all
}

// unknownKeysIgnored sees too that the task waits as before, where one that is left alone does.
func unknownKeysIgnored(c *probe.Client) error {
	a := able(c)
	t, pause := asking(a)
	answer := answerTo(a, t, probe.Object{"no-such-" + c.Nonce(): probe.Object{"action": "accept", "content": probe.Object{}}})
	c.Must(answer.WantResult())
	a.Pause(pause)
	last := look(a, t)
	if !last.Served() || statusOf(last) == inputRequired {
		return nil
	}
	alone, pause := asking(a)
	a.Pause(pause)
	c.UndecideIf(statusOf(look(a, alone)) != inputRequired, "the task of roles.task-tool.input does not wait for its client")
	return probe.Shown(answer, last).Violation("$.result.status is %s after an answer that was not asked for, want input_required as before",
		statusOf(last))
}

// asking is a task that asks its client, and how long to wait until it is looked at again.
func asking(a *probe.Client) (task, time.Duration) {
	t := take(a, "input")
	a.Cleanup(func() { stop(a, t) })
	return t, interval(parked(a, t), "/result/pollIntervalMs")
}
