package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// callCases call tools as a client does.
func callCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/call-answered",
			Title:  "a call of a read-only tool is answered with a result or an error",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Needs:  []suite.Need{suite.Role(readOnly)},
			// Most cases that call a tool call this one or a similar one. Where the
			// server answers no call, it does not answer the calls that have to fail
			// either.
			Proves: []suite.Need{
				suite.Role(readOnly), suite.Role(invalidInput), suite.Role(invalidInput, "invalid-arguments"),
				suite.Role(roles.Failure, "tool"), suite.Role(roles.Failure, "not-found"),
			},
			Fix: "answer every call with a JSON-RPC response, whatever goes wrong inside the tool or in front of the server; " +
				"if the tool works for longer, give --timeout more than that",
			Run: callAnswered,
		},
		{
			ID:     "tools/read-only-tools-answer",
			Title:  "every read-only tool answers a call with a result or an error",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Needs:  append(declared(), suite.Role(readOnly)), // a server that answers no call gets one finding
			Long:   true,
			Fix:    "turn whatever goes wrong inside a tool into its answer, and let no value through that JSON cannot express",
			Run:    readOnlyToolsAnswer,
		},
		{
			ID:     "tools/arguments-optional",
			Title:  "a tool that requires no arguments can be called without arguments",
			Checks: []requirements.ID{"tools-call-arguments-optional"},
			Needs:  []suite.Need{suite.Role(readOnly)},
			Fix:    "treat missing arguments as {}",
			Run:    argumentsOptional,
		},
	}
}

// callAnswered calls one tool and waits for the full time of an answer. A silent tool may
// be a slow one if another tool answers, or if it reports progress. Other cases judge the
// contents of the answer, because the arguments may be made up.
func callAnswered(c *probe.Client) error {
	call := c.Role(readOnly).Call()
	from := c.Mark()
	reply := c.CallTool(call, nil)
	if reply.Silent() {
		if s, ok := unreadable(c.Since(from), reply); ok {
			return unreadableAnswer(reply, s, call.Tool)
		}
		why := c.Learn("tools:slow "+call.Tool, func() string { return slowly(c, call) })
		c.UndecideIf(why != "", fmt.Sprintf("no answer within %s from %s, which %s", c.Waits().Answer, probe.Show(call.Tool), why))
	}
	if reply.Refused() || reply.ErrorFlag() {
		c.Note(fmt.Sprintf("the call of %s got %s", probe.Show(call.Tool), reply.Outcome()))
		return nil
	}
	return reply.WantAnswer()
}

// slowly calls the first other read-only tools and the silent one, all at once. It says what
// shows that the silent one may just be slow; empty for nothing.
func slowly(c *probe.Client, silent *probe.ToolCall) string {
	const most = 2
	from, token := c.Mark(), c.Nonce()
	var others []*probe.Pending
	for _, call := range c.Survey().Safe {
		if call.Tool != silent.Tool && len(others) < most {
			others = append(others, c.Start("tools/call", probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}))
		}
	}
	again := c.StartTool(silent, probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}})
	another := false
	probe.AwaitAny(c, append(others, again), c.Waits().Answer, func(s probe.Seen) bool {
		another = slices.ContainsFunc(others, func(other *probe.Pending) bool { return other.Answers(s) })
		return another || c.Reported(token, from) > 0 || len(others) == 0 && again.Answers(s)
	})
	reports := c.Reported(token, from) > 0
	_ = c.Try(func() { again.Cancel("the tool takes too long") }) // the server may answer nothing more
	switch {
	case another:
		return "may take longer by nature: another tool answers"
	case reports:
		return "reports progress: give --timeout more than the tool takes"
	default:
		return ""
	}
}

func unreadableAnswer(reply *probe.Reply, instead probe.Seen, tool string) error {
	return probe.Shown(reply, probe.One(instead.Frame)).Violation(
		"what answers a call of %s cannot be read as a JSON-RPC response, want a result or an error", probe.Show(tool))
}

// readOnlyToolsAnswer calls a sample of the tools that are annotated as read-only, with
// arguments made up from their schemas. Errors are lawful, since made-up arguments may
// name things that do not exist; the watchers judge the answers.
func readOnlyToolsAnswer(c *probe.Client) error {
	safe, most := c.Survey().Safe, c.Waits().Reads
	c.NotSeenIf(len(safe) == 0, "no tool is annotated as read-only and has arguments that can be made up")
	if len(safe) > most {
		c.Note(fmt.Sprintf("%d of %d read-only tools were called, as limits.reads says", most, len(safe)))
		safe = safe[:most]
	}
	var failed []string
	var late latecomers
	for _, call := range safe {
		from, token := c.Mark(), c.Nonce()
		params := probe.Object{
			"name": call.Tool, "arguments": probe.Object(call.Arguments), "_meta": probe.Object{protocol.MetaProgress: token},
		}
		started := c.Start("tools/call", params, probe.Within(oneToolLimit(c)))
		reply := started.Reply()
		if reply.Silent() {
			late = append(late, latecomer{call.Tool, token, from, started, reply})
			if len(late) > maxLate || !c.Barrier().Answered() {
				break
			}
			continue
		}
		if reply.Answered() {
			c.Counted(call.Tool, token, from) // cases on streams look for a tool that reports progress
		}
		if reply.Refused() || reply.ErrorFlag() {
			failed = append(failed, call.Tool)
		} else {
			c.Must(reply.WantAnswer())
		}
	}
	c.Must(late.judge(c))
	if len(failed) > 0 {
		c.Note(fmt.Sprintf("the arguments were made up, and %d of %d tools answered with an error: %s",
			len(failed), len(safe), probe.Show(failed)))
	}
	return nil
}

