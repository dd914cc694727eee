package discover

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Candidates are calls of the tools that can fill roles.read-only-tool, first the one that Fill
// chose from the lists. There are none where the configuration or a fixture names the tool, where
// the chosen tool does not say that it is read-only or is the only one that does, and where the
// server takes so long to answer that a call shows nothing in time. Tools that say that they are
// slow, fail or ask the client replace no tool that does not say so.
func Candidates(s *probe.Survey, filled roles.Set) []roles.Call {
	chosen, _ := filled.Role(roles.ReadOnlyTool)
	name := chosen.Text("tool")
	if name == "" || chosen.From("tool") != roles.Discovered || 4*s.RoundTrip > answering {
		return nil
	}
	listed := map[string]map[string]any{}
	for _, item := range tools(s) {
		tool := probe.ObjectOf(item)
		listed[probe.TextOf(tool["name"])] = tool
	}
	calls := slices.DeleteFunc(slices.Clone(s.Safe), func(call roles.Call) bool {
		return trouble(listed[call.Tool]) > trouble(listed[name])
	})
	slices.SortStableFunc(calls, func(a, b roles.Call) int { return cmp.Compare(demands(listed[a.Tool]), demands(listed[b.Tool])) })
	if len(calls) < 2 || calls[0].Tool != name {
		return nil
	}
	return calls
}

// mostCalled is how many candidates are called at most, and answering is how long all of them
// together may take: a server whose tools hang or are slow keeps the run waiting only once.
const (
	mostCalled = 8
	answering  = 2 * time.Second
)

// A Trial is what calls of candidates showed.
type Trial struct {
	Works roles.Call // the first call that did not fail; the zero value where none is known
	Fails string     // how the first candidate failed
	// Spoiled: a call was not answered, and the server may be at work on it.
	Spoiled bool
}

// Try calls the candidates until one works. Only a candidate that was answered is passed over:
// cases judge the one that is silent or ends the server.
func Try(ctx context.Context, k *probe.Control, candidates []roles.Call) (t Trial) {
	err := k.Run(ctx, func(c *probe.Client) error {
		left := answering // by the times of frames, which are the same in a replay
		for _, call := range candidates[:min(len(candidates), mostCalled)] {
			if left <= 0 {
				return nil
			}
			reply := c.Call("tools/call", probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}, probe.Within(left))
			switch {
			case !reply.Answered():
				t.Spoiled = true
				return nil
			case !fails(reply):
				t.Works = call
				return nil
			}
			t.Fails = cmp.Or(t.Fails, reply.Outcome())
			left -= reply.Took()
		}
		return nil
	})
	t.Spoiled = t.Spoiled || err != nil
	return t
}

// fails reports whether an answer is an error, or asks the client for something. A result of
// the wrong form is for the cases to judge.
func fails(reply *probe.Reply) bool {
	kind, _ := reply.At("/result/resultType")
	return reply.Message().Class == frame.Error || reply.ErrorFlag() || kind == protocol.InputRequired
}

// Prefer fills roles.read-only-tool with a call of another tool.
func Prefer(filled roles.Set, call roles.Call) roles.Set {
	chosen, _ := filled.Role(roles.ReadOnlyTool)
	chosen.Fields = maps.Clone(chosen.Fields)
	chosen.Fields["tool"], chosen.Fields["arguments"] = call.Tool, literal(call.Arguments)
	return roles.NewSet(filled.Specs(), chosen).Over(filled)
}
