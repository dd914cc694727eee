// Package sdks tells the author of a server which answers in a finding were written by the
// SDK that the server is built on. It goes by texts that only this SDK writes, and says
// nothing where an answer has none.
package sdks

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An answer holds what marks are looked for in: the error of a response and its id, the first
// text of a result that is marked as an error, or who logged a message.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Logger string `json:"logger"`
	} `json:"params"`
	Error *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	Result struct {
		IsError    bool                       `json:"isError"`
		Structured map[string]json.RawMessage `json:"structuredContent"`
		Content    []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
}

// flagged is the text of a result that is marked as an error.
func (a answer) flagged() string {
	if !a.Result.IsError || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// refused reports whether the answer is an error of the code with a fitting message.
func (a answer) refused(code int, message *regexp.Regexp) bool {
	return a.Error != nil && a.Error.Code == code && message.MatchString(a.Error.Message)
}

// A mark is a form of answer that only one SDK writes.
type mark struct {
	says string
	is   func(answer) bool
}

const (
	typescript = "the TypeScript SDK (@modelcontextprotocol/sdk, or server since version 2)"
	ownResult  = typescript + ", which makes a tool result of its own error"
	either     = typescript + ", or from tmcp" // which has some texts of that SDK and does not use it
	fastMCP    = "FastMCP (fastmcp on npm)"
	python     = "the Python SDK (mcp)"
)

var (
	ownErrors = regexp.MustCompile(`^MCP error -326\d\d: (Tool .+ (not found|disabled)$|Input validation error: Invalid arguments for tool )`)
	refusing  = regexp.MustCompile(`^Server does not support task creation \(required for `)
	arguments = regexp.MustCompile(`^MCP error -32602: Invalid arguments for prompt `)
	missing   = regexp.MustCompile(`^MCP error -32602: (Tool|Prompt|Resource|Resource template) .+ not found$`)
	fastWords = regexp.MustCompile(`^MCP error -326\d\d: (Tool '.+' parameter validation failed: |` +
		`Resource not found: '.*'\. Available resources: |Prompt '.+' requires argument '.+': )`)
	unparsed = regexp.MustCompile(`^Parse error: Invalid JSON-RPC message$`)
	pydantic = regexp.MustCompile(`^Invalid request parameters$`)
	unions   = regexp.MustCompile(`^Validation error: \d+ validation errors? for (JSONRPCMessage|union\[JSONRPCRequest,)`)
	codeless = regexp.MustCompile(`^(Unknown (prompt|resource): |Missing required arguments: \{'|` +
		`Error (rendering prompt|reading resource) |Error creating resource from template: )`)
	template   = regexp.MustCompile(`^Error creating resource from template \S+$`)
	cancelled  = regexp.MustCompile(`^Request cancelled$`)
	javaTool   = regexp.MustCompile(`^Unknown tool: invalid_tool_name$`)
	goModel    = regexp.MustCompile(`unmarshaling "[^"]*" into a \*mcp\.`)
	goMissing  = regexp.MustCompile(`^invalid request: missing required "params"$`)
	mcpGo      = regexp.MustCompile(`^(tool|prompt) '.*' not found: (tool|prompt) not found$`)
	sharpThrow = regexp.MustCompile(`^An error occurred invoking '[^']*'[.:]`)
)

func marks() []mark {
	return []mark{
		{typescript + ", which checks the request before your code is called and sends the text of that check", schemaCheck},
		{ownResult, func(a answer) bool { return ownErrors.MatchString(a.flagged()) }},
		{typescript + ", which refuses the request before your code is called", func(a answer) bool {
			return a.Error != nil && refusing.MatchString(a.Error.Message)
		}},
		{either + ", which looks up what is asked for before your code is called", func(a answer) bool { return a.refused(-32602, missing) }},
		{either + ", which checks the arguments before your code is called", func(a answer) bool { return a.refused(-32602, arguments) }},
		{fastMCP + ", which looks up what is asked for, and checks its arguments, before your code is called", func(a answer) bool {
			return a.Error != nil && fastWords.MatchString(a.Error.Message)
		}},
		{typescript + ", which refuses the HTTP request before your code is called", func(a answer) bool { return a.refused(-32700, unparsed) }},
		{python + ", which checks the request before your code is called", func(a answer) bool {
			return a.refused(-32602, pydantic) && string(a.Error.Data) == `""`
		}},
		{python + ", which refuses the HTTP request before your code is called", func(a answer) bool {
			return a.Error != nil && (string(a.ID) == `"server-error"` || a.refused(-32602, unions))
		}},
		{python + ", which gives the code 0 to any exception but McpError, also to those of its own", func(a answer) bool {
			return a.refused(0, codeless)
		}},
		{python + ", which writes it where the function of a template raises an exception; " +
			"its ResourceNotFoundError says that there is no such resource", func(a answer) bool { return a.refused(-32603, template) }},
		{python + ", which answers each request that is cancelled", func(a answer) bool { return a.refused(0, cancelled) }},
		{python + ", which logs to the client where it cannot read a message, whether your server declares logging or not",
			func(a answer) bool {
				return a.Method == "notifications/message" && a.Params.Logger == "mcp.server.exception_handler"
			}},
		{"the Java SDK (io.modelcontextprotocol.sdk), which looks the tool up before your code is called", func(a answer) bool {
			return a.refused(-32602, javaTool) && strings.HasPrefix(string(a.Error.Data), `"Tool not found: `)
		}},
		{"the Go SDK (github.com/modelcontextprotocol/go-sdk), which reads params before your code is called", func(a answer) bool {
			return a.Error != nil && goModel.MatchString(a.Error.Message) || a.refused(-32600, goMissing)
		}},
		{"mcp-go (github.com/mark3labs/mcp-go), which looks the name up before your code is called", func(a answer) bool {
			return a.Error != nil && mcpGo.MatchString(a.Error.Message)
		}},
		{"the C# SDK (ModelContextProtocol), which writes it where a tool throws an exception", func(a answer) bool {
			return sharpThrow.MatchString(a.flagged())
		}},
	}
}

// schemaCheck recognizes the problems that the schema of a request found, as JSON in the
// message of an internal error. Since version 2 a call of a tool has invalid params, and the
// message begins with a few words.
func schemaCheck(a answer) bool {
	if a.Error == nil {
		return false
	}
	found, called := strings.CutPrefix(a.Error.Message, "Invalid tools/call request: ")
	if a.Error.Code != -32603 && !(called && a.Error.Code == -32602) {
		return false
	}
	var problems []struct {
		Code    string `json:"code"`
		Path    []any  `json:"path"`
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(found), &problems) != nil || len(problems) == 0 {
		return false
	}
	for _, p := range problems {
		if p.Code == "" || p.Message == "" || len(p.Path) == 0 || p.Path[0] != "params" && p.Path[0] != "method" {
			return false
		}
	}
	return true
}

// The cases that are broken by what an SDK writes without a mark of its own.
const (
	dialect     = "tools/schema-dialect"          // by schemas of the TypeScript SDK, or of FastMCP
	printed     = "stdio/stdout-messages-only"    // by the logger of FastMCP
	askedEarly  = "lifecycle/before-initialized"  // by FastMCP, which asks for the roots of each client
	cancelZero  = "cancellation/zero-no-response" // by the TypeScript SDK, which takes the id 0 for none
	perRequest  = "lifecycle/version-per-request" // by the TypeScript SDK, which reads the first message of a process
	unknownTool = "tools/unknown-name"            // by the lookup of the Python SDK
	copied      = "tools/structured-content-text" // by what the Python SDK makes of numbers, strings and lists
)

// Note adds to each failure and warning which SDK wrote an answer that is shown there.
func Note(findings []reports.Finding) {
	type where struct {
		place reports.Place
		sdk   string
	}
	written := map[where]bool{}        // who wrote an answer that is shown in the column
	looked := map[reports.Place]bool{} // whether its class McpServer did, which alone makes the schemas
	for i := range findings {
		f := &findings[i]
		says := writer(*f)
		if says == "" {
			continue
		}
		sdk, _, _ := strings.Cut(says, ", which ")
		written[where{f.Place(), sdk}] = true
		looked[f.Place()] = looked[f.Place()] || sdk == either || says == ownResult
		note(f, sdk, "the answer shown comes from "+says)
	}
	for i := range findings {
		f := &findings[i]
		switch {
		case !broken(*f):
		case f.Case == copied && written[where{f.Place(), python}] && wrapped(*f):
			note(f, python, python+" makes {\"result\": ...} of a value that is not an object, and writes "+
				"the bare value as text: a tool that returns a dict or a model has the same in both")
		case diedInPython(*f):
			note(f, python, "the traceback on stderr ends in "+python+" and a library of it, not in your code: a newer version may behave better")
		case f.Case == printed && logsOfFastMCP(*f):
			note(f, fastMCP, "the line comes from the logger of "+fastMCP+": give its option logger one that writes to stderr")
		case f.Case == askedEarly && written[where{f.Place(), fastMCP}] && asksForRoots(*f):
			note(f, fastMCP, fastMCP+" asks for the roots itself: other answers of this server were written by it, "+
				"and its option roots: {enabled: false} ends that")
		case f.Case == dialect && written[where{f.Place(), fastMCP}] && draft(*f):
			note(f, fastMCP, "the schemas come from "+fastMCP+
				", which makes them from those in your code: other answers of this server were written by it")
		case f.Case == dialect && written[where{f.Place(), typescript}] && looked[f.Place()] && draft(*f):
			note(f, typescript, "the schemas come from "+typescript+
				", which makes them from those in your code: other answers of this server were written by it")
		case f.Case == cancelZero && written[where{f.Place(), typescript}]:
			note(f, typescript, typescript+" takes a cancellation of the request 0 for one without an id: "+
				"other answers of this server were written by it, and a newer version may behave better")
		case f.Case == perRequest && f.Transport == requirements.Stdio && written[where{f.Place(), typescript}]:
			note(f, typescript, typescript+" looks at the protocol version of the first message of a process only: "+
				"other answers of this server were written by it, and a newer version may behave better")
		case f.Case == unknownTool && written[where{f.Place(), python}] && flagsUnknownTool(*f):
			note(f, python, "the answer shown comes from "+python+
				", which looks the tool up before your code is called: other answers of this server were written by it")
		}
	}
}

func note(f *reports.Finding, sdk, text string) {
	f.SDK, f.Notes = sdk, append(slices.Clip(f.Notes), text)
}

func broken(f reports.Finding) bool { return f.Status == reports.Fail || f.Status == reports.Warn }

// writer says who wrote an answer that is shown in the finding; empty where nothing shows it.
func writer(f reports.Finding) string {
	if !broken(f) {
		return ""
	}
	for _, shown := range f.Frames {
		var a answer
		if shown.Dir != string(frame.Received) || json.Unmarshal([]byte(shown.Text), &a) != nil {
			continue
		}
		for _, m := range marks() {
			if m.is(a) {
				return m.says
			}
		}
	}
	return ""
}

// logsOfFastMCP reports whether a line that is shown begins as the logger of FastMCP begins each.
func logsOfFastMCP(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		return shown.Dir == string(frame.Received) && strings.HasPrefix(shown.Text, "[FastMCP ")
	})
}

