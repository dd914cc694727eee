package starter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/starter"
)

const listed = `[
	{"name": "list_berths", "annotations": {"readOnlyHint": true}, "inputSchema": {"properties": {"berth": {"type": "string"}}}},
	{"name": "get_part", "annotations": {"readOnlyHint": true}, "inputSchema": {"required": ["name"], "properties": {"name": {"type": "string", "enum": ["bolt"]}}}},
	{"name": "read_file", "annotations": {"readOnlyHint": true}, "inputSchema": {"required": ["path"], "properties": {"path": {"type": "string"}}}},
	{"name": "book_berth", "inputSchema": {"required": ["berth", "day", "kind"], "properties": {"berth": {"type": "string"}, "day": {"type": "integer", "minimum": 1}, "kind": {"type": "string", "default": "${x}"}}}},
	{"name": "free berth", "annotations": {"destructiveHint": true}},
	{"name": "run_slow", "execution": {"taskSupport": "optional"}, "inputSchema": {"anyOf": [{}]}},
	{"name": "ask_elicitation"}, {"name": 7}]`

// seen is what a run learned of a harbour. The older column comes last, and does not count.
func seen(t *testing.T) *starter.Seen {
	t.Helper()
	var tools []any
	decoder := json.NewDecoder(strings.NewReader(listed))
	decoder.UseNumber()
	if err := decoder.Decode(&tools); err != nil {
		t.Fatal(err)
	}
	s := &starter.Seen{}
	reading := roles.Filled{Name: roles.ReadOnlyTool, Fields: roles.Fields{"tool": "list_berths", "arguments": map[string]any{}}}
	s.Found(requirements.Column{Revision: requirements.R20260728}, &probe.Survey{Tools: tools}, roles.NewSet(roles.Known(), reading))
	s.Found(requirements.Column{Revision: requirements.R20250618}, &probe.Survey{}, roles.Set{})
	return s
}

func missing(keys ...string) reports.Report {
	var r reports.Report
	for i, key := range keys {
		r.Findings = append(r.Findings, reports.Finding{
			Case: "case/" + string(rune('a'+i)), Status: reports.Skip, Reason: &reports.Reason{Kind: reports.NoRole, Role: key},
		})
	}
	return r
}

// TestFailure: a tool that is named for its failures comes first, and one that knows all its
// arguments cannot be asked for what does not exist.
func TestFailure(t *testing.T) {
	t.Parallel()
	s := seen(t)
	reads := map[string]any{"readOnlyHint": true}
	s.Found(requirements.Column{Revision: requirements.R20260728}, &probe.Survey{Tools: []any{
		map[string]any{"name": "get_part", "annotations": reads, "inputSchema": map[string]any{"required": []any{"name"}, "properties": map[string]any{
			"name": map[string]any{"type": "string", "enum": []any{"bolt"}}}}},
		map[string]any{"name": "get_page", "annotations": reads, "inputSchema": map[string]any{"required": []any{"name"}, "properties": map[string]any{
			"name": map[string]any{"type": "string"}}}},
		map[string]any{"name": "fail_always", "annotations": reads},
	}}, roles.Set{})
	proposals := s.Proposals(missing("roles.failure.tool"), roles.Known())
	text := string(s.Write("#", nil, proposals, roles.Known(), func(starter.Proposal) bool { return true }))
	if want := "  failure:\n    tool: fail_always # or get_page\n    arguments: {}\n"; !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}

// TestWrite: each role that would enable cases stands in the file, with a tool that may fit.
func TestWrite(t *testing.T) {
	t.Parallel()
	s := seen(t)
	r := missing("roles.state-change", "roles.state-change.undo", "roles.failure.tool", "roles.failure.tool", "roles.failure.tool", "roles.slow-tool", "roles.task-tool.slow",
		"roles.client-request.elicitation", "roles.read-only-tool.header", "roles.rate-limit", "principals.second",
		"roles.trigger.resource", "roles.failure.request", "roles.client-request.url.complete", "roles.client-request.url",
		"roles.client-request.roots.file", "roles.state-change.observe")
	proposals := s.Proposals(r, roles.Known())
	text := string(s.Write("# a harbour", []string{"command: [harbour]"}, proposals, roles.Known(), func(p starter.Proposal) bool { return p.Role == roles.StateChange }))
	for _, want := range []string{
		"# a harbour\ntarget:\n  command: [harbour]\n",
		"# read-only-tool is found by itself: {tool: list_berths, arguments: {}}\n",
		"\nroles:\n",
		"\n  state-change:\n    tool: book_berth # or run_slow, ask_elicitation\n" +
			`    arguments: {"berth":"kit-${nonce}","day":1,"kind":"$${x}"}` + "\n    observe: {tool: list_berths, arguments: {}}\n",
		"\n  # failure:\n  #   tool: read_file\n" + `  #   arguments: {"path":"no-such-${nonce}"}` + "\n",
		"\n  # slow-tool:\n  #   tool: run_slow\n  #   arguments: {} # the schema asks for more than can be made up; fill in\n",
		"\n  # task-tool:\n  #   tool: run_slow\n",
		"\n  #   elicitation: {tool: ask_elicitation, arguments: {}} # enables 1 case\n",
		"\n  #   url: {tool: NAME_OF_A_TOOL, arguments: {}, complete: {tool: NAME_OF_A_TOOL, arguments: {}}} # enables 2 cases\n",
		"\n  #   roots: {tool: NAME_OF_A_TOOL, arguments: {}, file: {tool: NAME_OF_A_TOOL, argument: VALUE}} # enables 1 case\n",
		"\n  # trigger:\n  #   resource: {tool: NAME_OF_A_TOOL, arguments: {}, uri: URI_OF_A_RESOURCE} # enables 1 case\n",
		"\n  #   request: {method: VALUE} # enables 1 case\n",
		"\n  # rate-limit:\n  #   tool: NAME_OF_A_TOOL\n",
		"\n  # a tool with a quota, for 1 case. Without one: rate-limit: none\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"free berth", "principals"} {
		if strings.Contains(text, not) {
			t.Errorf("%q stands in\n%s", not, text)
		}
	}
	var order []roles.Name
	for _, p := range proposals {
		order = append(order, p.Role)
	}
	if diff := cmp.Diff([]roles.Name{"failure", "client-request"}, order[:2]); diff != "" {
		t.Error(diff)
	}
}

// TestAskers: a tool whose description says what it asks the client for is proposed, where none
// is named after that.
func TestAskers(t *testing.T) {
	t.Parallel()
	about := func(name, text string) any { return map[string]any{"name": name, "description": text} }
	s := seen(t)
	s.Found(requirements.Column{Revision: requirements.R20260728}, &probe.Survey{Tools: []any{
		about("task", "Asks nobody."), about("drop", "Asks the user."), about("ask", "Who is it?"), about("summarize", "Uses the client's model."),
		about("where", "Lists the roots of the client."),
	}}, roles.Set{})
	proposals := s.Proposals(missing("roles.client-request.elicitation", "roles.client-request.sampling", "roles.client-request.roots"), roles.Known())
	text := string(s.Write("#", nil, proposals, roles.Known(), func(starter.Proposal) bool { return false }))
	for _, want := range []string{
		"elicitation: {tool: drop, arguments: {}}", "sampling: {tool: summarize, arguments: {}}", "roots: {tool: where, arguments: {}}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
