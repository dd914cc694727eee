package core

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

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
		meta[keyServer] = copyOfValue(s.core.introduction())
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
