// Package intent holds the cases of the intent proposal: a client says with a call what it is
// after, and a server may name a tool that does it better.
package intent

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-intent",
		Title:     "a call may say what it is for, and gets a suggestion at most",
		Extension: proposal.Extension("intent"),
		Cases:     slices.Concat(answered(), suggestions(), grants(), guards()),
	}
}

// usual is an intent that fits any tool.
const usual = "find the newest open item"

// An asker makes calls of one tool with and without an intent.
type asker struct {
	*bench.Bench
	reader roles.Name // whose tool that is
}

// on makes a case of a procedure with the read-only tool.
func on(run func(a *asker) error) func(*probe.Client) error {
	return bench.After(func(c *probe.Client) *asker {
		a := &asker{Bench: bench.New(c), reader: roles.ReadOnlyTool}
		a.Dialect = proposal.Bare + proposal.Prefixed
		a.ToolCall = c.Role(a.reader).Call()
		return a
	}, run)
}

// with makes the call with an intent, and without one where it is nil.
func (a *asker) with(intent any) *probe.Reply {
	if intent == nil {
		return a.MakeCall(bench.Call{Dialect: proposal.Bare})
	}
	return a.MakeCall(bench.Call{Values: probe.Object{"intent": intent}})
}

// suggestion finds the suggestion of an answer. In the tool's own answer it has to name a tool.
func suggestion(c *probe.Client, reply *probe.Reply, tool string) (proposal.Located, bool) {
	result, _ := reply.Result()
	foreign := !proposal.Explicit(c, "intent") && proposal.Declares(c, tool, "suggestion")
	return proposal.Locate(result, "suggestion", "intent", func(record map[string]any) bool {
		_, names := probe.ObjectOf(record["suggestion"])["recommended_tool"]
		return names && !foreign
	})
}

func answered() []suite.Case {
	return []suite.Case{
		bench.Case("ext-intent/accepted", "a call with an intent is served", "ext-intent-accepted",
			"read intent from params._meta, and answer as without it, or with a suggestion", on(accepted), suite.Role(roles.ReadOnlyTool)),
		bench.Case("ext-intent/result-same", "without a suggestion, an intent changes nothing in the result", "ext-intent-result-same",
			"keep intent away from the arguments and from the result of the tool", on(resultSame), suite.Role(roles.ReadOnlyTool)),
	}
}

func accepted(a *asker) error {
	reply := a.with(usual)
	if proposal.Done(reply) {
		return nil
	}
	if reply.Died() {
		a.Client = a.Opened()
	}
	plain := a.with(nil)
	a.Require(proposal.WantDone(plain), "the call is refused without an intent as well: "+plain.Outcome())
	if again := a.with(usual); proposal.Done(again) {
		a.Undecide("the call with an intent is served now and then: " + reply.Outcome())
	}
	return reply.Violation("%s, want the result that it has without", reply.AnswerTo("a call with intent in _meta"))
}

func guards() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, what string
		intent     any
	}{
		{"number", "a number", 42}, {"object", "an object", probe.Object{}}, {"long", "64 KiB of text", strings.Repeat("find it ", 1<<13)},
	} {
		c := bench.Case("ext-intent/type-guard-"+row.slug, "an intent that is "+row.what+" is ignored or rejected", "ext-intent-type-guard",
			"ignore an intent that is not a string of a usual length, or answer error -32602", on(func(a *asker) error {
				a.Must(a.guarded(row.what, row.intent))
				if !a.suggesting() {
					return nil
				}
				return a.guarded(row.what, row.intent)
			}), suite.Role(roles.ReadOnlyTool))
		cases = append(cases, bench.Observing(roles.Intent, bench.In(suite.Fresh, c)))
	}
	return cases
}

// suggesting turns to the tool that makes suggestions, which reads intents, where the
// configuration names one.
func (a *asker) suggesting() bool {
	if len(a.Role(roles.Intent).Fields()) == 0 {
		return false
	}
	a.reader = roles.Intent
	a.ToolCall = a.Role(a.reader).Call()
	return true
}

func (a *asker) guarded(what string, intent any) error {
	plain := a.with(nil)
	a.Require(proposal.WantDone(plain), "the call is refused without an intent as well: "+plain.Outcome())
	reply := a.with(intent)
	if !proposal.Done(reply) && !proposal.Declined(reply) {
		return reply.Violation("%s, want its result, or error -32602", reply.AnswerTo("a call whose intent is "+what))
	}
	after := a.Barrier()
	if after.Answered() {
		return nil
	}
	return probe.Shown(reply, after).Violation("%s, want an answer", after.AnswerTo("the request behind a call whose intent is "+what))
}
