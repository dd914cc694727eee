// Package faults holds the ways to make optional features mandatory: how the rest of
// the server treats clients and requests with extensions or without.
package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults in the order of the cases.
func Faults() []fault.Fault {
	return slices.Concat(meta(), features(), beside(), methods(), refusals(), notifications(), claims(), plain(), valid(), alone(), handles())
}

const (
	suite  = "ext-degradation/"
	prefix = "io.github.mcp-extension-proposals/"

	// unknownKey is a _meta key that no extension knows.
	unknownKey = "com.example.kit/unknown"
	// readingTool is the tool whose calls the faults change.
	readingTool = "tide_table"
)

// metaValue is the value of a _meta property of the request.
func metaValue(x fault.Exchange, key string) any {
	meta, _ := x.Param("_meta").(map[string]any)
	return meta[key]
}

// callHas selects calls of the tool with a property in _meta, or beside the arguments.
func callHas(x fault.Exchange, property string) bool {
	return x.Tool() == readingTool && (metaValue(x, property) != nil || x.Param(property) != nil)
}

// refusing answers calls with the property with an error.
func refusing(property string, code int, text string) func(fault.Exchange) fault.Verdict {
	return fault.When(func(x fault.Exchange) bool { return callHas(x, property) }).Refuse(code, text)
}

// declared are the keys of the extensions that the client declares.
func declared(x fault.Exchange) map[string]any {
	extensions, _ := x.Declared()
	return extensions
}

func declares(x fault.Exchange, extension string) bool { return declared(x)[prefix+extension] != nil }
