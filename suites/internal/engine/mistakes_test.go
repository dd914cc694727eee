package engine_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// What the server does not list, and arguments that do not fit, are mistakes of the file.
// What it lists at another revision, or reads without listing it, is none.
func TestMistakesOfRoles(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ roles, want string }{
		"fits":                 {`slow-tool: {tool: count, arguments: {days: 3}}`, ""},
		"another type":         {`slow-tool: {tool: count, arguments: {days: "${nonce}"}}`, "roles.slow-tool: count refuses these arguments at 2025-11-25: arguments/days is"},
		"another name":         {`slow-tool: {tool: count, arguments: {day: 3}}`, `did you mean "days"?`},
		"below the role":       {`content: {text: {tool: count, arguments: {}}}`, "roles.content.text: count refuses"},
		"no arguments":         {`slow-tool: {tool: count}`, ""},
		"meant to fail":        {`failure: {tool: count, arguments: {}}`, ""},
		"a step that fails":    {`transaction: {failing-step: {tool: count, arguments: {}}}`, ""},
		"from another result":  {`session-state: {first: {tool: plain}, second: {tool: count, arguments: {days: "${result:/a}"}}}`, ""},
		"of no revision":       {`slow-tool: {tool: counts}`, `lists no tool "counts" at 2025-11-25; did you mean "count"?`},
		"at another revision":  {`slow-tool: {tool: older}`, ""},
		"of other clients":     {`client-request: {sampling: {tool: trigger_sampling}}`, ""},
		"tasks that ask":       {`task-tool: {tool: plain, input: {tool: trigger_elicitation}}`, ""},
		"input that is wanted": {`input-required: {tool: trigger_elicitation}`, ""},
		"misspelt there":       {`client-request: {sampling: {tool: plan}}`, `lists no tool "plan" at 2025-11-25; did you mean "plain"?`},
		"unlisted, readable":   {`resource: {uri: "harbour://logs"}`, ""},
		"unlisted, failing":    {`failure: {resource: {uri: "harbour://lag"}}`, ""},
		"resource elsewhere":   {`resource: {uri: "harbour://lot"}`, ""},
		"unlisted, unreadable": {`resource: {uri: "harbour://lag"}`, `lists no resource "harbour://lag"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "target: {command: [x]}\nroles: {" + row.roles + "}\n"
			cfg, err := config.Parse("c.yaml", []byte(yaml), func(string) (string, bool) { return "", false }, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			p := plan(t, ageing(), suite.Case{ID: "try/one", Run: passes})
			p.Config = cfg
			p.Ways[0].Launcher = target.Memory{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
				return ageing().Serve(ctx, term, in, out, errw) // each process knows its own revision
			}}
			run, err := engine.Begin(t.Context(), p)
			if err == nil {
				run.Start(t.Context())
				run.Close(t.Context())
			}
			mistake := (*config.Error)(nil)
			if row.want == "" && err != nil || row.want != "" && (!errors.As(err, &mistake) || !strings.Contains(mistake.Message, row.want)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// Arguments that fit at one of the judged revisions are no mistake; at the others the role
// is not there.
func TestArgumentsOfOneRevision(t *testing.T) {
	t.Parallel()
	yaml := "target: {command: [x]}\nroles: {slow-tool: {tool: weigh, arguments: {load: 3}}}\n"
	cfg, err := config.Parse("c.yaml", []byte(yaml), func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Revisions = config.Revisions{All: true}
	p := plan(t, ageing(), suite.Case{ID: "try/one", Run: passes, Needs: []suite.Need{suite.Role(roles.SlowTool)}})
	p.Config = cfg
	p.Ways[0].Launcher = target.Memory{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		return ageing().Serve(ctx, term, in, out, errw)
	}}
	r, _ := gather(t, p)
	got := map[requirements.Revision]string{}
	for _, f := range r.Findings {
		got[f.Revision] = string(f.Status)
		if f.Reason != nil {
			got[f.Revision] = f.Reason.Text
		}
	}
	want := map[requirements.Revision]string{
		requirements.R20250618: "its arguments do not fit the input schema of its tool at this revision", requirements.R20251125: "pass",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// ageing lists another tool and another resource at its older revision.
func ageing() *fakeserver.Server {
	version := ""
	s := &fakeserver.Server{
		Revisions: []string{string(requirements.R20250618), string(requirements.R20251125)}, Capabilities: fakeserver.Offers("tools", "resources"),
	}
	plainly := map[string]any{"type": "object"}
	s.Answer = fakeserver.Answers{
		"initialize": func(r fakeserver.Request) any {
			version, _ = r.Params["protocolVersion"].(string)
			return s.Initialize(r)
		},
		"tools/list": func(fakeserver.Request) any {
			tools := []any{map[string]any{"name": "plain", "inputSchema": plainly}, map[string]any{"name": "count", "inputSchema": map[string]any{
				"type": "object", "required": []any{"days"}, "properties": map[string]any{"days": map[string]any{"type": "integer"}},
			}}}
			load := map[string]any{"type": "integer"}
			if version == string(requirements.R20250618) {
				load = map[string]any{"type": "string"}
				tools = append(tools, map[string]any{"name": "older", "inputSchema": plainly})
			}
			return map[string]any{"tools": append(tools, map[string]any{"name": "weigh", "inputSchema": map[string]any{
				"type": "object", "properties": map[string]any{"load": load},
			}})}
		},
		"resources/list": func(fakeserver.Request) any {
			listed := []any{map[string]any{"uri": "harbour://log", "name": "log"}}
			if version == string(requirements.R20250618) {
				listed = append(listed, map[string]any{"uri": "harbour://lot", "name": "lot"})
			}
			return map[string]any{"resources": listed}
		},
		"resources/read": func(r fakeserver.Request) any {
			if r.Params["uri"] == "harbour://logs" {
				return map[string]any{"contents": []any{}}
			}
			return &fakeserver.Error{Code: -32002, Message: "no such resource"}
		},
	}
	return s
}
