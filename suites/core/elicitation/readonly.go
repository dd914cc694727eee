package elicitation

import (
	"fmt"
	"regexp"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// readOnlyCases find tools that ask without a configuration.
func readOnlyCases() []suite.Case {
	return []suite.Case{{
		ID:     "elicitation/read-only-tools-answer",
		Title:  "a read-only tool that seems to ask answers the call once its questions are answered",
		Checks: []requirements.ID{"jsonrpc-single-response"},
		Needs:  []suite.Need{suite.Capability("tools"), suite.Role(roles.ReadOnlyTool)},
		Fix:    "take each answer of the client, and answer the call that led to the question",
		Run:    readOnlyToolsAnswer,
	}}
}

// mostAskers is how many tools are called.
const mostAskers = 8

// readOnlyToolsAnswer calls them as a client that can do everything; the watchers judge the
// questions. The first tool that takes its time ends the case. It may do so by nature, unless it
// answers at once where it cannot ask.
func readOnlyToolsAnswer(c *probe.Client) error {
	calls := likely(c)
	c.NotSeenIf(len(calls) == 0, "no read-only tool says that it asks the client")
	declared := c.Capabilities().With("sampling", probe.Object{}).With("roots", probe.Object{})
	if protocol.HasElicitation(c.Revision()) {
		declared = declared.With(capability, probe.Object{})
	}
	able := c.With(declared)
	able.Answers(questions.Elicitation, questions.Accept)
	able.Answers(questions.Sampling, questions.Always(questions.Says("Paris")))
	able.Answers(questions.Roots, questions.Always(probe.Object{"roots": []any{}}))
	subscriptions.HearBeside(able) // many servers ask there
	for _, call := range calls {
		params := probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}
		from := able.Mark()
		reply := able.Call("tools/call", params, questions.Alike(call.Tool, questions.Elicitation, "accept"))
		if !reply.Silent() {
			c.Must(reply.WantAnswer())
			continue
		}
		if len(questions.Since(able, from)) > 0 && c.With(probe.Object{}).Call("tools/call", params).Answered() {
			return reply.Violation("the call of %s gets no answer although its questions do, want a response", probe.Show(call.Tool))
		}
		c.Undecide(fmt.Sprintf("no answer within %s from %s, which may take longer by nature", c.Waits().Answer, probe.Show(call.Tool)))
	}
	return nil
}

// likely are the read-only tools whose name or description speaks of questions.
func likely(c *probe.Client) []roles.Call {
	asks := regexp.MustCompile(`(?i)elicit|sampling|sample_llm|\broots?\b|_roots|input_required|\bask|confirm`)
	named := map[string]bool{}
	for _, item := range c.Survey().Lists[protocol.Tools().Method] {
		tool := probe.ObjectOf(item)
		name, _ := tool["name"].(string)
		about, _ := tool["description"].(string)
		named[name] = named[name] || asks.MatchString(name) || asks.MatchString(about)
	}
	var calls []roles.Call
	for _, call := range c.Survey().Safe {
		if named[call.Tool] && len(calls) < mostAskers {
			calls = append(calls, call)
		}
	}
	return calls
}
