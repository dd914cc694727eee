// Package intent serves the intent extension: a client says with a call what it is after,
// and the server names a tool that does it better, beside the result.
package intent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// A Hint recommends a tool to callers of another one whose intent has a word.
type Hint struct{ Tool, Word, Recommended, Reason string }

// Options are the options of the extension.
type Options struct {
	Hints []Hint
	Fault *fault.Fault // nil keeps every rule
}

// Switches are the ways to break the extension. The zero Switches break nothing.
type Switches struct {
	AlsoRuns bool // a suggestion takes the place of a result, and the tool runs all the same
}

// New returns the extension.
func New(o Options) core.Extension {
	var f Switches
	if o.Fault != nil {
		f, _ = o.Fault.Ext.(Switches) // zero if Ext holds another extension's switches
	}
	return core.Extension{
		Name: "intent", Key: Prefix + "intent_hints", Settings: map[string]any{},
		CallTool: func(call *core.ToolCall, run func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
			result, failure := run()
			i := slices.IndexFunc(o.Hints, func(h Hint) bool { return h.Tool == call.Name && strings.Contains(Of(call.Turn), h.Word) })
			if failure != nil || i < 0 || result["isError"] == true || result["content"] == nil {
				return result, failure
			}
			hint := o.Hints[i]
			if f.AlsoRuns {
				result = fault.Message{"content": fault.Text("This was not run; use " + hint.Recommended + " instead.")}
			}
			suggestion := map[string]any{"recommended_tool": hint.Recommended, "reason": hint.Reason}
			meta := result.Object("_meta")
			meta["suggestion"] = suggestion
			if call.Modern() {
				meta[Prefix+"suggestion"] = suggestion
			}
			return result, nil
		},
	}
}

// Of is the intent of a call, in small letters. What is no string is ignored.
func Of(t *core.Turn) string {
	raw := t.Meta("intent")
	if raw == nil {
		raw = t.Meta(Prefix + "intent")
	}
	var text string
	_ = json.Unmarshal(raw, &text)
	return strings.ToLower(text)
}
