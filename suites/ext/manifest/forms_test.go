package manifest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/manifest"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const prefix = "io.github.mcp-extension-proposals/"

type object = map[string]any

// described is a lawful manifest of a server with one tool.
func described(more object) object {
	all := object{
		"manifest_version": "0.1.0",
		"server":           object{"name": "Rigged", "version": "1.0.0", "mcp_spec_version": "2025-11-25"},
		"tools": []any{object{
			"name": "moor", "description": "Moors a vessel.", "input_schema": fakeserver.Tool("moor", true)["inputSchema"],
			"output_schema": object{"type": "object"}, "x-crane": 1,
		}},
		"auth": object{"methods": []any{"none"}, "scopes": []any{}}, "supported_extensions": []any{}, "rate_limits": object{},
		"vendor.example/theme": "dark", "dashdash": object{}, "manifest_ttl": 60,
	}
	maps.Copy(all, more)
	return all
}

func serving(capabilities object, tools ...object) *fakeserver.Server {
	capabilities["tools"] = object{}
	s := &fakeserver.Server{Capabilities: capabilities, Tools: append([]object{fakeserver.Tool("moor", true)}, tools...), Answer: map[string]func(fakeserver.Request) any{}}
	s.Answer["initialize"] = func(r fakeserver.Request) any {
		result, ok := s.Initialize(r).(object)
		if ok {
			result["serverInfo"] = object{"name": "rigged", "version": "1.0.0"}
			return result
		}
		return s.Initialize(r)
	}
	return s
}

func claiming() object { return object{"extensions": object{prefix + "manifest": object{}}} }

func as(result object) func(fakeserver.Request) any {
	return func(fakeserver.Request) any { return result }
}

// asTool answers the call of one tool, and leaves the others to the server.
func asTool(name string, result object) func(fakeserver.Request) any {
	return func(r fakeserver.Request) any {
		switch r.Params["name"] {
		case name:
			return result
		case "moor":
			return object{"content": []any{object{"type": "text", "text": "done"}}}
		}
		return &fakeserver.Error{Code: -32602, Message: "no such tool"}
	}
}

func text(document object) object {
	written, _ := json.Marshal(document)
	return object{"content": []any{object{"type": "text", "text": string(written)}}}
}

func report(t *testing.T, server *fakeserver.Server, change func(*config.Config)) reports.Report {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(&cfg)
	}
	return proof.Judged(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Serve: server.Serve}, Suites: []suite.Suite{manifest.Suite()},
	})
}

// Every form in which a server may hand the manifest over is judged; an older one is
// named in a note, and one that nobody could find is worth a warning.
func TestForms(t *testing.T) {
	t.Parallel()
	listed := object{"name": "get_manifest", "inputSchema": object{"type": "object"}, "annotations": object{"readOnlyHint": true}}
	for _, row := range []struct {
		name   string
		server func() *fakeserver.Server
		note   string
		warned string
	}{
		{name: "the method", server: func() *fakeserver.Server {
			s := serving(claiming())
			s.Answer["get_manifest"] = as(described(nil))
			return s
		}},
		{name: "without a claim", server: func() *fakeserver.Server {
			s := serving(object{})
			s.Answer["get_manifest"] = as(described(nil))
			return s
		}},
		{name: "an older name", note: "manifest/get, an older name", server: func() *fakeserver.Server {
			s := serving(claiming())
			s.Answer["manifest/get"] = as(described(nil))
			return s
		}},
		{name: "the oldest name", note: "capabilities, an older name", server: func() *fakeserver.Server {
			s := serving(claiming())
			s.Answer["capabilities"] = as(described(nil))
			return s
		}},
		{name: "wrapped", server: func() *fakeserver.Server {
			s := serving(claiming())
			s.Answer["get_manifest"] = as(object{"manifest": described(nil)})
			return s
		}},
		{name: "a tool that is not listed", warned: "ext-manifest/available-form", server: func() *fakeserver.Server {
			s := serving(claiming())
			s.Answer["tools/call"] = asTool("get_manifest", text(described(nil)))
			return s
		}},
		{name: "a listed tool, without a claim", note: "the tool get_manifest", server: func() *fakeserver.Server {
			s := serving(object{}, listed)
			result := text(described(nil))
			result["structuredContent"] = described(nil)
			s.Answer["tools/call"] = asTool("get_manifest", result)
			return s
		}},
		{name: "in the answer to initialize", note: "such as that to initialize", server: func() *fakeserver.Server {
			return opening(func(result object) { result["_meta"] = object{prefix + "manifest": described(nil)} })
		}},
		{name: "beside serverInfo", note: "such as that to initialize", server: func() *fakeserver.Server {
			return opening(func(result object) { result["manifest"] = described(nil) })
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := report(t, row.server(), nil)
			passed := 0
			for _, f := range r.Findings {
				switch f.Status {
				case reports.Pass:
					passed++
				case reports.Fail, reports.Error, reports.Warn:
					if f.Status != reports.Warn || f.Case != row.warned {
						t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
					}
				case reports.Skip:
				}
				if f.Case == "ext-manifest/available-form" && row.note != "" && !strings.Contains(strings.Join(f.Notes, " "), row.note) {
					t.Errorf("the notes are %q, want one about %q", f.Notes, row.note)
				}
			}
			if passed < 20 {
				t.Errorf("%d cases passed, want most of them", passed)
			}
		})
	}
}

