package intent

import (
	"regexp"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A suggested call is one that got a suggestion.
type suggested struct {
	*asker
	reply *probe.Reply
	found proposal.Located
}

func suggestions() []suite.Case {
	about := func(slug, title string, rule requirements.ID, fix string, run func(s *suggested) error, more ...suite.Need) suite.Case {
		return bench.Observing(roles.Intent, bench.Case("ext-intent/"+slug, title, rule, fix, bench.After(suggest, run),
			append(more, suite.Role(roles.Intent))...))
	}
	return []suite.Case{
		about("suggestion-shape", "a suggestion names a tool and a reason", "ext-intent-suggestion-shape",
			"write suggestion as an object with recommended_tool and reason, both strings", (*suggested).shape),
		about("suggestion-exists", "a suggestion names another tool of the server", "ext-intent-suggestion-exists",
			"recommend only tools that tools/list has, and never the one that was called", (*suggested).exists),
		about("not-run-is-visible", "a suggestion in place of a result does not look like an empty result", "ext-intent-not-run-is-visible",
			"make the suggestion beside the result, or answer with text that mentions it and without structuredContent", (*suggested).visible),
		about("not-run-no-effect", "a tool whose call got a suggestion in place of a result has not run", "ext-intent-not-run-is-visible",
			"return before the tool does anything where the answer says that it was not run", (*suggested).noEffect,
			suite.Role(roles.Intent, "observe")),
	}
}

// suggest makes the call of roles.intent, in the form that the server reads.
func suggest(c *probe.Client) *suggested {
	s := &suggested{asker: &asker{Bench: bench.New(c), reader: roles.Intent}}
	s.ToolCall = c.Role(roles.Intent).Call()
	s.Dialect = proposal.LearnDialect(c, "intent", []proposal.Dialect{proposal.Beside}, func(d proposal.Dialect) (read, accepted bool) {
		call := c.Role(roles.Intent).Call()
		reply := s.MakeCall(bench.Call{Tool: call, Dialect: d, Values: s.values()})
		_, read = suggestion(c, reply, call.Tool)
		return read, proposal.Done(reply)
	})
	s.Dialect.NoteOlder(c, "intents", map[proposal.Dialect]string{proposal.Beside: "params.intent"}, "_meta.intent")
	return s
}

func (s *suggested) values() probe.Object {
	return probe.Object{"intent": s.Role(roles.Intent).Fields().Text("intent")}
}

// ask makes the call, and ends the case where the server suggests nothing.
func (s *suggested) ask() {
	s.reply = s.MakeCall(bench.Call{Values: s.values()})
	s.Permitted(s.ToolCall, s.reply)
	var made bool
	s.found, made = suggestion(s.Client, s.reply, s.ToolCall.Tool)
	s.NotSeenIf(!made, "the call of roles.intent got no suggestion: "+s.reply.Outcome())
}

func (s *suggested) shape() error {
	s.ask()
	if problem := s.ExtensionProblem("intent", "Suggestion", pointer(s.found.Place), s.found.Value); problem != "" {
		return s.reply.Violation("%s", problem)
	}
	if _, reasoned := probe.ObjectOf(s.found.Value)["reason"]; !reasoned {
		return s.reply.Violation("%s has no reason, want one for the client to judge by", s.found.Place).AtMostWarn()
	}
	return proposal.Agree(s.reply, "suggestion", s.found)
}

// pointer is a place as a JSON pointer into the message.
func pointer(place string) string {
	if name := proposal.Prefix + "suggestion"; place == "_meta["+name+"]" {
		return "/result/_meta/" + frame.Escape(name)
	}
	return "/result/" + strings.ReplaceAll(strings.TrimPrefix(place, "result."), ".", "/")
}

// recommended is the tool that is named. Another case judges the form.
func (s *suggested) recommended() string {
	tool := probe.TextOf(probe.ObjectOf(s.found.Value)["recommended_tool"])
	s.UndecideIf(tool == "", "recommended_tool is not a string, which ext-intent/suggestion-shape judges")
	return tool
}

func (s *suggested) exists() error {
	s.ask()
	tool := s.recommended()
	if tool == s.ToolCall.Tool {
		return s.reply.Violation("recommended_tool is %q, the tool that was called, want another one", tool)
	}
	items := probe.List(s.Client, protocol.Tools())
	items.MustBeRead()
	if !items.Lacks(tool) {
		return nil
	}
	return probe.Shown(s.reply).And(items).Violation("recommended_tool is %q, which tools/list does not have, want a tool of the server", tool)
}

// instead reports whether an answer says that the tool did not run: by having no result, or
// in words. Another answer than without an intent is no such sign.
func instead(reply *probe.Reply) bool {
	result, _ := reply.Result()
	payload := probe.Payload(result)
	return payload == nil || notRun().MatchString(probe.TextOf(payload))
}

var notRun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)instead|\bnot (been )?(run|executed|called|done)|did not|nothing (was|has been)`)
})

// visible compares with what the call gives without an intent.
func (s *suggested) visible() error {
	s.ask()
	result, _ := s.reply.Result()
	got := probe.Payload(result)
	s.NotSeenIf(instead(s.reply) || !empty(got), "the answer does not look like an empty result")
	s.ToolCall = s.Role(roles.Intent).Call()
	plain := s.with(nil)
	s.Require(proposal.WantDone(plain), "the call has no result without an intent: "+plain.Outcome())
	usual, _ := plain.Result()
	s.NotSeenIf(empty(probe.Payload(usual)), "the result is empty without an intent as well")
	return probe.Shown(s.reply, plain).Violation(
		"the answer with the suggestion is %s, which looks like a result, want none, or one that mentions the suggestion",
		probe.Show(got))
}

// empty reports whether a value is one that holds nothing, such as an object with an empty list.
func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		for _, each := range value {
			if _, number := probe.NumberOf(each); !number && !empty(each) {
				return false
			}
		}
		return true
	}
	return false
}

func (s *suggested) noEffect() error {
	w := s.Watch(s.ToolCall)
	s.ask()
	s.NotSeenIf(!instead(s.reply), "the suggestion stands beside the result of the tool")
	return s.WantNoEffect(w, "a call that was answered with a suggestion in place of a result")
}
