package core

import (
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Identity is the name and version of the server.
func (t *Turn) Identity() mcp.Implementation { return t.core.Identity }

// Extensions are the extensions that are switched on.
func (t *Turn) Extensions() []Extension { return t.core.Extensions }

// Tools are all tools that tools/list offers to the sender of this request, in the
// form of the request's revision. The caller may change them.
func (t *Turn) Tools() ([]fault.Message, *Error) {
	const method = "tools/list"
	whole, failure := t.wholeList(method)
	if failure != nil {
		return nil, failure
	}
	items := copies(whole.items)
	if f := t.core.Fault; f != nil && f.List != nil {
		x := t.x
		x.Method = method
		items = f.List(x, items)
	}
	return items, nil
}

// Annotations are the annotations of a tool in the registry: older revisions do not
// list all of them.
func (t *Turn) Annotations(tool string) mcp.ToolAnnotation {
	known := t.core.MCP.GetTool(tool)
	if known == nil {
		return mcp.ToolAnnotation{}
	}
	return known.Tool.Annotations
}
