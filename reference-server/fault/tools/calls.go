package tools

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func results() []fault.Fault {
	return []fault.Fault{
		{Breaks: "tools-call-result-schema", Each: []fault.Fault{
			{
				Name: "tools-result-without-content", Title: "a result with structured content lacks content",
				Reply: fault.Tool("tide_table").Drop("/result/content"),
			}, {
				Name: "tools-result-content-object", Title: "the content of a result is an object instead of an array",
				In:    fault.OverStdio(requirements.R20250326),
				Reply: fault.Tool("tide_table").Set("/result/content", map[string]any{"type": "text", "text": "High water is at noon."}),
			},
			{
				Name: "tools-failure-without-content", Title: "a result with isError lacks content",
				May:   []string{"ext-structured-errors/plain-client-reads-failure"},
				Reply: fault.Tool("test_error_handling").Drop("/result/content"),
			},
			{Name: "tools-result-error-flag-text", Title: "isError is a string", Reply: fault.Tool("tide_table").Set("/result/isError", "false")},
		}},
		{Breaks: "tools-execution-error-flag", May: []string{"ext-structured-errors/record-of-failure"}, Each: []fault.Fault{{
			Name: "tools-failure-as-success", Title: "a failure inside a tool is reported in a result without isError",
			Reply: onFailure(func(_ fault.Exchange, m fault.Message) fault.Message { delete(m.Object("result"), "isError"); return m }),
		}, {
			Name: "tools-failure-as-error", Title: "a failure inside a tool is a protocol error",
			Reply: onFailure(func(x fault.Exchange, _ fault.Message) fault.Message { return x.Refusal(-32603, "the tool failed") }),
		}}},
		{
			Name: "tools-arguments-demanded", Title: "a call without arguments is rejected although the tool requires none",
			Breaks: "tools-call-arguments-optional",
			Reply: func(x fault.Exchange, m fault.Message) {
				if x.Tool() == "tide_table" && x.Param("arguments") == nil {
					m.Become(x.Refusal(-32602, "arguments is missing"))
					return
				}
			},
		},
	}
}

// onFailure changes the answer of the tool that always fails.
func onFailure(change func(fault.Exchange, fault.Message) fault.Message) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if x.Tool() == "test_error_handling" {
			m.Become(change(x, m))
		}
	}
}

// calls breaks the answers of all calls that are well made, of whatever tool.
func calls() []fault.Fault {
	known := func(x fault.Exchange) bool { return slices.Contains(goodTools(), x.Tool()) }
	made := func(x fault.Exchange) bool {
		return x.Tool() != "" && !strings.HasPrefix(x.Tool(), "no_such_tool") && !strings.HasPrefix(x.Tool(), "kit ")
	}
	return []fault.Fault{
		{Breaks: "jsonrpc-single-response", Kills: []string{"tools/call-answered"}, Each: []fault.Fault{{
			Name: "tools-calls-never-answered", Title: "no call of a tool is ever answered",
			May: []string{
				"ext-permissions/deny-holds", "ext-permissions/session-token-works", "ext-permissions/session-token-bounds",
				"ext-streaming/not-forced",
				"tasks/tool-forbidden", "tasks/tool-required", "ext-confirmation/gate-shape", "ext-multimodal/listed-accepted",
				"ext-session-state/empty-handled",
				"tasks/ext-missing-capability",
			},
			Hangs: true, In: fault.OverStdio(requirements.R20251125, requirements.R20260728), Inbound: fault.When(made).Hang(),
		}, {
			Name: "tools-calls-end-process", Title: "a call of a tool ends the process",
			In: fault.OverStdio(requirements.R20251125), Inbound: fault.When(known).Exit(1),
		}, {
			Name: "tools-calls-as-page", Title: "every call of a tool is answered with a page in HTML and status 200",
			May: []string{"http/response-type"}, In: fault.OverHTTP(requirements.R20251125, requirements.R20260728),
			HTTP: fault.HTTP{Serve: fault.PageFor(func(body []byte) bool {
				return slices.ContainsFunc(goodTools(), func(name string) bool { return bytes.Contains(body, []byte(`"name":"`+name+`"`)) })
			}, http.StatusOK, "text/html", "<html>The harbour is closed.</html>")},
		}, {
			Name:  "tools-calls-not-a-number",
			Title: "the result of every call of a tool has the number NaN, which JSON does not know",
			May:   []string{"stdio/stdout-messages-only"}, Hangs: true,
			In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Bytes: func(x fault.Exchange, text []byte) []byte {
				if !known(x) {
					return text
				}
				return bytes.Replace(text, []byte(`"result":{`), []byte(`"result":{"depth":NaN,`), 1)
			},
		}}},
	}
}

