package sdks_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/sdks"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func shown(caseID string, status reports.Status, received string) reports.Finding {
	return reports.Finding{
		Case: caseID, Status: status, Revision: requirements.R20251125, Transport: requirements.Stdio,
		Frames: []reports.Frame{{Dir: "sent", Text: `{"method":"tools/call"}`}, {Dir: "received", Text: received}},
	}
}

const checked = `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":` +
	`"[\n {\n \"expected\": \"string\",\n \"code\": \"invalid_type\",\n \"path\": [\"params\", \"name\"],\n \"message\": \"Invalid input\"\n }\n]"}}`

// Only a text that an SDK alone writes names the SDK.
func TestNote(t *testing.T) {
	t.Parallel()
	flagged := func(text string) string {
		return `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"` + text + `"}],"isError":true}}`
	}
	refused := func(code, message, data string) string {
		return `{"jsonrpc":"2.0","id":3,"error":{"code":` + code + `,"message":"` + message + `"` + data + `}}`
	}
	called := func(answer, code string) string {
		return strings.NewReplacer(`"[\n`, `"Invalid tools/call request: [\n`, "-32603", code).Replace(answer)
	}
	logged := func(logger string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"` + logger + `","data":"x"}}`
	}
	for name, row := range map[string]struct{ received, want string }{
		"typescript, request":      {checked, "TypeScript SDK"},
		"zod of the tool itself":   {strings.Replace(checked, "params", "harbour", 1), ""},
		"problems, another code":   {strings.Replace(checked, "-32603", "-32602", 1), ""},
		"typescript 2, a call":     {called(checked, "-32602"), "TypeScript SDK"},
		"its words, another code":  {called(checked, "-32600"), ""},
		"typescript, HTTP":         {refused("-32700", "Parse error: Invalid JSON-RPC message", ""), "TypeScript SDK"},
		"another parse error":      {refused("-32700", "Parse error: Invalid JSON", ""), ""},
		"a list of something else": {refused("-32603", `[1, 2]`, ""), ""},
		"typescript, tool":         {flagged("MCP error -32602: Tool no_such_tool not found"), "TypeScript SDK"},
		"typescript, arguments":    {flagged("MCP error -32602: Input validation error: Invalid arguments for tool sum: x"), "TypeScript SDK"},
		"typescript, prompt":       {refused("-32602", "MCP error -32602: Invalid arguments for prompt help: x", ""), "TypeScript SDK"},
		"typescript, task":         {refused("-32603", "Server does not support task creation (required for tools/call)", ""), "TypeScript SDK"},
		"no tasks, in other words": {refused("-32603", "The server does not support tasks", ""), ""},
		"a tool that relays":       {flagged("upstream said: MCP error -32602: Tool a not found"), ""},
		"the same as a text":       {`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"MCP error -32602: Tool a not found"}]}}`, ""},
		"python":                   {refused("-32602", "Invalid request parameters", `,"data":""`), "Python SDK"},
		"its words alone":          {refused("-32602", "Invalid request parameters", ""), ""},
		"python, HTTP":             {strings.Replace(refused("-32600", "Missing session ID", ""), ":3,", `:"server-error",`, 1), "Python SDK"},
		"its refusal":              {refused("-32600", "Missing session ID", ""), ""},
		"python, a body":           {refused("-32602", `Validation error: 4 validation errors for union[JSONRPCRequest,x]`, ""), "Python SDK"},
		"pydantic elsewhere":       {refused("-32602", "Validation error: 1 validation error for Berth", ""), ""},
		"python, an exception":     {refused("0", "Unknown prompt: no-such", ""), "McpError"},
		"python, arguments":        {refused("0", "Missing required arguments: {'title'}", ""), "McpError"},
		"a prompt, another code":   {refused("-32602", "Unknown prompt: no-such", ""), ""},
		"typescript, a resource":   {refused("-32602", "MCP error -32602: Resource a://b not found", ""), "TypeScript SDK"},
		"tmcp, the same words":     {refused("-32602", "MCP error -32602: Resource a://b not found", ""), "or from tmcp, which looks up"},
		"tmcp, a prompt":           {refused("-32602", "MCP error -32602: Invalid arguments for prompt a: [{}]", ""), "or from tmcp, which checks"},
		"fastmcp":                  {refused("-32602", "MCP error -32602: Tool 'tide' parameter validation failed: port: x", ""), "FastMCP"},
		"fastmcp, a resource":      {refused("-32601", "MCP error -32601: Resource not found: 'a://b'. Available resources: c://d", ""), "FastMCP"},
		"fastmcp, a prompt":        {refused("-32600", "MCP error -32600: Prompt 'fix' requires argument 'changes': Git diff", ""), "FastMCP"},
		"its words in a sentence":  {refused("-32602", "Tool 'tide' parameter validation failed: port: x", ""), ""},
		"another resource":         {refused("-32602", "Resource a://b not found", ""), ""},
		"python, a template":       {refused("-32603", "Error creating resource from template a://b", ""), "ResourceNotFoundError"},
		"python, a cancellation":   {refused("0", "Request cancelled", ""), "cancelled"},
		"cancelled elsewhere":      {refused("-32800", "Request cancelled", ""), ""},
		"an exception of a tool":   {flagged("Error executing tool sum: no such number"), ""},
		"python, a log message":    {logged("mcp.server.exception_handler"), "Python SDK"},
		"another logger":           {logged("harbour"), ""},
		"java":                     {refused("-32602", "Unknown tool: invalid_tool_name", `,"data":"Tool not found: no_such"`), "Java SDK"},
		"the example of the page":  {refused("-32602", "Unknown tool: invalid_tool_name", ""), ""},
		"go":                       {refused("-32602", `invalid params: unmarshaling \"{}\" into a *mcp.CallToolParamsRaw: x`, ""), "Go SDK"},
		"go, no params":            {refused("-32600", `invalid request: missing required \"params\"`, ""), "Go SDK"},
		"mcp-go":                   {refused("-32602", "tool 'no_such' not found: tool not found", ""), "mcp-go"},
		"not found, in plain":      {refused("-32602", "tool 'no_such' not found", ""), ""},
		"c sharp":                  {flagged("An error occurred invoking 'sum'."), "C# SDK"},
		"an error occurred":        {refused("-32603", "An error occurred.", ""), ""},
		"no JSON":                  {`MCP error -32602: Tool a not found`, ""},
	} {
		findings := []reports.Finding{shown("tools/unknown-name", reports.Warn, row.received), shown("tools/unknown-name", reports.Pass, row.received)}
		sdks.Note(findings)
		got := strings.Join(findings[0].Notes, "\n")
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
		if len(findings[1].Notes) > 0 {
			t.Errorf("%s: a pass is noted: %q", name, findings[1].Notes)
		}
	}
}