// opening is a server that hands the manifest over unasked.
func opening(put func(result object)) *fakeserver.Server {
	s := serving(object{})
	inner := s.Answer["initialize"]
	s.Answer["initialize"] = func(r fakeserver.Request) any {
		result := inner(r)
		if o, ok := result.(object); ok {
			put(o)
		}
		return result
	}
	return s
}

// What clients can do without is worth a note where they cannot use it.
func TestNotes(t *testing.T) {
	t.Parallel()
	tool := func(more object) object {
		all := object{"name": "moor", "description": "Moors a vessel.", "input_schema": fakeserver.Tool("moor", true)["inputSchema"]}
		maps.Copy(all, more)
		return object{"tools": []any{all}}
	}
	pages := object{"type": "object", "required": []any{"text"}, "properties": object{"text": object{"type": "string"}, "pageToken": object{"type": "string"}}}
	for _, row := range []struct {
		name string
		more object
		note string
	}{
		{"usable hints", object{"manifest_ttl": 1.5, "ttlMs": 0, "cacheScope": "private"}, ""},
		{"a time in words", object{"manifest_ttl": "1h"}, `manifest_ttl of the manifest is "1h"`},
		{"a time below zero", object{"ttlMs": -1}, "ttlMs of the manifest is -1"},
		{"an unknown scope", object{"cacheScope": "shared"}, `cacheScope of the manifest is "shared"`},
		{"pages that can be chosen", tool(object{"supports_pagination": true, "supports_batch": false, "input_schema": pages}), ""},
		{"pages that cannot be chosen", tool(object{"supports_pagination": true}), "no argument of input_schema seems to choose a page"},
		{"batches by a number", tool(object{"supports_batch": "10"}), `supports_batch is "10"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serving(claiming())
			s.Answer["get_manifest"] = as(described(row.more))
			notes := ""
			for _, f := range report(t, s, nil).Findings {
				if f.Case == "ext-manifest/content-complete" && f.Status == reports.Pass {
					notes += strings.Join(f.Notes, "\n")
				}
			}
			if row.note == "" && notes != "" || !strings.Contains(notes, row.note) {
				t.Errorf("the notes are %q, want %q", notes, row.note)
			}
		})
	}
}

// What servers do that is lawful, and looks like a fault. The cases named say
// something all the same.
func TestLawful(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		more   object
		server func(*fakeserver.Server)
		change func(*config.Config)
		warned []string
		failed []string
	}{
		{name: "tool members of other proposals", more: object{"tools": []any{object{
			"name": "moor", "description": "Moors a vessel.", "input_schema": fakeserver.Tool("moor", true)["inputSchema"],
			"cost": object{"category": "free"}, "latency": "instant", "supports_batch": true, "binary_transport": "base64", "risk_level": "safe",
		}}}},
		{name: "schemas with other descriptions", more: object{"tools": []any{object{
			"name": "moor", "description": "Moors a vessel.", "input_schema": object{
				"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": []any{"text"}, "title": "Mooring",
				"properties": object{"text": object{"type": "string", "description": "What to say."}},
			},
		}}}},
		{name: "a server that tells how long it is up", server: func(s *fakeserver.Server) {
			var asked atomic.Int64
			s.Answer["get_manifest"] = func(fakeserver.Request) any {
				server := maps.Clone(described(nil)["server"].(object))
				server["x-uptime"], server["x-load"] = asked.Add(1), object{"calls": asked.Load()}
				return described(object{"server": server})
			}
		}},
		{name: "a claim in the manifest alone", more: object{"supported_extensions": []any{"provenance"}}},
		{name: "a transaction that is refused", more: object{"supported_extensions": []any{"transactions"}}, server: func(s *fakeserver.Server) {
			s.Answer["transaction/begin"] = func(fakeserver.Request) any { return &fakeserver.Error{Code: -32000, Message: "log in first"} }
		}},
		{name: "a transaction by its oldest name", more: object{"supported_extensions": []any{"transactions"}}, server: func(s *fakeserver.Server) {
			s.Answer["BEGIN_TRANSACTION"] = func(r fakeserver.Request) any { return object{"transaction_id": r.Params["transaction_id"]} }
			s.Answer["ROLLBACK"] = func(r fakeserver.Request) any { return object{"steps_compensated": []any{}} }
		}},
		{name: "events that this transport cannot carry", more: object{"supported_extensions": []any{"subscribe_notify"}}, server: func(s *fakeserver.Server) {
			s.Answer["events/subscribe"] = func(r fakeserver.Request) any {
				return object{"subscription_id": r.Params["subscription_id"], "status": "denied", "supported": false, "supported_events": []any{"tide"}}
			}
		}},
		{name: "one event that is accepted", more: object{"supported_extensions": []any{"subscribe_notify"}}, server: func(s *fakeserver.Server) {
			s.Answer["subscribe"] = func(r fakeserver.Request) any {
				status := "denied"
				if events, ok := r.Params["events"].([]any); ok && slices.Contains(events, any("tide")) {
					status = "active"
				}
				return object{"subscription_id": r.Params["subscription_id"], "status": status, "supported_events": []any{"storm", "tide"}}
			}
			s.Answer["unsubscribe"] = as(object{"status": "cancelled"})
		}},
		{name: "recommendations by a tool that is not listed", more: object{"supported_extensions": []any{"server_recommendations"}}, server: func(s *fakeserver.Server) {
			s.Answer["tools/call"] = asTool("recommend_servers", text(object{"recommendations": []any{}}))
		}},
		{name: "a tool by the name of a method", more: object{
			"supported_extensions": []any{"transactions"},
			"tools": []any{described(nil)["tools"].([]any)[0], object{
				"name": "begin_transaction", "description": "Begins.", "input_schema": fakeserver.Tool("", false)["inputSchema"],
			}},
		}, server: func(s *fakeserver.Server) {
			s.Tools = append(s.Tools, fakeserver.Tool("begin_transaction", false))
		}},
		{name: "records on failures of tools only", more: object{"supported_extensions": []any{"structured_errors"}}, server: func(s *fakeserver.Server) {
			s.Answer["tools/call"] = func(r fakeserver.Request) any {
				if r.Params["name"] != "moor" {
					return &fakeserver.Error{Code: -32602, Message: "no such tool"}
				}
				failure := text(object{"text": "no"})
				failure["isError"], failure["_meta"] = true, object{"error": object{"code": "INVALID_INPUT", "category": "invalid_input", "message": "no"}}
				return failure
			}
		}},
		{name: "a tool whose failures alone are structured", more: object{
			"supported_extensions": []any{"structured_errors"},
			"tools": []any{object{
				"name": "moor", "description": "Moors a vessel.", "input_schema": fakeserver.Tool("moor", true)["inputSchema"],
			}},
		}, server: func(s *fakeserver.Server) {
			s.Answer["tools/call"] = func(fakeserver.Request) any {
				failure := text(object{"text": "no"})
				failure["isError"] = true
				failure["structuredContent"] = object{"error": object{"code": "INVALID_INPUT", "category": "invalid_input", "message": "no"}}
				return failure
			}
		}},
		{name: "claimed by the operator alone", change: func(c *config.Config) { c.Claims.Forced = []string{"manifest"} }, server: func(s *fakeserver.Server) {
			delete(s.Answer, "get_manifest")
			s.Capabilities = object{"tools": object{}}
		}, failed: []string{"ext-manifest/available"}},
		{name: "capabilities as a tool name", more: object{"tools": []any{object{
			"name": "Moor-1", "description": "Moors.", "input_schema": fakeserver.Tool("Moor-1", true)["inputSchema"],
		}}}, server: func(s *fakeserver.Server) { s.Tools = []object{fakeserver.Tool("Moor-1", true)} }, warned: []string{"ext-manifest/tool-name-pattern"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serving(claiming())
			s.Answer["get_manifest"] = as(described(row.more))
			if row.server != nil {
				row.server(s)
			}
			got := map[reports.Status][]string{}
			for _, f := range report(t, s, row.change).Findings {
				got[f.Status] = append(got[f.Status], f.Case)
				if f.Status == reports.Fail && !slices.Contains(row.failed, f.Case) || f.Status == reports.Warn && !slices.Contains(row.warned, f.Case) || f.Status == reports.Error {
					t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
				}
			}
			if len(got[reports.Fail]) != len(row.failed) || len(got[reports.Warn]) != len(row.warned) {
				t.Errorf("failed: %v, warned: %v; want %v, %v", got[reports.Fail], got[reports.Warn], row.failed, row.warned)
			}
			if slices.Contains(s.Called(), "begin_transaction") {
				t.Error("a tool was called that does not say that it is read-only")
			}
		})
	}
}