// asksForRoots reports whether a request for the roots is shown.
func asksForRoots(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		var a answer
		return shown.Dir == string(frame.Received) && json.Unmarshal([]byte(shown.Text), &a) == nil && a.Method == "roots/list"
	})
}

// draft reports whether a schema that is shown is of draft-07, which this SDK writes.
func draft(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		return shown.Dir == string(frame.Received) && strings.Contains(shown.Text, `"$schema":"http://json-schema.org/draft-07/schema#"`)
	})
}

// flagsUnknownTool reports whether an answer that is shown is a tool result in the words of
// this SDK. Others may have the same words.
func flagsUnknownTool(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		var a answer
		return shown.Dir == string(frame.Received) && json.Unmarshal([]byte(shown.Text), &a) == nil &&
			strings.HasPrefix(a.flagged(), "Unknown tool: ")
	})
}

// wrapped reports whether a result that is shown has a single member as structured content, in
// which this SDK puts a value that is not an object.
func wrapped(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		var a answer
		if shown.Dir != string(frame.Received) || json.Unmarshal([]byte(shown.Text), &a) != nil {
			return false
		}
		_, has := a.Result.Structured["result"]
		return has && len(a.Result.Structured) == 1
	})
}

var (
	pythonFile = regexp.MustCompile(`File "([^"]+)", line \d+`)
	pythonSDK  = regexp.MustCompile(`[/\\]mcp[/\\](server|shared)[/\\][^/\\]+\.py$`)
	itsLibrary = regexp.MustCompile(`[/\\](anyio|asyncio|contextlib)([/\\]|\.py$)`)
)

// diedInPython reports whether a process that is shown ended with a traceback that goes
// through this SDK and ends there, or in what it is built on.
func diedInPython(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		if shown.Kind != frame.KindEnd.String() {
			return false
		}
		files := pythonFile.FindAllStringSubmatch(shown.Text, -1)
		for i := len(files) - 1; i >= 0; i-- {
			if file := files[i][1]; pythonSDK.MatchString(file) || !itsLibrary.MatchString(file) {
				return pythonSDK.MatchString(file)
			}
		}
		return false
	})
}
