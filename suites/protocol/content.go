package protocol

import (
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// ContentTypes are the types of content blocks.
func ContentTypes() ByRevision[[]string] {
	return ByRevision[[]string]{
		{Since: first, Value: []string{"text", "image", "resource"}},
		{Since: requirements.R20250326, Value: []string{"text", "image", "resource", "audio"}},
		{Since: june, Value: []string{"text", "image", "resource", "audio", "resource_link"}},
	}
}

// Annotated are the places in the results of a method whose objects may have
// annotations: the array, and the place within each item.
func Annotated() map[string]struct{ Array, Inner string } {
	return map[string]struct{ Array, Inner string }{
		"resources/list":           {"/result/resources", ""},
		"resources/templates/list": {"/result/resourceTemplates", ""},
		"tools/call":               {"/result/content", ""},
		"prompts/get":              {"/result/messages", "/content"},
	}
}

// The types of results in 2026-07-28.
const (
	Complete      = "complete"
	InputRequired = "input_required"
	Task          = "task" // of the tasks extension
)
