package manifest_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/manifest"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A manifest in the answer to initialize is that of the moment of the handshake, and
// one in the answer to server/discover can be asked for again.
func TestChangeOfToolsAfterTheOpening(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		opening, revision string
		stale             bool
		want              reports.Status
	}{
		{"initialize", "2025-11-25", false, reports.Skip},
		{"server/discover", "2026-07-28", false, reports.Pass},
		{"server/discover", "2026-07-28", true, reports.Warn},
	} {
		t.Run(row.opening, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Parse("mcp-conform.yaml", []byte("revision: ["+row.revision+"]\nroles: {trigger: {tools: {tool: moor}}}\n"),
				func(string) (string, bool) { return "", false }, config.Known{Roles: pages.Roles(pages.All())})
			if err != nil {
				t.Fatal(err)
			}
			r := proof.Judged(t, plan.Plan{
				Config: cfg, Local: &plan.Local{Serve: changing(row.opening, row.stale).Serve}, Suites: []suite.Suite{manifest.Suite()},
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "ext-manifest/runtime-current" }, // others call the tool
			})
			for _, f := range r.Findings {
				if f.Status != row.want {
					t.Errorf("at %s %s: %s%v, want %s", f.Revision, f.Status, f.Problem, f.Reason, row.want)
				}
			}
		})
	}
}

// changing hands the manifest over in its opening, and has a second tool after every
// other call.
func changing(method string, stale bool) *fakeserver.Server {
	s := serving(claiming())
	var calls atomic.Int64
	listed := func() []object {
		tools := []object{fakeserver.Tool("moor", true)}
		if calls.Load()%2 == 1 {
			tools = append(tools, fakeserver.Tool("unmoor", true))
		}
		return tools
	}
	answer := func(result object) object {
		if method == "server/discover" {
			result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 0, "private"
		}
		return result
	}
	document := func() object {
		var tools []any
		for _, tool := range listed() {
			if stale && tool["name"] != "moor" {
				continue
			}
			tools = append(tools, object{"name": tool["name"], "description": "A tool.", "input_schema": tool["inputSchema"]})
		}
		return object{prefix + "manifest": described(object{"tools": tools, "manifest_ttl": 0})}
	}
	shake := s.Answer["initialize"]
	s.Answer["initialize"] = func(r fakeserver.Request) any {
		result, ok := shake(r).(object)
		if !ok || method != "initialize" {
			return &fakeserver.Error{Code: -32601, Message: "Unknown method"}
		}
		result["_meta"] = document()
		return result
	}
	if method == "server/discover" {
		s.Answer[method] = func(fakeserver.Request) any {
			return answer(object{"supportedVersions": []any{"2026-07-28"}, "capabilities": s.Capabilities, "_meta": document()})
		}
	}
	s.Answer["tools/list"] = func(fakeserver.Request) any { return answer(object{"tools": listed()}) }
	s.Answer["tools/call"] = func(r fakeserver.Request) any {
		if r.Params["name"] != "moor" {
			return &fakeserver.Error{Code: -32602, Message: "no such tool"}
		}
		calls.Add(1)
		return answer(object{"content": []any{object{"type": "text", "text": "done"}}})
	}
	return s
}

// A server that hands its manifest over once somebody has called a tool, whoever it was,
// does so for every later connection as well.
func TestRefusedUntilACall(t *testing.T) {
	t.Parallel()
	var called atomic.Bool
	s := serving(claiming())
	s.Answer["get_manifest"] = func(fakeserver.Request) any {
		if !called.Load() {
			return &fakeserver.Error{Code: -32000, Message: "not ready"}
		}
		return described(nil)
	}
	s.Answer["tools/call"] = func(r fakeserver.Request) any {
		if r.Params["name"] == "moor" { // the kit asks for tools of proposals before
			called.Store(true)
		}
		return s.Call(r)
	}
	calling := suite.Case{ID: "ext-manifest/calls-a-tool", Title: "a tool is called", Fix: "answer", Lane: suite.Fresh, Checks: []requirements.ID{"ext-manifest-available"},
		Proves: []suite.Need{suite.Capability("tools")},
		Run: func(c *probe.Client) error {
			c.Call("tools/call", probe.Object{"name": "moor", "arguments": probe.Object{}})
			return nil
		}}
	available := manifest.Suite()
	available.Cases = []suite.Case{calling, available.Cases[0]}
	available.Cases[1].Needs = []suite.Need{suite.Capability("tools")}
	r := proof.Judged(t, plan.Plan{Config: config.Default(), Local: &plan.Local{Serve: s.Serve}, Suites: []suite.Suite{available}})
	for _, f := range r.Findings {
		if f.Case == "ext-manifest/available" && (f.Status != reports.Fail || !strings.Contains(f.Problem, "before any tool was called")) {
			t.Errorf("%s: %s %+v, want a failure", f.Status, f.Problem, f.Reason)
		}
	}
}
