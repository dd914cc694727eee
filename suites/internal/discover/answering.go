package discover

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// candidates are calls of the tools that can fill roles.read-only-tool, first the one that Fill
// chose from the lists. There are none where the configuration or a fixture names the tool, where
// the chosen tool does not say that it is read-only or is the only one that does, and where the
// server takes so long to answer that a call shows nothing in time. Tools that say that they are
// slow, fail or ask the client replace no tool that does not say so.
func candidates(s *probe.Survey, filled roles.Set) []roles.Call {
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

// A trial is what calls of candidates showed.
type trial struct {
	works   roles.Call // the first call that did not fail; the zero value where none is known
	fails   string     // how the first candidate failed
	spoiled bool       // a call was not answered, and the server may be at work on it
}

// try calls the candidates until one works. Only a candidate that was answered is passed over:
// cases judge the one that is silent or ends the server.
func try(ctx context.Context, k *probe.Control, candidates []roles.Call) (t trial) {
	err := k.Run(ctx, func(c *probe.Client) error {
		left := answering // by the times of frames, which are the same in a replay
		for _, call := range candidates[:min(len(candidates), mostCalled)] {
			if left <= 0 {
				return nil
			}
			reply := c.Call("tools/call", probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}, probe.Within(left))
			switch {
			case !reply.Answered():
				t.spoiled = true
				return nil
			case !fails(reply):
				t.works = call
				return nil
			}
			t.fails = cmp.Or(t.fails, reply.Outcome())
			left -= reply.Took()
		}
		return nil
	})
	t.spoiled = t.spoiled || err != nil
	return t
}

// fails reports whether an answer is an error, or asks the client for something. A result of
// the wrong form is for the cases to judge.
func fails(reply *probe.Reply) bool {
	kind, _ := reply.At("/result/resultType")
	return reply.Message().Class == frame.Error || reply.ErrorFlag() || kind == protocol.InputRequired
}

// prefer fills roles.read-only-tool with a call of another tool.
func prefer(filled roles.Set, call roles.Call) roles.Set {
	chosen, _ := filled.Role(roles.ReadOnlyTool)
	chosen.Fields = maps.Clone(chosen.Fields)
	chosen.Fields["tool"], chosen.Fields["arguments"] = call.Tool, literal(call.Arguments)
	return roles.NewSet(filled.Specs(), chosen).Over(filled)
}

// A Choice is which read-only tool the cases call.
type Choice struct {
	Roles   roles.Set
	Why     string // why it is not the first one; empty where it is
	Spoiled bool   // a call was not answered, and the server may be at work on it
}

// Choose calls the tools that discovery chose for roles.read-only-tool. Most of the cases that
// need the role show nothing where its tool fails by itself, as one does that misses a key or a
// file; where another tool works, they call that one.
func Choose(ctx context.Context, k *probe.Control, s *probe.Survey, filled roles.Set) Choice {
	all := candidates(s, filled)
	if len(all) == 0 {
		return Choice{Roles: filled}
	}
	tried := try(ctx, k, all)
	first, other := all[0].Tool, tried.works.Tool
	if other == "" || other == first {
		return Choice{Roles: filled, Spoiled: tried.spoiled}
	}
	why := fmt.Sprintf("discovery chose %s as the read-only tool that cases call, since a call of %s with made-up arguments got %s; "+
		"roles.read-only-tool names another", probe.Show(other), probe.Show(first), tried.fails)
	return Choice{prefer(filled, tried.works), why, tried.spoiled}
}
