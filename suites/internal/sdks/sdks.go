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
)

// An answer holds what marks are looked for in: the error of a response, or the first text
// of a result that is marked as an error.
type answer struct {
	Error *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	Result struct {
		IsError bool `json:"isError"`
		Content []struct {
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

const typescript = "the TypeScript SDK (@modelcontextprotocol/sdk, or server since version 2)"

var (
	wrapped    = regexp.MustCompile(`^MCP error -326\d\d: (Tool .+ (not found|disabled)$|Input validation error: Invalid arguments for tool )`)
	refusing   = regexp.MustCompile(`^(MCP error -32602: Invalid arguments for prompt |Server does not support task creation \(required for )`)
	pydantic   = regexp.MustCompile(`^Invalid request parameters$`)
	javaTool   = regexp.MustCompile(`^Unknown tool: invalid_tool_name$`)
	goModel    = regexp.MustCompile(`unmarshaling "[^"]*" into a \*mcp\.`)
	goMissing  = regexp.MustCompile(`^invalid request: missing required "params"$`)
	mcpGo      = regexp.MustCompile(`^(tool|prompt) '.*' not found: (tool|prompt) not found$`)
	sharpThrow = regexp.MustCompile(`^An error occurred invoking '[^']*'[.:]`)
)

func marks() []mark {
	return []mark{
		{typescript + ", which checks the request before your code is called and sends the text of that check", schemaCheck},
		{typescript + ", which makes a tool result of its own error", func(a answer) bool { return wrapped.MatchString(a.flagged()) }},
		{typescript + ", which refuses the request before your code is called", func(a answer) bool {
			return a.Error != nil && refusing.MatchString(a.Error.Message)
		}},
		{"the Python SDK (mcp), which checks the request before your code is called", func(a answer) bool {
			return a.refused(-32602, pydantic) && string(a.Error.Data) == `""`
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
// message of an internal error.
func schemaCheck(a answer) bool {
	if a.Error == nil || a.Error.Code != -32603 {
		return false
	}
	var problems []struct {
		Code    string `json:"code"`
		Path    []any  `json:"path"`
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(a.Error.Message), &problems) != nil || len(problems) == 0 {
		return false
	}
	for _, p := range problems {
		if p.Code == "" || p.Message == "" || len(p.Path) == 0 || p.Path[0] != "params" && p.Path[0] != "method" {
			return false
		}
	}
	return true
}

// dialect is the case that schemas written by the TypeScript SDK break.
const dialect = "tools/schema-dialect"

// Note adds to each failure and warning which SDK wrote an answer that is shown there.
func Note(findings []reports.Finding) {
	written := map[reports.Place]bool{} // columns in which the TypeScript SDK wrote an answer
	for i := range findings {
		f := &findings[i]
		says := writer(*f)
		if says == "" {
			continue
		}
		written[f.Place()] = written[f.Place()] || strings.HasPrefix(says, typescript)
		f.Notes = append(slices.Clip(f.Notes), "the answer shown comes from "+says)
	}
	for i := range findings {
		if f := &findings[i]; f.Case == dialect && broken(*f) && written[f.Place()] && draft(*f) {
			f.Notes = append(slices.Clip(f.Notes), "the schemas come from "+typescript+
				", which makes them from those in your code: other answers of this server were written by it")
		}
	}
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

// draft reports whether a schema that is shown is of draft-07, which this SDK writes.
func draft(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(shown reports.Frame) bool {
		return shown.Dir == string(frame.Received) && strings.Contains(shown.Text, `"$schema":"http://json-schema.org/draft-07/schema#"`)
	})
}