// slowCalls cuts the connection of each call of a tool that takes long.
func slowCalls() []fault.Fault {
	return []fault.Fault{{
		Name: "tools-slow-call-cut", Title: "a call of a tool that takes long cuts the connection", Breaks: "jsonrpc-single-response",
		Kills: []string{"tools/slow-tool-answers"}, In: fault.OverHTTP(requirements.R20251125, requirements.R20260728),
		Inbound: fault.Tool("export_log").Exit(0),
	}}
}

// goodTools are those that the cases call in the ways that they are made for.
func goodTools() []string { return []string{"tide_table", "list_berths", "find_berth"} }

// answers breaks the answer of a tool that only a client calls that tries
// several.
func answers() []fault.Fault {
	const tool = "list_berths"
	return []fault.Fault{
		{Breaks: "jsonrpc-single-response", Kills: []string{"tools/read-only-tools-answer"}, Each: []fault.Fault{{
			Name: "tools-call-ends-process", Title: "a call of one of the read-only tools ends the process",
			May: []string{"tools/varied-arguments"},
			In:  fault.OverStdio(requirements.R20251125), Inbound: fault.Tool(tool).Exit(1),
		}, {
			Name: "tools-call-cuts-connection", Title: "a call of one of the read-only tools cuts the connection",
			May: []string{"tools/varied-arguments"},
			In:  fault.OverHTTP(requirements.R20260728), Inbound: fault.Tool(tool).Exit(0),
		}, {
			Name:  "tools-call-not-a-number",
			Title: "the result of one of the read-only tools has the number NaN, which JSON does not know",
			May:   []string{"stdio/stdout-messages-only"}, Hangs: true, In: fault.OverStdio(requirements.R20251125),
			Bytes: func(x fault.Exchange, text []byte) []byte {
				if x.Tool() != tool {
					return text
				}
				return bytes.Replace(text, []byte(`"result":{`), []byte(`"result":{"depth":NaN,`), 1)
			},
		}}},
	}
}

func content() []fault.Fault {
	return []fault.Fault{{
		Name: "tools-content-video", Title: "a result holds a type of content that no revision has",
		Breaks: "tools-content-types", May: []string{"tools/structured-content-text"},
		Reply: fault.Tool("tide_table").Set("/result/content", []any{map[string]any{"type": "video", "uri": "harbour://tide"}}),
	}, {
		Name: "tools-content-link-too-early", Title: "a result holds a resource link in a revision that has none",
		Breaks: "tools-content-types",
		In:     fault.OverStdio(requirements.R20250326),
		Reply: fault.Tool("tide_table").Set("/result/content", []any{
			map[string]any{"type": "resource_link", "uri": "harbour://tide", "name": "tide"},
		}),
	}, {
		Name: "tools-content-strings", Title: "the content of a result is an array of strings", Breaks: "tools-content-types",
		May:   []string{"tools/structured-content-text"},
		Reply: fault.Tool("tide_table").Set("/result/content", []any{"High water is at noon."}),
	}, {
		Name: "tools-text-missing", Title: "a text block has no text", Breaks: "tools-text-content-shape",
		May:   []string{"tools/structured-content-text"},
		Reply: fault.Tool("tide_table").Set("/result/content", []any{map[string]any{"type": "text"}}),
	}, {
		Name: "tools-text-object", Title: "text in a text block is an object", Breaks: "tools-text-content-shape",
		May:   []string{"tools/structured-content-text"},
		Reply: fault.Tool("tide_table").Set("/result/content", []any{map[string]any{"type": "text", "text": map[string]any{"day": 3}}}),
	}}
}