// A cancelled request 0 is answered by the TypeScript SDK only where another answer shows it.
func TestNoteOfRequestZero(t *testing.T) {
	t.Parallel()
	const answered = `{"id":0,"result":{"content":[]}}`
	zero, other := shown("cancellation/zero-no-response", reports.Warn, answered), shown("errors/message", reports.Warn, checked)
	for name, row := range map[string]struct {
		findings []reports.Finding
		noted    bool
	}{"alone": {[]reports.Finding{zero}, false}, "with another": {[]reports.Finding{zero, other}, true}} {
		sdks.Note(row.findings)
		if noted := len(row.findings[0].Notes) > 0 && row.findings[0].SDK != ""; noted != row.noted {
			t.Errorf("%s: got %q", name, row.findings[0].Notes)
		}
	}
}

// FastMCP is named for the lines of its logger, and for what has no mark of its own where another answer shows it.
func TestNoteOfFastMCP(t *testing.T) {
	t.Parallel()
	const mark = `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"MCP error -32602: Tool 'tide' parameter validation failed: x"}}`
	const listed = `{"result":{"tools":[{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}}]}}`
	asked := func(method string) reports.Finding {
		return shown("lifecycle/before-initialized", reports.Warn, `{"jsonrpc":"2.0","id":0,"method":"`+method+`"}`)
	}
	line := func(text string) reports.Finding { return shown("stdio/stdout-messages-only", reports.Fail, text) }
	for name, row := range map[string]struct {
		finding     reports.Finding
		other, want string
	}{
		"a line of its logger":    {line("[FastMCP debug] listRoots method not supported by client"), checked, "stderr"},
		"another line":            {line("FastMCP is here"), mark, ""},
		"asks for the roots":      {asked("roots/list"), mark, "roots: {enabled: false}"},
		"asks for another thing":  {asked("elicitation/create"), mark, ""},
		"the SDK, not FastMCP":    {asked("roots/list"), checked, ""},
		"schemas":                 {shown("tools/schema-dialect", reports.Warn, listed), mark, "the schemas come from FastMCP"},
		"schemas of another kind": {shown("tools/schema-dialect", reports.Warn, strings.Replace(listed, "07", "04", 1)), mark, ""},
	} {
		findings := []reports.Finding{row.finding, shown("errors/message", reports.Warn, checked), shown("errors/message", reports.Warn, row.other)}
		sdks.Note(findings)
		if got := strings.Join(findings[0].Notes, "\n"); row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// Schemas of draft-07 come from the class McpServer of the TypeScript SDK, so an answer of that
// class has to be shown: frameworks on its class Server, and tmcp, make the schemas themselves.
func TestNoteOfDialect(t *testing.T) {
	t.Parallel()
	const listed = `{"result":{"tools":[{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}]}}`
	dialect, other := shown("tools/schema-dialect", reports.Warn, listed), shown("errors/message", reports.Warn, checked)
	looked := shown("resources/not-found-uri", reports.Warn,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"MCP error -32602: Resource a://b not found"}}`)
	flagged := shown("tools/unknown-name", reports.Warn,
		`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"MCP error -32602: Tool a not found"}],"isError":true}}`)
	elsewhere := other
	elsewhere.Transport = requirements.HTTP
	for name, row := range map[string]struct {
		findings []reports.Finding
		noted    bool
	}{
		"alone": {[]reports.Finding{dialect}, false}, "with another": {[]reports.Finding{dialect, other, looked}, true},
		"with a tool result":  {[]reports.Finding{dialect, flagged}, true},
		"of another column":   {[]reports.Finding{dialect, elsewhere, looked}, false},
		"of the class Server": {[]reports.Finding{dialect, other}, false},
		"of tmcp":             {[]reports.Finding{dialect, looked}, false},
		"another dialect":     {[]reports.Finding{shown("tools/schema-dialect", reports.Warn, strings.Replace(listed, "07", "04", 1)), flagged}, false},
	} {
		sdks.Note(row.findings)
		if noted := len(row.findings[0].Notes) > 0; noted != row.noted {
			t.Errorf("%s: got %q", name, row.findings[0].Notes)
		}
	}
}

// The TypeScript SDK reads one version for a whole process, not for a connection over HTTP.
func TestNoteOfVersion(t *testing.T) {
	t.Parallel()
	served := shown("lifecycle/version-per-request", reports.Fail, `{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}`)
	other := shown("errors/message", reports.Warn, checked)
	overHTTP := func(f reports.Finding) reports.Finding {
		f.Transport = requirements.HTTP
		return f
	}
	for name, row := range map[string]struct {
		findings []reports.Finding
		noted    bool
	}{
		"alone":        {[]reports.Finding{served}, false},
		"with another": {[]reports.Finding{served, other}, true},
		"over HTTP":    {[]reports.Finding{overHTTP(served), overHTTP(other)}, false},
	} {
		sdks.Note(row.findings)
		if noted := len(row.findings[0].Notes) > 0; noted != row.noted {
			t.Errorf("%s: got %q", name, row.findings[0].Notes)
		}
	}
}

// Other SDKs may use the words of the Python SDK for a tool that does not exist, so it is
// named only where another answer shows it.
func TestNoteOfUnknownTool(t *testing.T) {
	t.Parallel()
	const mark = `{"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"Unknown prompt: no-such"}}`
	flagged := func(text string) reports.Finding {
		return shown("tools/unknown-name", reports.Warn, `{"result":{"content":[{"type":"text","text":"`+text+`"}],"isError":true}}`)
	}
	for name, row := range map[string]struct {
		finding reports.Finding
		other   string
		noted   bool
	}{
		"with another":       {flagged("Unknown tool: no_such"), mark, true},
		"alone":              {flagged("Unknown tool: no_such"), `{"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"x"}}`, false},
		"of TypeScript":      {flagged("Unknown tool: no_such"), checked, false},
		"a text of its own":  {flagged("There is no such tool."), mark, false},
		"another case of it": {shown("tools/call-answered", reports.Warn, flagged("Unknown tool: no_such").Frames[1].Text), mark, false},
	} {
		findings := []reports.Finding{row.finding, shown("prompts/unknown-name", reports.Warn, row.other)}
		sdks.Note(findings)
		if got := strings.Join(findings[0].Notes, "\n"); strings.Contains(got, "Python SDK") != row.noted {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// A process that dies within the Python SDK is no bug of the author's own code.
func TestNoteOfATraceback(t *testing.T) {
	t.Parallel()
	at := func(files ...string) string {
		text := "exited with code 1\nstderr, the last 10 lines:\n"
		for _, file := range files {
			text += `    |   File "` + file + `", line 71, in run` + "\n"
		}
		return text
	}
	for name, row := range map[string]struct {
		text  string
		noted bool
	}{
		"in the SDK":      {at("/app/main.py", "/lib/site-packages/mcp/server/stdio.py"), true},
		"below it":        {at("/lib/mcp/shared/session.py", "/lib/anyio/streams/memory.py"), true},
		"on Windows":      {at(`C:\lib\mcp\server\stdio.py`, `C:\lib\anyio\streams\memory.py`), true},
		"through the SDK": {at("/lib/mcp/server/stdio.py", "/app/tools.py", "/lib/anyio/to_thread.py"), false},
		"without it":      {at("/lib/anyio/streams/memory.py"), false},
		"no traceback":    {"exited with code 1", false},
	} {
		f := shown("cancellation/race-safe", reports.Fail, "")
		f.Frames = append(f.Frames, reports.Frame{Dir: "received", Kind: "end", Text: row.text})
		findings := []reports.Finding{f}
		sdks.Note(findings)
		if got := strings.Join(findings[0].Notes, "\n"); strings.Contains(got, "Python SDK") != row.noted {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// A value that the Python SDK wraps has another text than its structured content. Others wrap
// values as well, so another answer has to show that SDK.
func TestNoteOfAWrappedValue(t *testing.T) {
	t.Parallel()
	const mark = `{"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"Unknown prompt: no-such"}}`
	result := func(structured string) string {
		return `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"2"}],"structuredContent":` + structured + `}}`
	}
	for name, row := range map[string]struct {
		structured, other string
		noted             bool
	}{
		"with another": {`{"result":2}`, mark, true},
		"alone":        {`{"result":2}`, checked, false},
		"a model":      {`{"result":2,"unit":"m"}`, mark, false},
	} {
		findings := []reports.Finding{
			shown("tools/structured-content-text", reports.Warn, result(row.structured)), shown("prompts/unknown-name", reports.Warn, row.other),
		}
		sdks.Note(findings)
		if got := strings.Join(findings[0].Notes, "\n"); strings.Contains(got, "a dict or a model") != row.noted {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
