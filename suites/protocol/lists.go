// Package protocol says what the wire looks like at each revision, as tables:
// lists, methods, notifications, header names, error codes. It has no behaviour
// and imports nothing but the revisions.
package protocol

import "github.com/mcp-conform/mcp-conform/suites/requirements"

// A List is a list that a server may cut into pages.
type List struct {
	Name       string // "tools"; the last part of the ids of its cases
	Method     string // "tools/list"
	Items      string // the property of the result that holds the items
	Key        string // the property that tells the items apart
	KeyNoun    string // "name", "URI": the name of that property in problems
	Capability string // capability of a server that has the list
	Item       string // the definition of an item in the schema
	Result     string // the definition of the result in the schema
	Noun       string // "tool": the name of an item in problems
}

// Tools is the list of tools.
func Tools() List {
	return List{"tools", "tools/list", "tools", "name", "name", "tools", "Tool", "ListToolsResult", "tool"}
}

// Resources is the list of resources.
func Resources() List {
	return List{"resources", "resources/list", "resources", "uri", "URI", "resources", "Resource", "ListResourcesResult", "resource"}
}

// Templates is the list of resource templates.
func Templates() List {
	return List{
		"templates", "resources/templates/list", "resourceTemplates", "uriTemplate", "URI template", "resources",
		"ResourceTemplate", "ListResourceTemplatesResult", "resource template",
	}
}

// Prompts is the list of prompts.
func Prompts() List {
	return List{"prompts", "prompts/list", "prompts", "name", "name", "prompts", "Prompt", "ListPromptsResult", "prompt"}
}

// Tasks is the list of tasks. It shows each client its own tasks and is
// therefore not among Lists.
func Tasks() List {
	return List{"tasks", "tasks/list", "tasks", "taskId", "task id", "tasks", "Task", "ListTasksResult", "task"}
}

// Lists returns the lists in the order in which reports name them.
func Lists() []List { return []List{Resources(), Templates(), Prompts(), Tools()} }

// Paginated are the methods whose results may have a nextCursor.
func Paginated() []string {
	var methods []string
	for _, l := range append(Lists(), Tasks()) {
		methods = append(methods, l.Method)
	}
	return methods
}

// EmptyCursor says whether an empty nextCursor is a cursor; in earlier
// revisions some servers mark the end with it.
func EmptyCursor() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20260728, Value: true}}
}

// Cacheable are the methods whose finished results say how long clients may keep them.
func Cacheable() []string {
	return []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
}
