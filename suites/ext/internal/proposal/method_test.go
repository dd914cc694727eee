package proposal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// In which form a method is found, and what is asked on the way there.
func TestMethod(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	const withheld = "not called"
	claims := object{"tools": object{}, "extensions": object{"io.github.mcp-extension-proposals/permissions": object{}}}
	answer := func(result object) func(fakeserver.Request) any {
		return func(fakeserver.Request) any { return result }
	}
	allowed := object{"allowed": true}
	asTool := func(r fakeserver.Request) any {
		if r.Params["name"] == "check_permissions" {
			return object{"content": []any{object{"type": "text", "text": `{"allowed":true}`}}}
		}
		return &fakeserver.Error{Code: -32602, Message: "unknown tool " + r.Params["name"].(string)}
	}
	complains := func(fakeserver.Request) any {
		return object{"isError": true, "content": []any{object{"type": "text", "text": "no scope"}}}
	}
	listed := func(readOnly bool) []map[string]any {
		return []map[string]any{fakeserver.Tool("check_permissions", readOnly)}
	}
	for name, row := range map[string]struct {
		server *fakeserver.Server
		says   string // what the configuration does
		form   string
		value  any
		asked  []string // the methods and tools that were called, once
	}{
		"the method": {&fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{"permissions/check": answer(allowed)}}, "",
			"M:permissions/check", allowed, []string{"permissions/check", "permissions/check"}},
		"wrapped": {&fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{
			"permissions/check": answer(object{"data": allowed, "resultType": "complete", "_meta": object{}}),
		}}, "", "M:permissions/check", allowed, []string{"permissions/check", "permissions/check"}},
		"refused is known": {&fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{
			"permissions/check": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32602, Message: "which tool?"} },
		}}, "", "M:permissions/check", nil, []string{"permissions/check", "permissions/check"}},
		"an alias": {&fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{"can_execute": answer(allowed)}}, "",
			"M:can_execute", allowed, []string{"permissions/check", "can_execute", "can_execute"}},
		"a tool that is not listed": {&fakeserver.Server{Capabilities: claims, Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "",
			"T:check_permissions", allowed, []string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"a tool of a server that claims nothing": {&fakeserver.Server{Capabilities: object{"tools": object{}}, Tools: listed(false),
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "", "", nil, []string{"permissions/check", "can_execute", "permissions/check"}},
		"a tool that is not listed, of a server that claims nothing": {&fakeserver.Server{Capabilities: object{"tools": object{}},
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "",
			"T:check_permissions", allowed, []string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"a tool that answers like a method": {&fakeserver.Server{Capabilities: claims, Answer: map[string]func(fakeserver.Request) any{
			"tools/call": answer(allowed),
		}}, "", "T:check_permissions", allowed, []string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"a refusal that names nothing": {&fakeserver.Server{Capabilities: claims, Answer: map[string]func(fakeserver.Request) any{
			"tools/call": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32602, Message: "no such tool"} },
		}}, "", "", nil, []string{"permissions/check", "can_execute", "check_permissions", "no_such_tool", "permissions/check"}},
		"arguments that are refused": {&fakeserver.Server{Capabilities: claims, Answer: map[string]func(fakeserver.Request) any{
			"tools/call": func(r fakeserver.Request) any {
				if r.Params["name"] == "check_permissions" {
					return &fakeserver.Error{Code: -32602, Message: "no such scope"}
				}
				return &fakeserver.Error{Code: -32602, Message: "no such tool"}
			},
		}}, "", "T:check_permissions", nil, []string{"permissions/check", "can_execute", "check_permissions", "no_such_tool", "check_permissions"}},
		"a read-only one": {&fakeserver.Server{Capabilities: object{"tools": object{}}, Tools: listed(true),
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "",
			"T:check_permissions", allowed, []string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"a tool that complains": {&fakeserver.Server{Capabilities: claims, Answer: map[string]func(fakeserver.Request) any{"tools/call": complains}}, "",
			"T:check_permissions", "no scope", []string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"listed, and claimed by the server": {&fakeserver.Server{Capabilities: claims, Tools: listed(false),
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "", withheld, nil, []string{"permissions/check", "can_execute"}},
		"listed twice, once as read-only": {&fakeserver.Server{Capabilities: claims, Tools: slices.Concat(listed(true), listed(false)),
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "", withheld, nil, []string{"permissions/check", "can_execute"}},
		"listed, and claimed by the configuration": {&fakeserver.Server{Capabilities: object{"tools": object{}}, Tools: listed(false),
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "claims", "T:check_permissions", allowed,
			[]string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"listed, and everything is allowed": {&fakeserver.Server{Capabilities: claims, Tools: listed(false),
			Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "side effects", "T:check_permissions", allowed,
			[]string{"permissions/check", "can_execute", "check_permissions", "check_permissions"}},
		"pinned": {&fakeserver.Server{Capabilities: object{"tools": object{}}, Answer: map[string]func(fakeserver.Request) any{"tools/call": asTool}}, "pins",
			"T:check_permissions", allowed, []string{"check_permissions", "check_permissions"}},
		"nothing": {&fakeserver.Server{}, "", "", nil, []string{"permissions/check", "can_execute", "permissions/check"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := proposal.Method{
				Extension: "permissions", Name: "permissions/check", Aliases: []string{"can_execute"},
				Tools: []string{"check_permissions"}, Harmless: true,
			}
			var got [2]proposal.Answer
			extension := proposal.Extension("permissions")
			extension.Evidence = nil // it asks too
			asked(t, row.server, row.says, extension, func(c *probe.Client) error {
				for i := range got {
					got[i].Form = withheld // unless the answer is read
					got[i] = m.Ask(c, probe.Object{"tool": "x"})
				}
				return nil
			})
			if row.form == withheld {
				got[1] = got[0] // the first ends the case
			}
			for _, a := range got {
				if a.Form != row.form || a.Unknown != (row.form == "") || !probe.Same(a.Value, row.value) {
					t.Errorf("%q %v %v, want %q %v", a.Form, a.Unknown, a.Value, row.form, row.value)
				}
			}
			var called []string
			for _, r := range row.server.Seen() {
				switch {
				case slices.Contains([]string{"permissions/check", "can_execute"}, r.Method):
					called = append(called, r.Method)
				case r.Method == "tools/call":
					name := r.Params["name"].(string)
					if strings.HasPrefix(name, "no_such_tool_") {
						name = "no_such_tool"
					}
					called = append(called, name)
				}
			}
			if diff := cmp.Diff(row.asked, called); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// asked runs one case against a server.
func asked(t *testing.T, s *fakeserver.Server, says string, extension suite.Extension, run func(*probe.Client) error) {
	t.Helper()
	cfg := config.Default()
	switch says {
	case "pins":
		cfg.Dialects = map[string]config.Dialect{"permissions": {Method: "T"}}
	case "claims":
		cfg.Claims.Forced = []string{"permissions"}
	}
	report, err := judge.Judge(t.Context(), plan.Plan{
		Config: cfg, Local: &plan.Local{Serve: s.Serve}, AllowSideEffects: says == "side effects",
		Suites: []suite.Suite{{Name: "asks", Title: "answers are read", Extension: suite.Extension{}, Cases: []suite.Case{{
			ID: "asks/once", Title: "answers are read", Fix: "read them", Checks: []requirements.ID{"ping-empty-result"}, Run: run,
		}}}, {Name: "asks-ext", Title: "answers are read", Extension: extension, Cases: []suite.Case{{
			ID: "asks-ext/none", Title: "nothing is asked", Fix: "none", Checks: []requirements.ID{"ping-empty-result"},
			Run: func(*probe.Client) error { return nil },
		}}}},
	}, nil)
	if err != nil || report.Verdict.ExitCode != 0 {
		t.Fatal(err, report.Verdict, report.Findings)
	}
}
