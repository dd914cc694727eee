package schema

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// judgedElsewhere reports whether another case judges a fault by a rule of its own, so that one
// mistake gives one finding. The selftest faults of those cases show that they do.
func judgedElsewhere(m probe.Message) func(schemas.Fault) bool {
	return func(f schemas.Fault) bool {
		if strings.HasSuffix(f.Pointer, "/_meta") && f.Got != "missing" {
			return true // meta/object
		}
		switch m.Class {
		case frame.Request:
			return f.Pointer == "/id" // jsonrpc/server-request-id-...
		case frame.Notification:
			return m.Method == protocol.ToolsChanged // tools/list-changed-schema
		case frame.Result:
			return foreign(f.Pointer) || inEveryResult(m, f.Pointer) || isIcon(f.Pointer) || within(f.Pointer, judgedPlaces()[m.Request.Method]) ||
				isAnnotation(m, f.Pointer) || m.Request.Method == "tools/call" && isBlock(m, f.Pointer)
		case frame.Error, frame.Batch, frame.NotAMessage, frame.NotJSON:
		}
		return false
	}
}

// inEveryResult knows the members that other cases judge in every result:
// jsonrpc/result-is-object, jsonrpc/result-type-... for its type, meta/server-info-shape
// for the server info, pagination/next-cursor-string for the cursor, and caching/... for
// the hints.
func inEveryResult(m probe.Message, pointer string) bool {
	_, object := m.Value("/result").(map[string]any)
	info := "/_meta/" + strings.ReplaceAll(protocol.MetaServerInfo, "/", "~1")
	return !object || pointer == "/resultType" || within(pointer, []string{info}) ||
		pointer == "/nextCursor" && slices.Contains(protocol.Paginated(), m.Request.Method) ||
		(pointer == "/ttlMs" || pointer == "/cacheScope") && slices.Contains(protocol.Cacheable(), m.Request.Method)
}

// isIcon reports whether a place belongs to the icons of a list entry or a resource link,
// which icons/shape and icons/theme judge.
func isIcon(pointer string) bool {
	place := strings.SplitN(strings.TrimPrefix(pointer, "/"), "/", 4)
	return len(place) > 2 && place[2] == "icons" &&
		slices.Contains([]string{"tools", "prompts", "resources", "resourceTemplates", "content"}, place[0])
}

// judgedPlaces are places in the results of a method, each with everything below it.
func judgedPlaces() map[string][]string {
	return map[string][]string{
		// lifecycle/init-response, -/capability-shapes, -/server-info-fields, -/instructions
		"initialize": {"/protocolVersion", "/capabilities", "/serverInfo", "/instructions"},
		// discover/result, discover/instructions, lifecycle/extension-settings
		"server/discover": {""},
		// tools/list-answered, tools/list-schema, and the cases about properties of tools
		"tools/list": {"/tools"},
		// tools/call-result, tools/structured-content-object; isBlock handles the content
		"tools/call": {"/isError", "/structuredContent"},
	}
}

func within(pointer string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool { return pointer == place || strings.HasPrefix(pointer, place+"/") })
}

// isAnnotation reports whether schema/annotations judges a place.
func isAnnotation(m probe.Message, pointer string) bool {
	place, ok := protocol.Annotated()[m.Request.Method]
	rest, inside := strings.CutPrefix("/result"+pointer, place.Array+"/")
	if !ok || !inside {
		return false
	}
	_, rest, _ = strings.Cut(rest, "/")
	return within("/"+rest, []string{place.Inner + "/annotations"})
}

// isBlock reports whether tools/call-result, tools/content-types or a case about one type
// of block judges a place in the content of a call: the array, the types of its blocks,
// and the properties of the blocks.
func isBlock(m probe.Message, pointer string) bool {
	rest, inside := strings.CutPrefix(pointer, "/content")
	if !inside {
		return false
	}
	at, property, deeper := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	switch {
	case rest == "", property == "type":
		return true
	case !deeper:
		_, object := m.Value("/result" + pointer).(map[string]any)
		return !object
	}
	kind, _ := m.Value("/result/content/" + at + "/type").(string)
	return slices.Contains(map[string][]string{
		"text": {"text"}, "image": {"data", "mimeType"}, "audio": {"data", "mimeType"}, "resource_link": {"uri", "name"},
		"resource": {"resource", "resource/uri", "resource/text", "resource/blob"},
	}[kind], property)
}
