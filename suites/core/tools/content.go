package tools

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// contentCases judge the blocks of each type that results have.
func contentCases() []suite.Case {
	const blocks = "/content/*"
	return shapes.Cases(results(),
		shapes.Row{
			Slug: "image-content", Title: "an image block has base64 data and a media type", Rule: "tools-image-content-shape",
			Fix: "write the bytes of the image in base64 as data, without a data: prefix, and its media type as mimeType",
			At:  blocks, Type: "image", Values: media(),
		},
		shapes.Row{
			Slug: "audio-content", Title: "an audio block has base64 data and a media type", Rule: "tools-audio-content-shape",
			Fix: "write the bytes of the recording in base64 as data, without a data: prefix, and its media type as mimeType",
			At:  blocks, Type: "audio", Values: media(),
		},
		shapes.Row{
			Slug: "resource-link", Title: "a resource link has a URI and a name", Rule: "tools-resource-link-shape",
			Fix: "give each resource_link a uri and a name that are strings",
			At:  blocks, Type: "resource_link",
			Values: []shapes.Value{{At: "/uri", Want: probe.AString()}, {At: "/name", Want: probe.AString()}},
		},
		shapes.Row{
			Slug: "embedded-resource", Title: "an embedded resource has a URI, and text or base64 data", Rule: "tools-embedded-resource-shape",
			Fix: "write resource as an object with a uri, and text or blob",
			At:  blocks, Type: "resource", Judge: shapes.Embedded(),
			Owns: embeddedParts("", "/uri", "/text", "/blob"),
		},
		shapes.Row{
			Slug: "embedded-resource-declared", Title: "a server whose tools embed resources declares the resources capability",
			Rule: "tools-embedded-resource-capability",
			Fix:  "declare resources, and serve them, where results embed them",
			At:   blocks, Type: "resource", Judge: embeddedDeclared,
		},
	)
}

func embeddedParts(properties ...string) []suite.Part {
	parts := make([]suite.Part, len(properties))
	for i, property := range properties {
		parts[i] = suite.Part{Of: "tools/call", At: "/content/*/resource" + property, Type: "resource", Depth: suite.Itself}
	}
	return parts
}

// media leaves the form of a media type open, as the page does.
func media() []shapes.Value {
	form := shapes.MediaType("/mimeType")
	form.Mild = true
	return append(shapes.Media(), form)
}

func embeddedDeclared(m probe.Message, block string) probe.Opinion {
	if probe.Misdeclared(m.Survey().Capabilities, "resources") {
		return probe.Nothing()
	}
	if m.Survey().Capabilities["resources"] == nil {
		return probe.Breaks("%s embeds a resource and the server does not declare resources, want the capability declared", m.Where(block))
	}
	return probe.Kept()
}

// results are what calls are answered with, whichever case makes them. Requests for more
// input, tasks, and what extensions put in the place of a result are left out.
func results() shapes.In {
	return shapes.In{
		Suite: "tools", Needs: declared(), Methods: []string{"tools/call"},
		When: func(a probe.Answer) bool { return a.Request.Plain() && final(a.Result) },
	}
}

func resultCases() []suite.Case { return shapes.Cases(results(), resultRows()...) }

// resultRows judge results as a whole, and what all blocks of content have.
func resultRows() []shapes.Row {
	return []shapes.Row{
		{
			Slug: "call-result", Title: "the result of a call has an array as content, and isError is a boolean",
			Rule: "tools-call-result-schema",
			Fix: "return content as an array, an empty one if need be, also beside structured content, " +
				"and isError as true or false",
			Values: callResult(), Judge: func(m probe.Message, at string) probe.Opinion {
				return shapes.Of(callResult()...)(m, at).Unless(meantAsTask(m)).Unless(meantForOther(m))
			},
		},
		{
			Slug: "content-types", Title: "the content of a result is of the types that the revision has", Rule: "tools-content-types",
			Fix: "use the types of content of the revision in use, and write what it does not have as text",
			At:  "/content/*", Judge: contentType, Sees: "a result with content",
			Owns: []suite.Part{
				{Of: "tools/call", At: "/content/*", Depth: suite.AsObject}, {Of: "tools/call", At: "/content/*/type"},
			},
		},
		{
			Slug: "text-content", Title: "text in a text block is a string", Rule: "tools-text-content-shape",
			Fix: "write the text of a block as a string; put other values into structured content",
			At:  "/content/*", Type: "text", Values: []shapes.Value{{At: "/text", Want: probe.AString()}},
		},
	}
}

func callResult() []shapes.Value {
	return []shapes.Value{
		{At: "/content", Want: probe.AnArray()},
		{At: "/isError", Want: probe.OrMissing(probe.That("true or false", func(v any) bool { _, ok := v.(bool); return ok }))},
	}
}

// meantAsTask tells what judges a result without content where the call asked for a task.
func meantAsTask(m probe.Message) probe.Elsewhere {
	_, asked := m.Request.Params()["task"]
	if _, content := m.At("/result/content"); !asked || content {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "tasks/create-result", Why: "the call is to be answered with the record of a task"}
}

// meantForOther tells what judges a list in place of the result of a call: another client asked
// for it under the same id.
func meantForOther(m probe.Message) probe.Elsewhere {
	if _, content := m.At("/result/content"); content {
		return probe.Elsewhere{}
	}
	for _, list := range protocol.Lists() {
		if items, _ := m.At("/result/" + list.Items); isArray(items) {
			return probe.Elsewhere{Case: "jsonrpc/ids-scoped-to-sender", Why: "the result is the list that another client asked for"}
		}
	}
	return probe.Elsewhere{}
}

func isArray(value any) bool {
	_, ok := value.([]any)
	return ok
}

// final reports whether a result says that it is the outcome of the call.
func final(result map[string]any) bool {
	if kind, ok := result["resultType"]; ok && kind != protocol.Complete {
		return false
	}
	_, content := result["content"]
	_, task := result["task"].(map[string]any)
	if _, handle := result["taskId"].(string); handle {
		task = true // of the extension
	}
	_, asks := result["inputRequests"].(map[string]any)
	return content || !task && !asks
}

func contentType(m probe.Message, block string) probe.Opinion {
	known := protocol.ContentTypes().At(m.Taken())
	kind := m.Value(block + "/type")
	if text, ok := kind.(string); !ok || !slices.Contains(known, text) {
		return probe.Breaks("%s is %s, want one of %s", m.Where(block+"/type"), probe.Show(kind), strings.Join(known, ", "))
	}
	return probe.Kept()
}
