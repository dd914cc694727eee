package protocol

import "github.com/mcp-conform/mcp-conform/suites/requirements"

// FieldTypes are the types of the fields of a form.
func FieldTypes() ByRevision[[]string] {
	return ByRevision[[]string]{
		{Since: june, Value: []string{"string", "number", "integer", "boolean"}},
		{Since: november, Value: []string{"string", "number", "integer", "boolean", "array"}},
	}
}

// DefaultTypes are the types of fields whose default is described.
func DefaultTypes() ByRevision[[]string] {
	return ByRevision[[]string]{
		{Since: june, Value: []string{"boolean"}},
		{Since: november, Value: []string{"string", "number", "integer", "boolean", "array"}},
	}
}

// FieldFormats are the formats of strings in a form.
func FieldFormats() []string { return []string{"email", "uri", "date", "date-time"} }

// ElicitationIDs says whether an elicitation by URL has an id.
func ElicitationIDs() ByRevision[bool] {
	return ByRevision[bool]{{Since: november, Value: true}, {Since: modern, Value: false}}
}

// ElicitationModes says whether an elicitation can have a mode.
func ElicitationModes() ByRevision[bool] { return ByRevision[bool]{{Since: november, Value: true}} }

// SamplingTypes are the types of the content of sampling messages.
func SamplingTypes() ByRevision[[]string] {
	return ByRevision[[]string]{
		{Since: first, Value: []string{"text", "image"}},
		{Since: requirements.R20250326, Value: []string{"text", "image", "audio"}},
		{Since: november, Value: []string{"text", "image", "audio", "tool_use", "tool_result"}},
	}
}

// SamplingLists says whether the content of a sampling message can be an array.
func SamplingLists() ByRevision[bool] { return ByRevision[bool]{{Since: november, Value: true}} }
