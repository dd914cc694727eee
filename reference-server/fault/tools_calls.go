package fault

import (
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func toolsResults() []Fault {
	return []Fault{
		{
			Name:   "tools-result-without-content",
			Title:  "a result with structured content lacks content",
			Breaks: "tools-call-result-schema",
			Kills:  []string{"tools/call-result"},
			Also:   []string{schemaToo},
			Reply:  onTideTable(func(result Message) { delete(result, "content") }),
		},
		{
			Name:   "tools-result-content-object",
			Title:  "the content of a result is one block and no list",
			Breaks: "tools-call-result-schema",
			Kills:  []string{"tools/call-result"},
			Also:   []string{schemaToo},
			In:     overStdio(requirements.R20250326),
			Reply: onTideTable(func(result Message) {
				result["content"] = map[string]any{"type": "text", "text": "High water is at noon."}
			}),
		},
		{
			Name:   "tools-result-error-flag-text",
			Title:  "isError is a text",
			Breaks: "tools-call-result-schema",
			Kills:  []string{"tools/call-result"},
			Also:   []string{schemaToo},
			Reply:  onTideTable(func(result Message) { result["isError"] = "false" }),
		},
		{
			Name:   "tools-failure-as-success",
			Title:  "a failure inside a tool is told in an ordinary result",
			Breaks: "tools-execution-error-flag",
			Kills:  []string{"tools/failure-flagged"},
			Reply:  onFailure(func(_ Exchange, m Message) Message { delete(m.Object("result"), "isError"); return m }),
		},
		{
			Name:   "tools-failure-as-error",
			Title:  "a failure inside a tool is a protocol error",
			Breaks: "tools-execution-error-flag",
			Kills:  []string{"tools/failure-flagged"},
			Reply:  onFailure(func(x Exchange, _ Message) Message { return x.Refusal(-32603, "the tool failed") }),
		},
		{
			Name:   "tools-arguments-demanded",
			Title:  "a call without arguments is refused although the tool requires none",
			Breaks: "tools-call-arguments-optional",
			Kills:  []string{"tools/arguments-optional"},
			Reply: func(x Exchange, m Message) []Message {
				if x.Tool() == "tide_table" && x.Param("arguments") == nil {
					return []Message{x.Refusal(-32602, "arguments is missing")}
				}
				return []Message{m}
			},
		},
	}
}

// onFailure changes the answer of the tool that always fails.
func onFailure(change func(Exchange, Message) Message) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if x.Tool() == "test_error_handling" {
			m = change(x, m)
		}
		return []Message{m}
	}
}

func toolsContent() []Fault {
	return []Fault{
		{
			Name:   "tools-content-video",
			Title:  "a result holds a type of content that no revision has",
			Breaks: "tools-content-types",
			Kills:  []string{"tools/content-types"},
			Also:   []string{schemaToo},
			Reply: onTideTable(func(result Message) {
				result["content"] = []any{map[string]any{"type": "video", "uri": "harbour://tide"}}
			}),
		},
		{
			Name:   "tools-content-link-too-early",
			Title:  "a result holds a resource link in a revision that has none",
			Breaks: "tools-content-types",
			Kills:  []string{"tools/content-types"},
			Also:   []string{"lifecycle/negotiated-version", schemaToo},
			In:     overStdio(requirements.R20250326),
			Reply: onTideTable(func(result Message) {
				result["content"] = []any{map[string]any{"type": "resource_link", "uri": "harbour://tide", "name": "tide"}}
			}),
		},
		{
			Name:   "tools-text-object",
			Title:  "the text of a text block is an object",
			Breaks: "tools-text-content-shape",
			Kills:  []string{"tools/text-content"},
			Also:   []string{schemaToo},
			Reply: onTideTable(func(result Message) {
				result["content"] = []any{map[string]any{"type": "text", "text": map[string]any{"day": 3}}}
			}),
		},
	}
}

func toolsRefusals() []Fault {
	faults := []Fault{
		{
			Name:   "tools-unknown-name-succeeds",
			Title:  "calling an unknown tool succeeds and says in words that there is none",
			Breaks: "tools-unknown-name-error",
			Kills:  []string{"tools/unknown-name"},
			In:     overStdio(requirements.R20260728), // over HTTP the status would still say that it is an error
			Reply: answeredInstead(func(x Exchange) bool { return strings.HasPrefix(x.Tool(), "no_such_tool") }, func(x Exchange) Message {
				return toolAnswer(x, "There is no such tool.")
			}),
		},
		{
			Name:    "tools-unknown-name-hangs",
			Title:   "calling an unknown tool is never answered",
			Breaks:  "tools-unknown-name-error",
			Kills:   []string{"tools/unknown-name"},
			Inbound: func(x Exchange) Verdict { return Verdict{Hang: strings.HasPrefix(x.Tool(), "no_such_tool")} },
		},
	}
	for _, f := range []struct {
		name, title string
		broken      func(x Exchange) bool
	}{
		{"numeric-name", "a call whose name is a number", func(x Exchange) bool { _, number := x.Param("name").(float64); return number }},
		{"text-arguments", "a call whose arguments are a text", func(x Exchange) bool { _, text := x.Param("arguments").(string); return text }},
		{"list-arguments", "a call whose arguments are a list", func(x Exchange) bool { _, list := x.Param("arguments").([]any); return list }},
	} {
		broken := func(x Exchange) bool { return x.Method == "tools/call" && f.broken(x) }
		faults = append(faults,
			Fault{
				Name:   "tools-malformed-call-served-" + f.name,
				Title:  f.title + " succeeds",
				Breaks: "tools-malformed-call-error",
				Kills:  []string{"tools/malformed-call-" + f.name},
				In:     overStdio(requirements.R20260728),
				Reply:  answeredInstead(broken, func(x Exchange) Message { return toolAnswer(x, "Done.") }),
			})
	}
	return faults
}

// onTideTable changes each result of that tool.
func onTideTable(change func(result Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if result, ok := m.Result(); ok && x.Tool() == "tide_table" {
			change(result)
		}
		return []Message{m}
	}
}

// answeredInstead answers some requests in another way.
func answeredInstead(when func(Exchange) bool, answer func(Exchange) Message) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if when(x) {
			return []Message{answer(x)}
		}
		return []Message{m}
	}
}

// berthSearch reports whether a call of find_berth lacks its length, or has an
// object where a number or a boolean is due.
func berthSearch(x Exchange) (missing, object bool) {
	if x.Tool() != "find_berth" {
		return false, false
	}
	arguments, _ := x.Param("arguments").(map[string]any)
	for _, value := range arguments {
		if _, ok := value.(map[string]any); ok {
			object = true
		}
	}
	return arguments["length"] == nil, object
}

// nestedDeeper reports whether JSON is nested deeper than some readers go.
func nestedDeeper(raw json.RawMessage, most int) bool {
	return strings.Contains(string(raw), strings.Repeat("[", most))
}