// oneToolLimit is how long one tool holds up the others. A tool that takes longer runs on,
// beside the others.
func oneToolLimit(c *probe.Client) time.Duration { return min(c.Waits().Answer, 2*time.Second) }

// maxLate is how many late tools are tolerated before the rest is left alone.
const maxLate = 1

// A latecomer is a call that did not answer at once.
type latecomer struct {
	tool    string
	token   string
	from    probe.Mark
	started *probe.Pending
	reply   *probe.Reply
}

type latecomers []latecomer

// judge gives the tools the full time of an answer. A tool that takes longer is not judged,
// because its purpose is unknown.
func (l latecomers) judge(c *probe.Client) error {
	var silent []string
	for _, one := range l {
		if one.answers(c) {
			continue
		}
		if s, ok := unreadable(c.Since(one.from), one.reply); ok {
			return unreadableAnswer(one.reply, s, one.tool)
		}
		_ = c.Try(func() { one.started.Cancel("no answer came in time") }) // the server may answer nothing more
		silent = append(silent, one.tool)
	}
	c.UndecideIf(len(silent) > 0,
		fmt.Sprintf("no answer within %s from %s, which may take longer by nature",
			c.Waits().Answer, strings.Join(silent, " and ")))
	return nil
}

// answers reports whether the answer comes at last. A tool that reports progress is at work,
// and gets the longest wait.
func (l latecomer) answers(c *probe.Client) bool {
	waits := c.Waits()
	_, answered := l.started.Await(waits.Answer-oneToolLimit(c), l.started.Answers)
	if !answered && c.Reported(l.token, l.from) > 0 && waits.Max > waits.Answer {
		_, answered = l.started.Await(waits.Max-waits.Answer, l.started.Answers)
	}
	return answered
}

// sentID is the id of a call that was sent.
func sentID(call *probe.Reply) string {
	for _, f := range call.Evidence() {
		if f.Dir == frame.Sent {
			return f.Message().ID
		}
	}
	return ""
}

// idProperty finds an id in JSON that cannot be parsed as a whole, such as JSON with NaN
// in it.
var idProperty = regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`)

// unreadable finds a line that was meant as the response but is not one: it names the
// protocol and the id of the call. Log lines name neither, even in JSON.
func unreadable(seen []probe.Seen, call *probe.Reply) (probe.Seen, bool) {
	id := sentID(call)
	for _, s := range seen {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage || s.Message().Class != frame.NotJSON || id == "" {
			continue
		}
		text := strings.TrimSpace(s.Payload())
		named := idProperty.FindStringSubmatch(text)
		meant := strings.HasPrefix(text, "{") && strings.Contains(text, `"jsonrpc"`) && !strings.Contains(text, `"method"`)
		if meant && named != nil && frame.SameID(named[1], id) {
			return s, true
		}
	}
	return probe.Seen{}, false
}

// argumentsOptional fails only a refusal that depends on the missing empty object. The
// tool may fail both times.
func argumentsOptional(c *probe.Client) error {
	name, ok := undemanding(c)
	c.NotSeenIf(!ok, "no read-only tool is listed as one that requires no arguments")
	with := c.Call("tools/call", probe.Object{"name": name, "arguments": probe.Object{}})
	c.NotSeenIf(!with.Served(), probe.Show(name)+", called with {}, gives no result: "+with.Outcome())
	without := c.Call("tools/call", probe.Object{"name": name})
	if without.Failed() && !aboutParams(without) {
		again := c.Call("tools/call", probe.Object{"name": name, "arguments": probe.Object{}})
		c.UndecideIf(!again.Served(), "the tool no longer runs with an empty object either: "+again.Outcome())
	}
	return without.WantResult()
}

// undemanding is the name of a read-only tool whose schema requires no arguments: that of
// the role, or else the first that may be called.
func undemanding(c *probe.Client) (name string, ok bool) {
	names := []string{c.Role(readOnly).Call().Tool}
	for _, call := range c.Survey().Safe {
		names = append(names, call.Tool)
	}
	tools := usable(c)
	for _, name := range names {
		t, listed := tools.Find(name)
		schema, isObject := t.Get("inputSchema").(map[string]any)
		if listed && isObject && accepts(schema, probe.Object{}) {
			return name, true
		}
	}
	return "", false
}

// aboutParams reports whether an error is about the form of the request. Other errors may
// have any reason, such as a limit.
func aboutParams(reply *probe.Reply) bool {
	return reply.HasCode(protocol.InvalidParams) || reply.HasCode(protocol.InvalidRequest)
}
