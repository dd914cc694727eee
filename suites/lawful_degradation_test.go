package suites_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// calling is a server of tools that answers calls of those in its own way, once
// their arguments fit.
func calling(answer func(r rigged.Request) any) *rigged.Server {
	return &rigged.Server{Capabilities: offersTools, Tools: tools(2), Answer: map[string]func(rigged.Request) any{
		"tools/call": func(r rigged.Request) any {
			name, _ := r.Params["name"].(string)
			switch given := r.Params["arguments"]; {
			case name != "tool_0" && name != "tool_1":
				return &rigged.Error{Code: -32602, Message: "unknown tool"}
			case given != nil && !hasText(r):
				refusal := text("text is not a string")
				refusal["isError"] = true
				return refusal
			}
			return answer(r)
		},
	}}
}

func text(words string) map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": words}}}
}

// beside are the params of a call that the protocol does not know.
func beside(r rigged.Request) []string {
	params := maps.Clone(r.Params)
	for _, known := range []string{"name", "arguments", "_meta", "task"} {
		delete(params, known)
	}
	return slices.Sorted(maps.Keys(params))
}

// optional are servers that treat what they do not know as they may.
func optional() []lawful {
	var calls atomic.Int64
	return []lawful{
		{name: "rejects properties beside the arguments and names them", server: calling(func(r rigged.Request) any {
			if odd := beside(r); len(odd) > 0 {
				return &rigged.Error{Code: -32602, Message: "unrecognized keys: " + strings.Join(odd, ", ")}
			}
			return text("calm")
		})},
		{name: "rejects properties beside the arguments as invalid params", server: calling(func(r rigged.Request) any {
			if len(beside(r)) > 0 {
				return &rigged.Error{Code: -32602, Message: "Invalid request parameters"}
			}
			return text("calm")
		}), warned: []string{"ext-degradation/params-refusal-clear"}},
		{name: "shows the request that it got", server: calling(func(r rigged.Request) any { return text(r.Text) })},
		{name: "answers that are never the same", server: calling(func(rigged.Request) any {
			return text(fmt.Sprint(calls.Add(1)))
		})},
	}
}

// known are servers that have something which looks like an extension.
func known() []lawful {
	extensions := func(held any) map[string]any { return map[string]any{"tools": map[string]any{}, "extensions": held} }
	return []lawful{
		{name: "extensions of others, declared in advance", server: &rigged.Server{Tools: tools(2), Capabilities: map[string]any{
			"tools": map[string]any{}, "experimental": map[string]any{"streaming": map[string]any{}},
			"extensions": map[string]any{"com.example/streaming": true, "tides": 1, "io.modelcontextprotocol/ui": map[string]any{}},
		}}},
		{name: "extensions of others, in a list", server: &rigged.Server{Tools: tools(2), Capabilities: extensions([]any{"tides"})}},
		{name: "methods of events in another sense", server: &rigged.Server{
			Tools: tools(2), Capabilities: offersTools, Answer: map[string]func(rigged.Request) any{
				"events/subscribe": func(rigged.Request) any { return &rigged.Error{Code: -32602, Message: "delivery is missing"} },
				"events/list":      func(rigged.Request) any { return map[string]any{"events": []any{}} },
			}}},
		{name: "a method called resume of its own", server: &rigged.Server{
			Tools: tools(2), Capabilities: offersTools, Answer: map[string]func(rigged.Request) any{
				"resume": func(rigged.Request) any { return map[string]any{"resumed": 0} },
			}}},
		{name: "help for agents, and no claim", server: &rigged.Server{
			Tools: tools(2), Capabilities: offersTools, Answer: map[string]func(rigged.Request) any{
				"ai_help": func(rigged.Request) any {
					return map[string]any{"content": "# Harbour\n", "contentType": "text/markdown"}
				},
				"recommend_servers": func(rigged.Request) any {
					return map[string]any{"capability_needed": "weather", "recommendations": []any{}}
				},
			}}},
		{name: "reads session_state of its own", server: calling(func(r rigged.Request) any {
			meta, _ := r.Params["_meta"].(map[string]any)
			if meta["session_state"] != nil {
				return &rigged.Error{Code: -32602, Message: "session_state was not issued by this server"}
			}
			return text("calm")
		}), warned: []string{"ext-degradation/unclaimed-meta-session-state"}},
		{name: "sorts its errors in its own way", server: &rigged.Server{
			Tools: tools(2), Capabilities: offersTools, Edit: func(text string) string {
				return strings.ReplaceAll(text, `"message":"`, `"data":{"code":"E-404","category":"routing","message":"none"},"message":"`)
			},
		}},
		{name: "says in its own language that there is no method", server: &rigged.Server{
			Tools: tools(2), Capabilities: offersTools, Edit: func(text string) string {
				return strings.ReplaceAll(text, "method not found", "Methode nicht gefunden")
			},
		}},
	}
}

