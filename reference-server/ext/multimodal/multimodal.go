// Package multimodal serves the multimodal-signatures extension: a tool that takes binary
// data says of which types the data and the answer are, and how much it takes.
package multimodal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// A Signature is what a tool says of its binary argument.
type Signature struct {
	Argument      string // holds the data, as base64
	Input, Output []string
	Most          int // bytes of the data
	// Fits says whether data is of the type that it is stated to be; an empty type is that
	// of Input. A type that the tool does not list fits where the tool can use it.
	Fits func(stated string, data []byte) bool
}

// Options are the options of the extension.
type Options struct {
	Tools map[string]Signature
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension.
func New(o Options) core.Extension {
	e := extension{o, switches(o.Fault)}
	return core.Extension{
		Name: "multimodal", Key: Prefix + "multimodal_signatures", CallTool: e.call, Serve: e.list, Describe: e.describe,
	}
}

type extension struct {
	Options
	faults Switches
}

type next = func() (fault.Message, *core.Error)

// members are the signature as tools/list and the manifest have it.
func (e extension) members(tool string) map[string]any {
	s, ok := e.Tools[tool]
	if !ok {
		return nil
	}
	members := map[string]any{
		"input_types": texts(s.Input), "output_types": texts(s.Output), "max_input_size_bytes": s.Most, "binary_transport": "base64",
	}
	if e.faults.Edit != nil {
		e.faults.Edit(members)
	}
	return members
}

func texts(all []string) []any {
	list := make([]any, len(all))
	for i, text := range all {
		list[i] = text
	}
	return list
}

// list adds signatures to copies of the listed tools, since all requests share the items.
func (e extension) list(t *core.Turn, run next) (fault.Message, *core.Error) {
	result, failure := run()
	listed, ok := result["tools"].([]fault.Message)
	if failure != nil || !ok || t.Method() != "tools/list" {
		return result, failure
	}
	listed = slices.Clone(listed)
	for i, tool := range listed {
		name, _ := tool["name"].(string)
		if members := e.members(name); members != nil {
			listed[i] = maps.Clone(tool)
			maps.Copy(listed[i], members)
		}
	}
	result["tools"] = listed
	return result, nil
}

func (e extension) describe(_ *core.Turn, manifest fault.Message) {
	entries, _ := manifest["tools"].([]any)
	for _, entry := range entries {
		tool, _ := entry.(map[string]any)
		name, _ := tool["name"].(string)
		maps.Copy(tool, e.members(name))
	}
}

// call looks at the data before the tool does.
func (e extension) call(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	s, ok := e.Tools[call.Name]
	var arguments map[string]json.RawMessage
	var text, stated string
	if !ok || json.Unmarshal(call.Arguments, &arguments) != nil || json.Unmarshal(arguments[s.Argument], &text) != nil {
		return run()
	}
	if raw := call.Meta("content_type"); raw != nil && json.Unmarshal(raw, &stated) != nil {
		return refuse(call, "INVALID_INPUT", "content_type is not a string.")
	}
	most := e.faults.most(s.Most)
	data, err := base64.StdEncoding.DecodeString(text)
	switch {
	case base64.StdEncoding.DecodedLen(len(text)) > most+2 || len(data) > most:
		return refuse(call, "PAYLOAD_TOO_LARGE", fmt.Sprintf("%s is larger than %d bytes.", s.Argument, most))
	case e.faults.AnyBytes:
		return run()
	case err != nil:
		return refuse(call, "INVALID_INPUT", s.Argument+" is not base64.")
	case e.faults.Refuses != "" && (stated == "" || stated == e.faults.Refuses):
		return refuse(call, "INVALID_INPUT", "The type "+e.faults.Refuses+" is not supported.")
	case !s.Fits(stated, data):
		return refuse(call, "INVALID_INPUT", s.Argument+" is not of a type that this tool can use.")
	}
	return run()
}

func refuse(call *core.ToolCall, code, text string) (fault.Message, *core.Error) {
	return call.RefuseResult(text, core.Refusal{Code: code, Category: core.InvalidInput}), nil
}
