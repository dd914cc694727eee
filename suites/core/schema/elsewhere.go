package schema

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// elsewhere tells what another case judges by a rule of its own, so that one slip
// is one finding. The faults of those cases show that somebody speaks of it.
func elsewhere(m probe.Message) func(schemas.Fault) bool {
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
			return foreign(f.Pointer) || onResults(m, f.Pointer) || icon(f.Pointer) || within(f.Pointer, judged()[m.Request.Method]) ||
				annotated(m, f.Pointer) || crowded(m, f.Pointer) || m.Request.Method == "tools/call" && block(m, f.Pointer)
		case frame.Error, frame.Batch, frame.NotAMessage, frame.NotJSON:
		}
		return false
	}
}

// onResults knows what is judged of every result: that it is an object, by
// jsonrpc/result-is-object, its type, by jsonrpc/result-type-..., who made it, by
// meta/server-info-shape, the cursor of a page, by pagination/next-cursor-string, and
// the caching hints, by caching/....
func onResults(m probe.Message, pointer string) bool {
	_, object := m.Value("/result").(map[string]any)
	info := "/_meta/" + strings.ReplaceAll(protocol.MetaServerInfo, "/", "~1")
	return !object || pointer == "/resultType" || within(pointer, []string{info}) ||
		pointer == "/nextCursor" && slices.Contains(protocol.Paginated(), m.Request.Method) ||
		(pointer == "/ttlMs" || pointer == "/cacheScope") && slices.Contains(protocol.Cacheable(), m.Request.Method)
}

// icon reports whether a place belongs to the icons of something listed or linked,
// which icons/shape and icons/theme judge.
func icon(pointer string) bool {
	place := strings.SplitN(strings.TrimPrefix(pointer, "/"), "/", 4)
	return len(place) > 2 && place[2] == "icons" &&
		slices.Contains([]string{"tools", "prompts", "resources", "resourceTemplates", "content"}, place[0])
}

// judged are places in the results of a method, with all that is below them.
func judged() map[string][]string {
	return map[string][]string{
		// lifecycle/init-response, -/capability-shapes, -/server-info-fields, -/instructions
		"initialize": {"/protocolVersion", "/capabilities", "/serverInfo", "/instructions"},
		// discover/result, discover/instructions, lifecycle/extension-settings
		"server/discover": {""},
		// tools/list-answered, tools/list-schema, and those on properties of tools
		"tools/list": {"/tools"},
		// tools/call-result, tools/structured-content-object; its content is block's
		"tools/call": {"/isError", "/structuredContent"},
	}
}

func within(pointer string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool { return pointer == place || strings.HasPrefix(pointer, place+"/") })
}

// crowded knows that completion/values-max judges how many values are suggested: of an
// array of values that is all that can be wrong at this place.
func crowded(m probe.Message, pointer string) bool {
	const values = "/completion/values"
	_, array := m.Value("/result" + values).([]any)
	return m.Request.Method == "completion/complete" && pointer == values && array
}

// annotated knows the annotations that schema/annotations judges.
func annotated(m probe.Message, pointer string) bool {
	place, ok := protocol.Annotated()[m.Request.Method]
	rest, inside := strings.CutPrefix("/result"+pointer, place.Array+"/")
	if !ok || !inside {
		return false
	}
	_, rest, _ = strings.Cut(rest, "/")
	return within("/"+rest, []string{place.Inner + "/annotations"})
}

// block knows what tools/call-result, tools/content-types and those on blocks of one type
// judge of the content of a call: that there is an array, the types of its blocks, and
// what they hold.
func block(m probe.Message, pointer string) bool {
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
