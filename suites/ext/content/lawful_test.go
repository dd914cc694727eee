package content_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = map[string]any

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-content", []lawful.Row{
		{Name: "schemas that only look empty, and titles of one word", Server: described()},
		{Name: "failures with structured content", Server: failing(), Config: rejecting},
		{Name: "a failure that is told behind structured content", Server: unknownPlace(), Config: rejecting},
		{Name: "a link to the web, and a file as bytes", Server: linking(), Config: "roles: {content: {resource-link: {tool: tool_0, arguments: {text: a}}}}"},
		{Name: "an error in another script", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1), Answer: fakeserver.Answers{
				"tools/call": answering(fakeserver.Text("done"), "必須です"),
			},
		}, Config: rejecting},
	})
}

// An operator who leaves out the content rules is told nothing about them: no server claims them, so that there is no
// claim to take away.
func TestSuppressed(t *testing.T) {
	t.Parallel()
	for claims, want := range map[string]bool{"claims: []": true, "claims: [-content]": false} {
		cfg, err := config.Parse("mcp-conform.yaml", []byte(claims), func(string) (string, bool) { return "", false }, config.Known{})
		if err != nil {
			t.Fatal(err)
		}
		report := proof.Judge(t, plan.Plan{Config: cfg, Local: &plan.Local{Serve: described().Serve}, Seed: 1, Selected: func(s suite.Suite, _ suite.Case) bool {
			return s.Name == "ext-content" || s.Name == "ping"
		}})
		judged := slices.ContainsFunc(report.Findings, func(f reports.Finding) bool { return f.Suite == "ext-content" })
		if len(report.Findings) == 0 || judged != want {
			t.Errorf("%s: the content rules are judged: %t, want %t", claims, judged, want)
		}
	}
}

const rejecting = "roles: {invalid-input: {tool: tool_0, arguments: {text: a}, invalid-arguments: {}}}"

// described takes anything in one tool, and maps strings in another.
func described() *fakeserver.Server {
	tools := []map[string]any{
		{"name": "search", "title": "search", "inputSchema": object{"type": "object"}},
		{"name": "tag_all", "inputSchema": object{"type": "object", "additionalProperties": object{"type": "string"}}},
		{"name": "forward", "title": "Forward", "inputSchema": object{"type": "object", "additionalProperties": true, "minProperties": 1}},
	}
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: tools}
}

// unknownPlace has structured content that fits its schema, and says behind it what failed.
func unknownPlace() *fakeserver.Server {
	tools := fakeserver.Tools(1)
	tools[0]["outputSchema"] = object{"type": "object", "required": []any{"degrees"}}
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: tools, Answer: fakeserver.Answers{
		"tools/call": fakeserver.ForTools(object{"isError": true, "structuredContent": object{"degrees": nil}, "content": []any{
			object{"type": "text", "text": `{"degrees":null}`}, object{"type": "text", "text": "City not found, please try later."},
		}}),
	}}
}

// failing reports failures in the words of its output schema.
func failing() *fakeserver.Server {
	tools := fakeserver.Tools(1)
	tools[0]["outputSchema"] = object{"type": "object", "required": []any{"ok"}, "properties": object{"ok": object{"type": "boolean"}}}
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: tools, Answer: fakeserver.Answers{
		"tools/call": func(r fakeserver.Request) any {
			ok := fakeserver.HasText(r)
			said := `{"ok":false}`
			if ok {
				said = `{"ok":true}`
			}
			return fakeserver.ForTools(object{
				"isError": !ok, "structuredContent": object{"ok": ok}, "content": []any{object{"type": "text", "text": said}},
			})(r)
		},
	}}
}

func linking() *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "resources"), Tools: fakeserver.Tools(1),
		Resources: []map[string]any{{"uri": "note://1", "name": "Note"}},
		Answer: fakeserver.Answers{"tools/call": answering(object{"content": []any{
			object{"type": "resource_link", "uri": "https://rigged.example/report", "name": "Report"},
			object{"type": "resource_link", "uri": "note://1", "name": "Note"},
			object{"type": "resource", "resource": object{"uri": "file:///a", "blob": "AAAA"}},
		}}, "text is required")},
	}
}

// answering answers calls of a tool, and those without its argument with an error.
func answering(answer any, otherwise string) func(fakeserver.Request) any {
	return func(r fakeserver.Request) any {
		arguments, ok := r.Params["arguments"].(object)
		if ok && r.Params["name"] == "tool_0" && arguments["text"] == nil {
			return object{"isError": true, "content": []any{object{"type": "text", "text": otherwise}}}
		}
		return fakeserver.ForText(r, answer)
	}
}
