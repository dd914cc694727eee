package degradation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-degradation", slices.Concat(optional(), known()))
}

// calling is a server of tools that answers calls of those in its own way, once
// their arguments fit.
func calling(answer func(r fakeserver.Request) any) *fakeserver.Server {
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Answer: fakeserver.Answers{
		"tools/call": func(r fakeserver.Request) any {
			name, _ := r.Params["name"].(string)
			switch given := r.Params["arguments"]; {
			case name != "tool_0" && name != "tool_1":
				return &fakeserver.Error{Code: -32602, Message: "unknown tool"}
			case given != nil && !fakeserver.HasText(r):
				refusal := fakeserver.Text("text is not a string")
				refusal["isError"] = true
				return refusal
			}
			return answer(r)
		},
	}}
}

// beside are the params of a call that the protocol does not know.
func beside(r fakeserver.Request) []string {
	params := maps.Clone(r.Params)
	for _, known := range []string{"name", "arguments", "_meta", "task"} {
		delete(params, known)
	}
	return slices.Sorted(maps.Keys(params))
}

// optional are servers that treat what they do not know as they may.
func optional() []lawful.Row {
	var calls atomic.Int64
	return []lawful.Row{
		{Name: "rejects properties beside the arguments and names them", Server: calling(func(r fakeserver.Request) any {
			if odd := beside(r); len(odd) > 0 {
				return &fakeserver.Error{Code: -32602, Message: "unrecognized keys: " + strings.Join(odd, ", ")}
			}
			return fakeserver.Text("calm")
		})},
		{Name: "rejects properties beside the arguments as invalid params", Server: calling(func(r fakeserver.Request) any {
			if len(beside(r)) > 0 {
				return &fakeserver.Error{Code: -32602, Message: "Invalid request parameters"}
			}
			return fakeserver.Text("calm")
		}), Warned: []string{"ext-degradation/params-refusal-clear"}},
		{Name: "shows the request that it got", Server: calling(func(r fakeserver.Request) any { return fakeserver.Text(r.Text) })},
		{Name: "answers that are never the same", Server: calling(func(fakeserver.Request) any {
			return fakeserver.Text(fmt.Sprint(calls.Add(1)))
		})},
	}
}

// known are servers that have something which looks like an extension.
func known() []lawful.Row {
	extensions := func(held any) map[string]any { return map[string]any{"tools": map[string]any{}, "extensions": held} }
	return []lawful.Row{
		{Name: "extensions of others, declared in advance", Server: &fakeserver.Server{Tools: fakeserver.Tools(2), Capabilities: map[string]any{
			"tools": map[string]any{}, "experimental": map[string]any{"streaming": map[string]any{}},
			"extensions": map[string]any{"com.example/streaming": true, "tides": 1, "io.modelcontextprotocol/ui": map[string]any{}},
		}}},
		{Name: "extensions of others, in a list", Server: &fakeserver.Server{Tools: fakeserver.Tools(2), Capabilities: extensions([]any{"tides"})}},
		{Name: "methods of events in another sense", Server: &fakeserver.Server{
			Tools: fakeserver.Tools(2), Capabilities: fakeserver.Offers("tools"), Answer: fakeserver.Answers{
				"events/subscribe": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32602, Message: "delivery is missing"} },
				"events/list":      func(fakeserver.Request) any { return map[string]any{"events": []any{}} },
			}}},
		{Name: "a method called resume of its own", Server: &fakeserver.Server{
			Tools: fakeserver.Tools(2), Capabilities: fakeserver.Offers("tools"), Answer: fakeserver.Answers{
				"resume": func(fakeserver.Request) any { return map[string]any{"resumed": 0} },
			}}},
		{Name: "a method called resume of its own, that answers with an empty object", Server: &fakeserver.Server{
			Tools: fakeserver.Tools(2), Capabilities: fakeserver.Offers("tools"), Answer: fakeserver.Answers{
				"resume": func(fakeserver.Request) any { return map[string]any{} },
			}}, Warned: []string{"ext-degradation/unclaimed-method-resume"}},
		{Name: "help for agents, and no claim", Server: &fakeserver.Server{
			Tools: fakeserver.Tools(2), Capabilities: fakeserver.Offers("tools"), Answer: fakeserver.Answers{
				"ai_help": func(fakeserver.Request) any {
					return map[string]any{"content": "# Harbour\n", "contentType": "text/markdown"}
				},
				"recommend_servers": func(fakeserver.Request) any {
					return map[string]any{"capability_needed": "weather", "recommendations": []any{}}
				},
			}}, Config: "claims: [-dashdash-ai-help]"}, // such a guide is not that of the proposal
		{Name: "reads session_state of its own", Server: calling(func(r fakeserver.Request) any {
			meta, _ := r.Params["_meta"].(map[string]any)
			if meta["session_state"] != nil {
				return &fakeserver.Error{Code: -32602, Message: "session_state was not issued by this server"}
			}
			return fakeserver.Text("calm")
		}), Warned: []string{"ext-degradation/unclaimed-meta-session-state"}},
		{Name: "sorts its errors in its own way", Server: &fakeserver.Server{
			Tools: fakeserver.Tools(2), Capabilities: fakeserver.Offers("tools"), Edit: func(text string) string {
				return strings.ReplaceAll(text, `"message":"`, `"data":{"code":"E-404","category":"routing","message":"none"},"message":"`)
			},
		}},
		{Name: "says in its own language that there is no method", Server: &fakeserver.Server{
			Tools: fakeserver.Tools(2), Capabilities: fakeserver.Offers("tools"), Edit: func(text string) string {
				return strings.ReplaceAll(text, "method not found", "Methode nicht gefunden")
			},
		}},
	}
}

