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

	// nobodys is a _meta key that no extension knows.
	nobodys = "com.example.kit/unknown"
	// reading is the tool whose calls the faults change.
	reading = "tide_table"
)

// sent is the value of a _meta property of the request.
func sent(x fault.Exchange, key string) any {
	meta, _ := x.Param("_meta").(map[string]any)
	return meta[key]
}

// reads selects calls of the tool with a property in _meta, or beside the arguments.
func reads(x fault.Exchange, property string) bool {
	return x.Tool() == reading && (sent(x, property) != nil || x.Param(property) != nil)
}

// refusing answers calls with the property with an error.
func refusing(property string, code int, text string) func(fault.Exchange) fault.Verdict {
	return fault.When(func(x fault.Exchange) bool { return reads(x, property) }).Refuse(code, text)
}

// declared are the keys of the extensions that the client declares.
func declared(x fault.Exchange) map[string]any {
	extensions, _ := x.Declared()
	return extensions
}

func declares(x fault.Exchange, extension string) bool { return declared(x)[prefix+extension] != nil }
