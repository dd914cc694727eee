package fakeserver

import (
	"fmt"
	"strings"
)

// Answers are the answers to methods, by their names.
type Answers = map[string]func(Request) any

// Offers are the capabilities with these names. A name after "ext:" is a
// proposal, among the extensions.
func Offers(names ...string) map[string]any {
	capabilities, extensions := map[string]any{}, map[string]any{}
	for _, name := range names {
		if proposal, ok := strings.CutPrefix(name, "ext:"); ok {
			extensions["io.github.mcp-extension-proposals/"+proposal] = map[string]any{}
			capabilities["extensions"] = extensions
			continue
		}
		capabilities[name] = map[string]any{}
	}
	return capabilities
}

// Tools are n tools with one required text: tool_0, which is read-only like
// every second one, tool_1 and so on.
func Tools(n int) []map[string]any {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = Tool(fmt.Sprintf("tool_%d", i), i%2 == 0)
	}
	return list
}

// Reading are tool_0, tool_1, and hours, which is read-only and has no parameters.
func Reading() []map[string]any {
	return append(Tools(2), map[string]any{
		"name": "hours", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true},
	})
}

// Text is a result with a text block.
func Text(words string) map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": words}}}
}

// Flagged is the result of a failed call, which does not say what failed.
func Flagged(Request) any {
	return map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": "It did not work."}}}
}

// HasText reports whether a call has the argument that Tools require.
func HasText(r Request) bool {
	arguments, _ := r.Params["arguments"].(map[string]any)
	_, ok := arguments["text"].(string)
	return ok
}

// ForTools answers calls of Tools, whatever their arguments, and rejects other calls.
func ForTools(answer any) func(Request) any {
	return func(r Request) any {
		if name, _ := r.Params["name"].(string); !strings.HasPrefix(name, "tool_") {
			return &Error{Code: -32602, Message: "no such tool"}
		}
		return answer
	}
}

// ForText answers a call as ForTools does where it has the argument, and
// rejects it otherwise.
func ForText(r Request, answer any) any {
	if HasText(r) {
		return ForTools(answer)(r)
	}
	return &Error{Code: -32602, Message: "text is missing"}
}