func refusals() []fault.Fault {
	faults := []fault.Fault{
		{Breaks: "tools-unknown-name-error", May: []string{"ext-structured-errors/unknown-tool-fails"}, Each: []fault.Fault{{
			Name:  "tools-unknown-name-succeeds",
			Title: "calling an unknown tool succeeds with a text block that reports the mistake",
			In:    fault.OverStdio(requirements.R20260728), // over HTTP the status would still say that it is an error
			Reply: answeredInstead(
				func(x fault.Exchange) bool { return strings.HasPrefix(x.Tool(), "no_such_tool") },
				func(x fault.Exchange) fault.Message { return toolAnswer(x, "There is no such tool.") },
			),
		}, {
			Name:  "tools-unknown-path-succeeds",
			Title: "calling an unknown tool with a slash in its name succeeds with a text block that reports the mistake",
			In:    fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Reply: answeredInstead(
				func(x fault.Exchange) bool { return strings.Contains(x.Tool(), "/no_such") },
				func(x fault.Exchange) fault.Message { return toolAnswer(x, "There is no such tool.") },
			),
		}, {
			Name: "tools-unknown-name-as-result", Title: "calling an unknown tool gets a result with isError",
			In: fault.OverStdio(requirements.R20251125, requirements.R20260728), Skip: []fault.Check{fault.CheckTool},
		}}},
		{
			Name: "tools-malformed-call-bare-status", Title: "a call whose name is a number is rejected by a bare HTTP status",
			Breaks: "tools-malformed-call-error", Kills: []string{"tools/malformed-call-numeric-name"},
			In: fault.OverHTTP(requirements.R20251125),
			HTTP: fault.HTTP{Serve: fault.PageFor(func(body []byte) bool { return bytes.Contains(body, []byte(`"name":7`)) },
				http.StatusBadRequest, "text/plain", "Bad Request")},
		}, {
			Name: "tools-unknown-name-hangs", Title: "calling an unknown tool is never answered",
			Breaks: "jsonrpc-single-response", Kills: []string{"tools/unknown-name"}, Hangs: true,
			Inbound: fault.When(func(x fault.Exchange) bool { return strings.HasPrefix(x.Tool(), "no_such_tool") }).Hang(),
		},
	}
	for _, f := range []struct {
		name, title string
		broken      func(x fault.Exchange) bool
	}{
		{"numeric-name", "a call whose name is a number", func(x fault.Exchange) bool { _, number := x.Param("name").(float64); return number }},
		{"text-arguments", "a call whose arguments are a string",
			func(x fault.Exchange) bool { _, text := x.Param("arguments").(string); return text }},
		{"list-arguments", "a call whose arguments are an array",
			func(x fault.Exchange) bool { _, list := x.Param("arguments").([]any); return list }},
	} {
		broken := func(x fault.Exchange) bool { return x.Method == "tools/call" && f.broken(x) }
		faults = append(faults,
			fault.Fault{
				Name: "tools-malformed-call-served-" + f.name, Title: f.title + " succeeds",
				Breaks: "tools-malformed-call-error", Kills: []string{"tools/malformed-call-" + f.name},
				In:    fault.OverStdio(requirements.R20260728),
				Reply: answeredInstead(broken, func(x fault.Exchange) fault.Message { return toolAnswer(x, "Done.") }),
			})
	}
	return faults
}

// answeredInstead answers some requests in another way.
func answeredInstead(
	when func(fault.Exchange) bool, answer func(fault.Exchange) fault.Message,
) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if when(x) {
			m.Become(answer(x))
			return
		}
	}
}

// berthSearch reports whether a call of find_berth lacks its length, or has an
// object where a number or a boolean is due.
func berthSearch(x fault.Exchange) (missing, object bool) {
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