func TestLawfulWithoutExtensions(t *testing.T) {
	t.Parallel()
	offered := &suitesOffered{by: map[string]bool{}}
	for _, row := range append(optional(), known()...) {
		t.Run(row.name, func(t *testing.T) { row.judge(t, offered) })
	}
}

// Behind a server may be several that take turns: one call finds the one, the next
// the other, whatever is asked.
func TestReplicasTakeTurns(t *testing.T) {
	t.Parallel()
	other := func(differs any) *rigged.Server {
		var calls atomic.Int64
		return calling(func(rigged.Request) any {
			if calls.Add(1)%2 == 0 {
				return differs
			}
			return text("calm")
		})
	}
	broken := text("the archive is gone")
	broken["isError"] = true
	for name, server := range map[string]*rigged.Server{"two answers": other(text("windy")), "one broken": other(broken)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := proof.Judge(t, suites.Plan{
				Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 20 * time.Second,
				Jobs:     1, // nobody else's calls come between
				Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ext-degradation" },
			})
			wantNothingSaid(t, report)
		})
	}
}

// The kit ignores what it does not know: a server that adds properties of its own
// to whatever an extension says keeps every rule of the extensions.
func TestUnknownPropertiesAreIgnored(t *testing.T) {
	t.Parallel()
	f := &fault.Fault{
		Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok {
				adorn(map[string]any(result), x.Method != "tools/call")
			}
			if failure, failed := m["error"].(map[string]any); failed {
				adorn(failure["data"], true)
			}
		},
		Notify: func(_ fault.Exchange, m fault.Message) { adorn(m["params"], true) },
	}
	cfg := reference(t)
	cfg.Transport = config.Stdio // what a message says is the same over HTTP
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: inprocess.Server(f), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, c suite.Case) bool {
			return strings.HasPrefix(s.Name, "ext-") && c.Lane != suite.Waits
		},
	})
	wantNothingSaid(t, report)
	if !slices.ContainsFunc(report.Findings, func(f reports.Finding) bool { return f.Status == reports.Pass }) {
		t.Error("nothing passed, so this shows nothing")
	}
}

// adorn adds a property of another vendor to the objects of an answer. Where its
// names are not those of a protocol or an extension, as in schemas and in what a tool
// answers, nothing is added.
func adorn(value any, deeper bool) {
	var object map[string]any
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			adorn(item, deeper)
		}
		return
	case fault.Message:
		object = v
	case map[string]any:
		object = v
	default:
		return
	}
	for name, inner := range object {
		named := slices.Contains([]string{
			"inputSchema", "outputSchema", "input_schema", "output_schema", "structuredContent", "arguments", "parameters", "data", "extensions",
			"experimental", "partial_result", "result",
		}, name)
		if !named && (deeper || name == "_meta") {
			adorn(inner, true)
		}
	}
	object["x-vendor.example"] = map[string]any{"colour": "blue", "list": []any{1, nil}}
}
