package completion_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

const chart = "roles: {completion: {ref: {type: ref/prompt, name: chart}, argument: harbour, value: B}}"

func TestLawful(t *testing.T) {
	lawful.Servers(t, "completion", []lawful.Row{
		{Name: "a hundred values of many", Config: chart, Server: completes(func(argument, string) any { return found(hundred()) })},
		{Name: "a hundred values, which are all", Config: chart, Server: completes(func(argument, string) any {
			return found(map[string]any{"values": slices.Repeat([]any{"B1"}, 100), "total": 100, "hasMore": false})
		})},
		{Name: "nothing for the first letter of what is suggested", Server: completes(func(_ argument, value string) any {
			if value != "" {
				return invalid("no harbour begins with this")
			}
			return found(map[string]any{"values": []any{"Bergen"}})
		})},
		{Name: "no values, and nothing beside them", Server: completes(func(argument, string) any {
			return found(map[string]any{"values": []any{}})
		})},
		{Name: "totals and more of any kind", Server: completes(func(of argument, value string) any {
			return found(map[string]any{"values": []any{"", "Bergen", "Bergen"}, "total": 2.5e3, "hasMore": false, "vendor": nil})
		})},
		{Name: "all values, and more of an unknown number", Server: completes(func(of argument, value string) any {
			if of.kind != "ref/prompt" {
				return found(map[string]any{"values": []any{"Bergen"}, "hasMore": true})
			}
			return found(map[string]any{"values": []any{"Bergen", "Brest"}, "total": 2, "hasMore": false})
		})},
		{Name: "prompts only", Config: chart, Server: completes(func(of argument, value string) any {
			if of.kind != "ref/prompt" {
				return invalid("templates are not completed")
			}
			return found(map[string]any{"values": []any{"B" + value}, "hasMore": true})
		})},
		{Name: "templates only, and an error of its own for prompts", Server: completes(func(of argument, _ string) any {
			if of.kind != "ref/resource" {
				return &fakeserver.Error{Code: 7, Message: "closed"}
			}
			return found(map[string]any{"values": []any{"today"}, "total": 1})
		})},
		{Name: "nothing can be looked up", Server: completes(func(argument, string) any {
			return &fakeserver.Error{Code: -32603, Message: "no such host"}
		})},
		{Name: "ranked by a notion of its own", Config: ranked, Server: completes(func(argument, string) any {
			return found(map[string]any{"values": []any{"Bremen", "Oslo", "Bergen", "Brest"}})
		})},
		{Name: "a limit that each text counts towards", Config: limited, Server: limiting()},
		{Name: "completions that are not declared, and without values", Server: undeclared(func(fakeserver.Request) any {
			return found(map[string]any{"values": []any{}})
		})},
		{Name: "completions that are not declared, and unknown", Server: undeclared(func(fakeserver.Request) any {
			return &fakeserver.Error{Code: -32601, Message: "not offered"}
		})},
		{Name: "at 2024-11-05, which has no capability for it", Server: &fakeserver.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("prompts"), Prompts: []map[string]any{prompt()},
			Answer: fakeserver.Answers{"completion/complete": answers(func(argument, string) any {
				return found(map[string]any{"values": []any{"Bergen"}})
			})},
		}},
		{Name: "at 2024-11-05, which says nothing of errors", Server: &fakeserver.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("prompts", "completions"), Prompts: []map[string]any{prompt()},
			Answer: fakeserver.Answers{"completion/complete": func(r fakeserver.Request) any {
				if ref, _ := r.Params["ref"].(map[string]any); ref["name"] == "chart" && r.Params["argument"] != nil {
					return found(map[string]any{"values": []any{"Bergen"}})
				} else if ref == nil {
					return invalid("ref is missing")
				}
				return &fakeserver.Error{Code: -32603, Message: "unexpected"}
			}},
		}},
	})
}

const (
	ranked = "roles: {completion: {ref: {type: ref/prompt, name: chart}, argument: harbour, " +
		"ranked: {value: B, values: [Bremen, Bergen, Brest]}}}"
	limited = "roles: {rate-limit: {completion: {ref: {type: ref/prompt, name: chart}, argument: harbour, repeat: 2}}}"
)

// An argument is what a request completes.
type argument struct{ kind, of, name string }

func prompt() map[string]any {
	return map[string]any{"name": "chart", "arguments": []any{
		map[string]any{"name": "harbour", "required": true}, map[string]any{"name": "scale"},
	}}
}

func found(completion map[string]any) any { return map[string]any{"completion": completion} }

func invalid(words string) *fakeserver.Error { return &fakeserver.Error{Code: -32602, Message: words} }

// completes has a prompt and a template, and completes their arguments.
func completes(suggest func(of argument, value string) any) *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("completions", "prompts", "resources"), Prompts: []map[string]any{prompt()},
		Answer: fakeserver.Answers{
			"completion/complete": answers(suggest),
			"resources/templates/list": func(fakeserver.Request) any {
				log := map[string]any{"name": "log", "uriTemplate": "harbour://log/{day}{?watch}"}
				return map[string]any{"resourceTemplates": []any{log}}
			},
		},
	}
}

// answers refuses what no argument is.
func answers(suggest func(of argument, value string) any) func(fakeserver.Request) any {
	return func(r fakeserver.Request) any {
		ref, _ := r.Params["ref"].(map[string]any)
		given, _ := r.Params["argument"].(map[string]any)
		name, named := given["name"].(string)
		value, typed := given["value"].(string)
		kind, _ := ref["type"].(string)
		of, _ := ref["name"].(string)
		switch {
		case !named || !typed, kind != "ref/prompt" && kind != "ref/resource":
			return invalid("ref and argument are required")
		case kind == "ref/prompt" && of != "chart":
			return invalid("no such prompt")
		}
		return suggest(argument{kind, of, name}, value)
	}
}

// undeclared has the prompt, and does not declare that it completes anything.
func undeclared(answer func(fakeserver.Request) any) *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("prompts"), Prompts: []map[string]any{prompt()},
		Answer: fakeserver.Answers{"completion/complete": answer},
	}
}

// limiting refuses the third completion of a text.
func limiting() *fakeserver.Server {
	var mu sync.Mutex
	asked := map[string]int{}
	return completes(func(_ argument, value string) any {
		mu.Lock()
		defer mu.Unlock()
		if asked[value]++; value != "" && asked[value] > 2 {
			return &fakeserver.Error{Code: 429, Message: "later"}
		}
		return found(map[string]any{"values": []any{}})
	})
}

// The servers above know no revision without a handshake.
func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	full := fault.Set("completion/complete", "/result/completion", hundred())
	lawful.Stateless(t, "a hundred values of many", lawful.Contents, &fault.Fault{Without: server.Extensions(), Reply: full})
	none := fault.Set("completion/complete", "/result/completion", map[string]any{"values": []any{}})
	lawful.Stateless(t, "no values", lawful.Contents, &fault.Fault{Without: server.Extensions(), Reply: none})
}

// hundred is as many values as fit, of more.
func hundred() map[string]any {
	return map[string]any{"values": slices.Repeat([]any{"B1"}, 100), "total": 5000, "hasMore": true}
}