// Behind a server may be several that take turns: one call finds the one, the next
// the other, whatever is asked, or two calls each.
func TestReplicasTakeTurns(t *testing.T) {
	t.Parallel()
	other := func(differs any, first, each int64) *fakeserver.Server {
		var calls atomic.Int64
		return calling(func(fakeserver.Request) any {
			if (first+calls.Add(1))/each%2 == 0 {
				return differs
			}
			return fakeserver.Text("calm")
		})
	}
	broken := fakeserver.Text("the archive is gone")
	broken["isError"] = true
	windy := fakeserver.Text("windy")
	for name, server := range map[string]*fakeserver.Server{
		"two answers": other(windy, 0, 1), "one broken": other(broken, 0, 1), "two answers, twice each": other(windy, 0, 2),
		"two answers, twice each, from the second on": other(windy, 1, 2), "two answers, twice each, from the third on": other(windy, 2, 2),
		"two answers, twice each, from the fourth on": other(windy, 3, 2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := proof.Judge(t, plan.Plan{
				Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Seed: 1, Timeout: 20 * time.Second,
				Jobs:     1, // nobody else's calls come between
				Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ext-degradation" },
			})
			lawful.NothingSaid(t, report)
		})
	}
}

// Where the tool that the kit chose always fails, another one shows what a call with unknown
// metadata gets.
func TestAnotherToolAnswers(t *testing.T) {
	t.Parallel()
	const id = "ext-degradation/unknown-meta-call"
	for name, row := range map[string]struct {
		answer func(r fakeserver.Request) any
		want   reports.Status
	}{
		"it takes any metadata": {func(fakeserver.Request) any { return fakeserver.Text("calm") }, reports.Pass},
		"it takes no unknown metadata": {func(r fakeserver.Request) any {
			if _, given := r.Params["_meta"]; given {
				return &fakeserver.Error{Code: -32603, Message: "internal error"}
			}
			return fakeserver.Text("calm")
		}, reports.Fail},
		"none answers": {func(fakeserver.Request) any { return &fakeserver.Error{Code: -32603, Message: "internal error"} }, reports.Skip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(3), Answer: fakeserver.Answers{
				"tools/call": func(r fakeserver.Request) any {
					if r.Params["name"] != "tool_2" {
						return &fakeserver.Error{Code: -32603, Message: "no such host"}
					}
					return row.answer(r)
				},
			}}
			report := proof.Judge(t, plan.Plan{
				Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Seed: 1, Timeout: 5 * time.Second,
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
			})
			if len(report.Findings) != 1 || report.Findings[0].Status != row.want {
				t.Errorf("got %+v, want %s", report.Findings, row.want)
			}
		})
	}
}
