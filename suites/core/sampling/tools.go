package sampling

import (
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// toolCases judge sampling requests that lend the model tools.
func toolCases() []suite.Case {
	return append(questions.Watchers("sampling",
		questions.Row{
			Slug: "tool-choice", Title: "the choice of tools is auto, required or none", Rule: "sampling-tool-choice-mode",
			Asks: questions.Sampling, Sees: "a choice of tools", Owns: []string{"/toolChoice"},
			Fix: "write toolChoice as an object with the mode auto, required or none",
			Judge: func(q questions.Question) probe.Opinion {
				choice, given := q.Named("toolChoice")
				mode, says := probe.ObjectOf(choice)["mode"]
				switch {
				case !given:
					return probe.Nothing()
				case probe.ObjectOf(choice) == nil, says && !slices.Contains([]any{"auto", "required", "none"}, mode):
					return probe.Breaks("%s is %s, want an object with the mode auto, required or none", q.Shown("/toolChoice"), probe.Show(choice))
				}
				return probe.Kept()
			},
		},
		questions.Row{
			Slug: "tool-results-alone", Title: "a message with results of tools holds nothing else", Rule: "sampling-tool-results-alone",
			Asks: questions.Sampling, Sees: "a message with results of tools",
			Fix: "send the results of tools in a user message of their own, and text in another message",
			Judge: eachMessage(func(m message) probe.Opinion {
				kinds := m.kinds()
				switch {
				case m.value["role"] != "user" || !slices.Contains(kinds, "tool_result"):
					return probe.Nothing()
				case slices.ContainsFunc(kinds, func(kind string) bool { return kind != "tool_result" }):
					return probe.Breaks("%s holds tool_result and %s, want results of tools only", m.Shown(m.at+"/content"), other(kinds))
				}
				return probe.Kept()
			}),
		},
		questions.Row{
			Slug: "tool-use-balanced", Title: "each use of a tool is followed at once by its result", Rule: "sampling-tool-use-balanced",
			Asks: questions.Sampling, Sees: "a message that uses tools",
			Fix:   "put one user message with a tool_result for each tool_use directly behind the message of the assistant",
			Judge: balanced,
		},
	), suite.Case{
		ID:     "sampling/tool-loop-ends",
		Title:  "a server stops lending tools to a model that never comes to an end",
		Checks: []requirements.ID{"sampling-tool-loop-limited"},
		Needs:  []suite.Need{suite.Role(roles.ClientRequest, "sampling-tools")},
		Fix:    "count the rounds of a tool loop, and answer the call when there are too many",
		Run:    toolLoopEnds,
	})
}

// kinds are the types of the blocks of a message.
func (m message) kinds() []string {
	var all []string
	for _, block := range m.blocks() {
		all = append(all, probe.TextOf(block["type"]))
	}
	return all
}

func other(kinds []string) string {
	at := slices.IndexFunc(kinds, func(kind string) bool { return kind != "tool_result" })
	return probe.Show(kinds[at])
}

// balanced passes over a use of tools in the last message: there is nothing behind it yet. That
// a result is one of an earlier use stands in the comments of the schema only: so its lack warns.
func balanced(q questions.Question) probe.Opinion {
	said, messages := probe.Nothing(), messagesOf(q)
	var used []string
	for i, m := range messages {
		for _, id := range m.ids("tool_result", "toolUseId") {
			if !slices.Contains(used, id) {
				said = said.And(probe.Breaks("%s holds a result of the tool call %s, which no message before it uses, want one that does",
					m.Shown(m.at), probe.Show(id)).AtMostWarn())
			}
		}
		used = append(used, m.ids("tool_use", "id")...)
		uses := m.ids("tool_use", "id")
		if m.value["role"] != "assistant" || len(uses) == 0 {
			continue
		}
		said = said.And(probe.Kept())
		var results []string
		if i+1 < len(messages) && messages[i+1].value["role"] == "user" {
			results = messages[i+1].ids("tool_result", "toolUseId")
		}
		for _, id := range uses {
			if !slices.Contains(results, id) {
				said = said.And(probe.Breaks("%s uses the tool call %s, and the message behind it holds no result of it, want one",
					m.Shown(m.at), probe.Show(id)))
			}
		}
	}
	return said.Unless(unnamed(messages))
}

// unnamed tells what judges a tool call or its result without an id that is a string.
func unnamed(messages []message) probe.Elsewhere {
	for _, m := range messages {
		if slices.Contains(m.ids("tool_use", "id"), "") || slices.Contains(m.ids("tool_result", "toolUseId"), "") {
			return probe.Elsewhere{Case: "schema/messages-valid", Why: "the id of a tool call is not a string"}
		}
	}
	return probe.Elsewhere{}
}

// ids are the values of a member of the blocks of one type.
func (m message) ids(kind, member string) []string {
	var all []string
	for _, block := range m.blocks() {
		if block["type"] == kind {
			all = append(all, probe.TextOf(block[member]))
		}
	}
	return all
}

// manyRounds is more than any sensible limit of a tool loop.
const manyRounds = 60

// toolLoopEnds has the model use a tool again and again, and two at once. At 2026-07-28 a client
// repeats its request some times by itself.
func toolLoopEnds(c *probe.Client) error {
	client := able(c)
	var times atomic.Int32
	client.Answers(questions.Sampling, func(r probe.Request) any {
		n := times.Add(1)
		offered := probe.ArrayOf(r.Params["tools"])
		if len(offered) == 0 || n > manyRounds {
			return questions.Says("Enough.")
		}
		return uses(probe.ObjectOf(offered[0]), int(n))
	})
	call := c.Role(roles.ClientRequest).Field("sampling-tools")
	reply := client.CallTool(call, nil)
	for times.Load() > 0 && times.Load() <= manyRounds && asksAgain(reply) {
		reply = questions.Repeat(client, call, reply, func(r probe.Request) any {
			n := times.Add(1)
			return uses(probe.ObjectOf(first(r.Params["tools"])), int(n))
		})
	}
	c.NotSeenIf(times.Load() == 0, "the tool of roles.client-request.sampling-tools did not ask the client")
	if times.Load() > manyRounds {
		return reply.Violation("the model was lent tools more than %d times in one call, want an end", manyRounds)
	}
	return reply.WantAnswer()
}

func asksAgain(reply *probe.Reply) bool {
	kind, _ := reply.At("/result/resultType")
	return kind == protocol.InputRequired
}

func first(list any) any {
	if all := probe.ArrayOf(list); len(all) > 0 {
		return all[0]
	}
	return nil
}

// uses is the answer of a model that uses a tool twice at once.
func uses(tool map[string]any, n int) probe.Object {
	block := func(id string) probe.Object {
		return probe.Object{
			"type": "tool_use", "id": "kit-" + strconv.Itoa(n) + id, "name": tool["name"],
			"input": questions.Fill(probe.ObjectOf(tool["inputSchema"])),
		}
	}
	return probe.Object{
		"role": "assistant", "model": "mcp-conform", "stopReason": "toolUse", "content": []any{block("a"), block("b")},
	}
}
