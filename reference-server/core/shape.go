package core

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A shaper fits results to a revision. The server is written for the newest revision;
// the shaper removes members that an older revision does not know, at the end, so that
// no handler has to know.
type shaper struct {
	revision requirements.Revision
	skips    bool // a fault sends each revision the form of the newest
}

func (t *Turn) shaper() shaper {
	return shaper{revision: t.Revision(), skips: t.core.Fault.Skips(fault.CheckShape)}
}

func (s shaper) before(r requirements.Revision) bool { return s.revision.Before(r) && !s.skips }

func (s shaper) items(list string, value any) []fault.Message {
	all, _ := value.([]any)
	items := make([]fault.Message, 0, len(all))
	for _, one := range all {
		item, ok := one.(map[string]any)
		if !ok {
			continue
		}
		s.item(list, item)
		items = append(items, item)
	}
	return items
}

func (s shaper) item(list string, item fault.Message) {
	if s.before(requirements.R20251125) {
		delete(item, "icons")
	}
	if s.before(requirements.R20250618) {
		delete(item, "title")
		delete(item, "_meta")
		arguments, _ := item["arguments"].([]any)
		for _, argument := range arguments {
			if a, ok := argument.(map[string]any); ok {
				delete(a, "title")
			}
		}
	}
	if list == "tools" {
		s.tool(item)
		return
	}
	s.annotations(item)
}

func (s shaper) tool(tool fault.Message) {
	output, _ := tool["outputSchema"].(map[string]any)
	if s.before(requirements.R20250618) || (s.before(requirements.R20260728) && output["type"] != "object") {
		delete(tool, "outputSchema")
	}
	if s.before(requirements.R20250326) {
		delete(tool, "annotations")
	}
	if s.revision != requirements.R20251125 {
		delete(tool, "execution")
	}
	if s.before(requirements.R20260728) {
		stripHeaderMarks(tool["inputSchema"])
	}
}

// stripHeaderMarks removes the header annotations, which only properties have, from a
// schema.
func stripHeaderMarks(schema any) {
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for _, property := range properties {
		if p, ok := property.(map[string]any); ok {
			delete(p, "x-mcp-header")
			stripHeaderMarks(p)
		}
	}
}

func (s shaper) annotations(object fault.Message) {
	annotations, ok := object["annotations"].(map[string]any)
	if ok && s.before(requirements.R20250618) {
		delete(annotations, "lastModified")
	}
}

func (s shaper) toolResult(result fault.Message) fault.Message {
	content, _ := result["content"].([]any)
	for i, block := range content {
		content[i] = s.block(block)
	}
	_, isObject := result["structuredContent"].(map[string]any)
	if s.before(requirements.R20250618) || (s.before(requirements.R20260728) && !isObject) {
		delete(result, "structuredContent")
	}
	return result
}

// block replaces a block of a kind that the revision does not know by a text that
// describes the block.
func (s shaper) block(value any) any {
	block, ok := value.(map[string]any)
	if !ok {
		return value
	}
	s.annotations(block)
	if s.before(requirements.R20250618) {
		delete(block, "_meta")
	}
	switch {
	case block["type"] == "audio" && s.before(requirements.R20250326):
		mime, _ := block["mimeType"].(string)
		return map[string]any{"type": "text", "text": "A recording of type " + mime + " is left out."}
	case block["type"] == "resource_link" && s.before(requirements.R20250618):
		uri, _ := block["uri"].(string)
		return map[string]any{"type": "text", "text": "See " + uri}
	}
	return block
}

// finish adds the members that every result of the revision carries.
func (s *Serving) finish(result fault.Message) fault.Message {
	switch s.in.Method {
	case "initialize", "server/discover":
		s.shapeIdentity(result)
	}
	if !s.meta.modern || s.core.Fault.Skips(fault.CheckDecoration) {
		delete(result, "resultType")
		return result
	}
	if _, set := result["resultType"]; !set {
		result["resultType"] = "complete"
	}
	meta := result.Object("_meta")
	if _, set := meta[keyServer]; !set {
		meta[keyServer] = fault.CopyOf(s.core.introduction())
	}
	if ttl, scope, cacheable := freshness(s.in.Method); cacheable && result["resultType"] == "complete" {
		result["ttlMs"], result["cacheScope"] = ttl, scope
	}
	return result
}

// freshness says how long a client may cache a result. A resource may belong to the
// caller alone and may change at any time; the lists are the same for all.
func freshness(method string) (ttl int, scope string, cacheable bool) {
	lists := []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"}
	switch {
	case method == "server/discover":
		return 60_000, "public", true
	case method == "resources/read":
		return 0, "private", true
	case slices.Contains(lists, method):
		return 1_000, "public", true
	default:
		return 0, "", false
	}
}

func (s *Serving) shapeIdentity(result fault.Message) {
	capabilities := result.Object("capabilities")
	extensions := map[string]any{}
	for _, extension := range s.core.Extensions {
		if extension.Key != "" {
			settings := extension.Settings
			if settings == nil {
				settings = map[string]any{}
			}
			extensions[extension.Key] = settings
		}
	}
	if len(extensions) > 0 {
		capabilities["extensions"] = extensions
	}
	for _, extension := range s.core.Extensions {
		if extension.Declare != nil {
			extension.Declare(&s.Turn, capabilities)
		}
	}
	shape := s.shaper()
	if shape.before(requirements.R20250326) {
		delete(capabilities, "completions")
	}
	info := result.Object("serverInfo")
	if s.meta.modern {
		delete(result, "serverInfo") // at this revision serverInfo stands in _meta
		return
	}
	if shape.before(requirements.R20250618) {
		delete(info, "title")
	}
	if shape.before(requirements.R20251125) {
		for _, name := range []string{"description", "icons", "websiteUrl"} {
			delete(info, name)
		}
	}
}
