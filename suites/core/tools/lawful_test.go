package tools_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "tools", []lawful.Row{
		{Name: "no tools at all", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools")}},
		{Name: "only tools, without descriptions", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(3)}},
		{Name: "a thousand tools", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1000)}},
		{Name: "unknown tools are results with isError, before the kinds of errors were told", Server: &fakeserver.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Answer: fakeserver.Answers{
				"tools/call": func(r fakeserver.Request) any {
					if name, ok := r.Params["name"].(string); ok && !strings.HasPrefix(name, "tool_") {
						return fakeserver.Flagged(r)
					}
					return fakeserver.ForText(r, map[string]any{"content": []any{}})
				},
			},
		}},
		{Name: "leaves out what a closed schema does not have", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{{
				"name": "echo", "annotations": map[string]any{"readOnlyHint": true}, "inputSchema": map[string]any{
					"type": "object", "additionalProperties": false, "properties": map[string]any{"text": map[string]any{"type": "string"}},
				},
			}},
			Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
				arguments, object := r.Params["arguments"].(map[string]any)
				text, given := arguments["text"]
				_, ok := text.(string)
				switch {
				case r.Params["name"] != "echo", r.Params["arguments"] != nil && !object:
					return &fakeserver.Error{Code: -32602, Message: "echo wants an object as arguments"}
				case given && !ok:
					return fakeserver.Flagged(r)
				}
				return fakeserver.Text("so be it")
			}},
		}},
		{Name: "structured content of what is known, and a flagged result for the rest", Server: knowsTheFirstDay(), Judged: []string{
			"tools/varied-arguments", "tools/varied-structured-content", "tools/varied-structured-text",
			"tools/structured-content-present", "tools/structured-content-conforms", "tools/structured-content-text",
		}},
		{Name: "repeats its argument, and answers last what was asked first", Server: repeats(
			func(text string) string { return text }, fakeserver.Stdio{OutOfOrder: true},
		), Over: requirements.Stdio, Judged: []string{"tools/parallel-arguments"}},
		{Name: "says what was asked before", Server: repeats(before(), fakeserver.Stdio{})},
		{Name: "says one thing and then another, whatever is asked", Server: repeats(byTurns("ebb", "flood"), fakeserver.Stdio{})},
		{Name: "says the same ten times, whatever is asked", Server: repeats(
			byTurns(slices.Concat(slices.Repeat([]string{"ebb"}, 10), slices.Repeat([]string{"flood"}, 10))...), fakeserver.Stdio{},
		)},
		{Name: "tells the time beside its argument", Server: repeats(
			func(text string) string { return text + time.Now().Format(time.RFC3339Nano) }, fakeserver.Stdio{},
		)},
		{Name: "one call and no more, in words of its own", Server: oneCall()},
		{Name: "refuses arguments in words alone", Server: refusesInWords(), Warned: []string{
			"tools/inputs-validated-missing", "tools/inputs-validated-type",
		}},
	})
}

// repeats has a tool that answers its text with what comes of that.
func repeats(of func(text string) string, stdio fakeserver.Stdio) *fakeserver.Server {
	plain := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1)}
	return &fakeserver.Server{Capabilities: plain.Capabilities, Tools: plain.Tools, Stdio: stdio, Answer: fakeserver.Answers{
		"tools/call": func(r fakeserver.Request) any {
			arguments, _ := r.Params["arguments"].(map[string]any)
			if text, ok := arguments["text"].(string); ok && r.Params["name"] == "tool_0" {
				return fakeserver.Text(of(text))
			}
			return plain.Call(r)
		},
	}}
}

// before gives the text of the call before.
func before() func(text string) string {
	var last atomic.Value
	return func(text string) string {
		earlier, _ := last.Swap(text).(string)
		return earlier
	}
}

// byTurns gives one text after the other.
func byTurns(texts ...string) func(string) string {
	var calls atomic.Int64
	return func(string) string { return texts[int(calls.Add(1))%len(texts)] }
}

// knowsTheFirstDay has an output schema, and nothing to put into it on all days but one.
func knowsTheFirstDay() *fakeserver.Server {
	whole := map[string]any{"type": "integer", "minimum": 1, "maximum": 366}
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{{
			"name": "tides", "annotations": map[string]any{"readOnlyHint": true},
			"inputSchema":  map[string]any{"type": "object", "properties": map[string]any{"day": whole}, "required": []any{"day"}},
			"outputSchema": map[string]any{"type": "object", "properties": map[string]any{"high": map[string]any{"type": "integer"}}},
		}},
		Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			arguments, object := r.Params["arguments"].(map[string]any)
			switch {
			case r.Params["name"] != "tides", r.Params["arguments"] != nil && !object:
				return &fakeserver.Error{Code: -32602, Message: "there are only tides, which want an object"}
			case arguments["day"] != 1.0:
				return fakeserver.Flagged(r)
			}
			words, copied := map[string]any{"type": "text", "text": `{"high":"four"}`}, map[string]any{"type": "text", "text": `{"high":4}`}
			return map[string]any{"content": []any{words, copied}, "structuredContent": map[string]any{"high": 4}}
		}},
	}
}

// oneCall serves one call after each handshake.
func oneCall() *fakeserver.Server {
	var spent atomic.Bool
	plain := &fakeserver.Server{Capabilities: fakeserver.Offers("tools")}
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()[2:], Answer: fakeserver.Answers{
		"initialize": func(r fakeserver.Request) any {
			spent.Store(false)
			return plain.Initialize(r)
		},
		"tools/call": func(r fakeserver.Request) any {
			_, object := r.Params["arguments"].(map[string]any)
			switch {
			case r.Params["name"] != "hours":
				return &fakeserver.Error{Code: -32602, Message: "no such tool"}
			case r.Params["arguments"] != nil && !object:
				return &fakeserver.Error{Code: -32602, Message: "arguments is not an object"}
			case spent.Swap(true):
				return &fakeserver.Error{Code: -32029, Message: "come back tomorrow"}
			}
			return fakeserver.Text("from 9 to 5")
		},
	}}
}

// refusesInWords validates arguments and never says isError.
func refusesInWords() *fakeserver.Server {
	day := map[string]any{
		"name": "tide", "annotations": map[string]any{"readOnlyHint": true},
		"inputSchema": map[string]any{"type": "object", "required": []any{"day"}, "properties": map[string]any{
			"day": map[string]any{"type": "integer"},
		}},
	}
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{day}, Answer: fakeserver.Answers{
		"tools/call": func(r fakeserver.Request) any {
			arguments, _ := r.Params["arguments"].(map[string]any)
			_, text := r.Params["arguments"].(string)
			_, list := r.Params["arguments"].([]any)
			if r.Params["name"] != "tide" || text || list {
				return &fakeserver.Error{Code: -32602, Message: "no such call"}
			}
			if _, ok := arguments["day"].(float64); !ok {
				return fakeserver.Text("I need the day, as a number.")
			}
			return fakeserver.Text("high at noon")
		},
	}}
}

func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	lawful.Stateless(t, "an old code for unknown tools", lawful.Prompt, &fault.Fault{
		Without: server.Extensions(),
		Reply: func(x fault.Exchange, m fault.Message) {
			if _, failed := m["error"]; failed && x.Tool() != "" && m.Object("error")["message"] == "there is no such tool" {
				m.Object("error")["code"] = -32000
			}
		},
	})
}
