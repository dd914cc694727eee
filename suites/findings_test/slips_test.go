package findings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// One slip gives one finding, of the rule about the slip, whatever other rules could
// say. All cases judge the server, except for those that only send much.
func TestOneSlipIsOneFinding(t *testing.T) {
	t.Parallel()
	everyResult := func(change func(fault.Message)) fault.Change {
		return func(_ fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok {
				change(result)
			}
		}
	}
	for _, row := range []struct {
		name   string
		server *fakeserver.Server
		fault  *fault.Fault     // fault of the reference server at the newest revision
		reach  lawful.Selection // nil: every case
		want   string
	}{
		{name: "an error that is null beside each result", server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: func(text string) string {
			if !strings.Contains(text, `"result":`) {
				return text
			}
			return strings.TrimSuffix(text, "}") + `,"error":null}`
		}}, want: "jsonrpc/result-xor-error"},
		{name: "empty results that are null", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("logging"), Edit: func(text string) string { return strings.Replace(text, `"result":{}`, `"result":null`, 1) },
			Answer: fakeserver.Answers{"logging/setLevel": func(r fakeserver.Request) any {
				if r.Params["level"] == nil || r.Params["level"] == "verbose" || r.Params["level"] == 3.0 {
					return &fakeserver.Error{Code: -32602, Message: "there is no such level"}
				}
				return map[string]any{}
			}},
		}, want: "jsonrpc/result-is-object"},
		{name: "empty results that are left out", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("logging"), Edit: func(text string) string { return strings.Replace(text, `,"result":{}`, "", 1) },
			Answer: fakeserver.Answers{"logging/setLevel": func(r fakeserver.Request) any {
				if r.Params["level"] == nil || r.Params["level"] == "verbose" || r.Params["level"] == 3.0 {
					return &fakeserver.Error{Code: -32602, Message: "there is no such level"}
				}
				return map[string]any{}
			}},
		}, want: "jsonrpc/result-xor-error"},
		{name: "errors that are left out", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "prompts"), Tools: fakeserver.Reading(), Prompts: []map[string]any{{"name": "greet"}}, Edit: errorsLeftOut,
		}, want: "jsonrpc/result-xor-error"},
		{name: "errors that are strings", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "prompts"), Tools: fakeserver.Reading(), Prompts: []map[string]any{{"name": "greet"}}, Edit: errorsAsStrings,
		}, want: "jsonrpc/error-shape"},
		{name: "messages in Latin-1", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: inLatin1,
		}, want: "jsonrpc/utf8"},
		{name: "texts that are objects", fault: &fault.Fault{
			Without: server.Extensions(), Reply: everyBlock(func(block map[string]any) { block["text"] = map[string]any{"said": block["text"]} }),
		}, reach: lawful.Prompt, want: "tools/text-content"},
		{name: "content without a type", fault: &fault.Fault{
			Without: server.Extensions(), Reply: everyBlock(func(block map[string]any) { delete(block, "type") }),
		}, reach: lawful.Prompt, want: "tools/content-types"},
		{name: "isError that is a string", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply: fault.OnResult("tools/call", func(result fault.Message) {
				if flagged, there := result["isError"]; there {
					result["isError"] = fmt.Sprint(flagged)
				}
			}),
		}, reach: lawful.Prompt, want: "tools/call-result"},
		{name: "completions of unknown prompts that have nothing", fault: &fault.Fault{
			Without: server.Extensions(),
			Inbound: fault.On("completion/complete").And(func(x fault.Exchange) bool {
				ref, _ := x.Param("ref").(map[string]any)
				name, _ := ref["name"].(string)
				return strings.HasPrefix(name, "no-such-")
			}).Answer(map[string]any{"resultType": "complete"}),
		}, reach: lawful.Prompt, want: "completion/result-schema"},
		{name: "results of calls that are null", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply: func(x fault.Exchange, m fault.Message) {
				if _, ok := m.Result(); ok && x.Method == "tools/call" {
					m["result"] = nil
				}
			},
		}, reach: lawful.Prompt, want: "jsonrpc/result-is-object"},
		{name: "tools that are null", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply: fault.OnResult("tools/list", func(result fault.Message) {
				items, _ := result["tools"].([]fault.Message)
				result["tools"] = make([]any, len(items))
			}),
		}, reach: lawful.Prompt, want: "tools/list-schema"},
		{name: "a title that is null", server: oddTool("title", nil), want: "tools/title"},
		{name: "an output schema that is null", server: oddTool("outputSchema", nil), want: "tools/output-schema-object"},
		{name: "annotations that are null", server: oddTool("annotations", nil), want: "tools/annotations"},
		{name: "an input schema that is null", server: oddTool("inputSchema", nil), want: "tools/input-schema-object"},
		{name: "metadata that is an array", server: oddTool("_meta", []any{}), want: "meta/object"},
		{name: "icons that are one object", server: oddTool("icons", map[string]any{"src": "https://harbour.invalid/icon.png"}), want: "icons/shape"},
		{name: "the description of a resource is null", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("resources"), Resources: []map[string]any{{"uri": "harbour://log", "name": "log", "description": nil}},
		}, want: "resources/list-schema"},
		{name: "a list of prompts that is null", server: &fakeserver.Server{Capabilities: fakeserver.Offers("prompts"), Answer: fakeserver.Answers{
			"prompts/list": func(fakeserver.Request) any { return map[string]any{"prompts": nil} },
		}}, want: "prompts/list-answered"},
		{name: "an undeclared announcement", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: beforeTools(protocol.ToolsChanged, `{}`),
		}, want: "tools/list-changed-declared"},
		{name: "announcements without a version", server: &fakeserver.Server{
			Capabilities: map[string]any{"tools": map[string]any{"listChanged": true}}, Tools: fakeserver.Reading(),
			Edit: func(text string) string {
				return strings.Replace(beforeTools(protocol.ToolsChanged, `{}`)(text), `{"jsonrpc":"2.0","method":`, `{"method":`, 1)
			},
		}, want: "jsonrpc/version-member"},
		{name: "capabilities that are null in the result of discovery", fault: &fault.Fault{
			Without: server.Extensions(), Reply: fault.OnResult("server/discover", func(result fault.Message) {
				capabilities := result.Object("capabilities")
				for _, name := range []string{"completions", "logging"} {
					capabilities[name] = nil
				}
			}),
		}, reach: lawful.Prompt, want: "discover/result"},
		{name: "logging that is declared by a boolean", server: &fakeserver.Server{
			Capabilities: map[string]any{"tools": map[string]any{}, "logging": false}, Tools: fakeserver.Reading(),
			Edit: beforeTools("notifications/message", `{"level":"info","data":"low water"}`),
		}, want: "lifecycle/capability-shapes"},
		{name: "no capabilities", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "prompts"), Tools: fakeserver.Reading(), Prompts: []map[string]any{{"name": "greet"}},
			Edit: func(text string) string { return strings.Replace(text, `"capabilities":`, `"abilities":`, 1) },
		}, want: "lifecycle/init-response"},
		{name: "a cursor that is null", server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Answer: fakeserver.Answers{
			"tools/list": func(fakeserver.Request) any { return map[string]any{"tools": fakeserver.Reading(), "nextCursor": nil} },
		}, Tools: fakeserver.Reading()}, want: "pagination/next-cursor-string"},
		{name: "unknown metadata is rejected", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Stdio: fakeserver.Stdio{Line: strictMeta},
		}, want: "meta/foreign-keys"},
		{name: "a line that is no message ends the process", server: strictProcess("2025-11-25"), want: "stdio/survives-garbage-line"},
		{name: "the same with batches", server: strictProcess("2025-03-26"), want: "stdio/survives-garbage-line"},
		{name: "an internal error for each level that there is not", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("logging"), Answer: fakeserver.Answers{"logging/setLevel": func(r fakeserver.Request) any {
				if level, text := r.Params["level"].(string); text && level != "verbose" {
					return map[string]any{}
				}
				return &fakeserver.Error{Code: -32603, Message: fmt.Sprint("bad level ", r.Params["level"])}
			}},
		}, want: "logging/set-level-unknown"},
		{name: "structured content that never fits", server: neverFits(), want: "tools/structured-content-conforms"},
		{name: "a completion whose parts nobody looks at", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("completions", "prompts"),
			Prompts:      []map[string]any{{"name": "greet", "arguments": []any{map[string]any{"name": "who"}}}},
			Answer: fakeserver.Answers{"completion/complete": func(r fakeserver.Request) any {
				ref, object := r.Params["ref"].(map[string]any)
				if name, named := ref["name"]; !object || named && name != "greet" {
					return &fakeserver.Error{Code: -32602, Message: "there is no such prompt"}
				}
				return map[string]any{"completion": map[string]any{"values": []any{}}}
			}},
		}, want: "completion/missing-arguments-argument"},
		{name: "completions of a prompt end the process", server: endsOnCompletions("ref/prompt"), want: "completion/reference-types"},
		{name: "completions of a template end the process", server: endsOnCompletions("ref/resource"), want: "completion/reference-types"},
		{name: "no type on results", fault: &fault.Fault{
			Reply: everyResult(func(result fault.Message) { delete(result, "resultType") }),
		}, want: "jsonrpc/result-type-present"},
		{name: "an error that is null beside each result without a handshake", fault: &fault.Fault{
			Reply: func(_ fault.Exchange, m fault.Message) {
				if _, ok := m.Result(); ok {
					m["error"] = nil
				}
			},
		}, want: "jsonrpc/result-xor-error"},
		{name: "no caching hints in a list", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply: fault.OnResult("prompts/list", func(result fault.Message) {
				delete(result, "ttlMs")
				delete(result, "cacheScope")
			}),
		}, reach: lawful.Contents, want: "caching/hints-prompts-list"},
		{name: "a lifetime of less than nothing", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply:   fault.OnResult("server/discover", func(result fault.Message) { result["ttlMs"] = -1 }),
		}, reach: lawful.Contents, want: "caching/ttl"},
		{name: "no server in any result", fault: &fault.Fault{
			Reply: everyResult(func(result fault.Message) { delete(result.Object("_meta"), "io.modelcontextprotocol/serverInfo") }),
		}, want: "meta/server-info"},
		{name: "a server without a version in every result", fault: &fault.Fault{
			Without: server.Extensions(), // no server above gave their results
			Reply: everyResult(func(result fault.Message) {
				result.Object("_meta")["io.modelcontextprotocol/serverInfo"] = map[string]any{"name": "harbour-office"}
			}),
		}, want: "meta/server-info-shape"},
		{name: "another code for an unsupported revision", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply: func(_ fault.Exchange, m fault.Message) {
				if failure, ok := m["error"].(map[string]any); ok && failure["code"] == -32022 {
					m["error"] = map[string]any{"code": -32602, "message": "unsupported revision"}
				}
			},
		}, want: "lifecycle/unsupported-version"},
		{name: "metadata that is an array in every result", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply:   everyResult(func(result fault.Message) { result["_meta"] = []any{} }),
		}, want: "meta/object"},
		{name: "each error is a string", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply: func(_ fault.Exchange, m fault.Message) {
				if failure, ok := m["error"].(map[string]any); ok {
					m["error"] = failure["message"]
				}
			},
		}, want: "jsonrpc/error-shape"},
		{name: "a type that there is not on the result of discovery", fault: &fault.Fault{
			Without: server.Extensions(),
			Reply:   fault.OnResult("server/discover", func(result fault.Message) { result["resultType"] = "ok" }),
		}, want: "jsonrpc/result-type-known"},
		{name: "listChanged that is a string", server: &fakeserver.Server{
			Capabilities: map[string]any{"tools": map[string]any{"listChanged": "yes"}}, Tools: fakeserver.Reading(), Edit: beforeTools(protocol.ToolsChanged, `{}`),
		}, want: "lifecycle/capability-shapes"},
		{name: "a capability that is null", server: &fakeserver.Server{
			Capabilities: map[string]any{"prompts": nil}, Answer: fakeserver.Answers{
				"prompts/list": func(fakeserver.Request) any {
					return map[string]any{"prompts": []any{map[string]any{"name": "greet"}}}
				},
				"prompts/get": func(fakeserver.Request) any { return map[string]any{"messages": []any{}} },
			},
		}, want: "lifecycle/capability-shapes"},
		{name: "no capabilities", server: &fakeserver.Server{Edit: func(text string) string {
			return strings.Replace(text, `"capabilities":{},`, "", 1)
		}, Answer: fakeserver.Answers{
			"prompts/list": func(fakeserver.Request) any {
				return map[string]any{"prompts": []any{map[string]any{"name": "greet"}}}
			},
			"prompts/get": func(fakeserver.Request) any { return map[string]any{"messages": []any{}} },
		}}, want: "lifecycle/init-response"},
		{name: "a required argument that is a string", server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("prompts"),
			Prompts:      []map[string]any{{"name": "greet", "arguments": []any{map[string]any{"name": "who", "required": "true"}}}},
			Answer: fakeserver.Answers{"prompts/get": func(r fakeserver.Request) any {
				if arguments, _ := r.Params["arguments"].(map[string]any); r.Params["name"] != "greet" || arguments["who"] == nil {
					return &fakeserver.Error{Code: -32602, Message: "who is missing"}
				}
				return map[string]any{"messages": []any{}}
			}},
		}, want: "prompts/argument-schema"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg, local := config.Default(), &suites.Local{}
			if row.fault != nil {
				cfg, local = proof.Config(t), inprocess.Server(row.fault)
				local.Handler = nil
				cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
			} else {
				local.Serve = row.server.Serve
			}
			cfg.Wait.Event = 300 * time.Millisecond
			selected := lawful.Prompt
			if row.reach != nil {
				selected = row.reach
			}
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
				Selected: selected,
			})
			if diff := cmp.Diff([]string{row.want}, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

// A suite of a third party owns parts as the kit's own pages do: the schema's cases leave them to it.
func TestOwnsOfAThirdParty(t *testing.T) {
	t.Parallel()
	own := suite.Suite{Name: "own", Title: "descriptions are described", Cases: []suite.Case{{
		ID: "own/description", Title: "descriptions of tools are strings", Checks: []requirements.ID{"tools-list-schema"},
		Fix: "write each description as a string", Owns: []suite.Part{{Of: "tools/list", At: "/tools/*/description"}},
		Run: probe.EachItem(protocol.Tools(), func(_ *probe.Client, tool probe.Item) probe.Opinion {
			if _, ok := tool.Get("description").(string); !ok {
				return probe.Breaks("%s is no string", tool.Where("description"))
			}
			return probe.Kept()
		}),
	}}}
	server := oddTool("description", nil)
	for name, row := range map[string]struct {
		suites []suite.Suite
		want   []string
	}{
		"with the suite":    {append(suites.All(), own), []string{"own/description"}},
		"without the suite": {suites.All(), []string{"tools/list-schema"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := proof.Judge(t, suites.Plan{
				Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 20 * time.Second, Suites: row.suites,
				Selected: func(s suite.Suite, _ suite.Case) bool {
					return s.Name == "own" || s.Name == "schema" || s.Name == "tools"
				},
			})
			if diff := cmp.Diff(row.want, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

// blamed are the cases that speak of the server, sorted.
func blamed(report reports.Report) []string {
	var said []string
	for _, f := range report.Findings {
		if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
			said = append(said, f.Case)
		}
	}
	slices.Sort(said)
	return said
}

// endsOnCompletions ends when what it lists is completed by a reference of this type.
func endsOnCompletions(by string) *fakeserver.Server {
	const template = "harbour://berths/{berth}"
	listed := func(r fakeserver.Request) string {
		if ref, _ := r.Params["ref"].(map[string]any); ref["name"] == "greet" || ref["uri"] == template {
			return fmt.Sprint(ref["type"])
		}
		return ""
	}
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("completions", "prompts", "resources"),
		Prompts:      []map[string]any{{"name": "greet", "arguments": []any{map[string]any{"name": "who", "required": true}}}},
		Answer: fakeserver.Answers{
			"resources/templates/list": func(fakeserver.Request) any {
				return map[string]any{"resourceTemplates": []any{map[string]any{"name": "berth", "uriTemplate": template}}}
			},
			"completion/complete": func(r fakeserver.Request) any {
				if argument, _ := r.Params["argument"].(map[string]any); listed(r) == "" || argument["name"] == nil || argument["value"] == nil {
					return &fakeserver.Error{Code: -32602, Message: "there is nothing to complete"}
				}
				return map[string]any{"completion": map[string]any{"values": []any{"north"}}}
			},
		},
		Stdio: fakeserver.Stdio{Exit: func(r fakeserver.Request) bool { return r.Method == "completion/complete" && listed(r) == by }},
	}
}
