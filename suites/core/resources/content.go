package resources

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// contentCases judge what resources are read as, whichever case reads them.
func contentCases() []suite.Case {
	part := func(at string, depth suite.Part) suite.Part {
		depth.Of, depth.At = read, at
		return depth
	}
	in := shapes.In{Suite: "resources", Needs: declared(), Methods: []string{read}, When: final, Sees: "contents of a resource"}
	return shapes.Cases(in,
		shapes.Row{
			Slug: "read-schema", Title: "a read has an array of contents, each with a URI, and with text or a blob", Rule: "resources-read-schema",
			Fix:   "answer with contents as an array, and give each of them its uri and either text or blob, which may be empty but not left out",
			Judge: contents, Sees: "a result of " + read,
			Owns: []suite.Part{
				part("/contents", suite.Part{Depth: suite.Itself}), part("/contents/*", suite.Part{Depth: suite.Itself}),
				part("/contents/*/uri", suite.Part{}), part("/contents/*/text", suite.Part{}),
			},
		},
		shapes.Row{
			Slug: "blob-encoded", Title: "the blob of a resource is base64", Rule: "resources-blob-encoded",
			Fix: "encode the bytes in base64 with padding and without line breaks, and without a data: prefix",
			At:  "/contents/*", Judge: blob, Sees: "a blob",
			Owns: []suite.Part{part("/contents/*/blob", suite.Part{})},
		},
		shapes.Row{
			Slug: "text-only-for-text", Title: "the text of a resource is text", Rule: "resources-text-only-for-text",
			Fix: "write binary data in base64 as blob",
			At:  "/contents/*", Judge: textual, Sees: "the text of a resource",
		},
	)
}

// final reports whether a result is what was read, and no request for input.
func final(a probe.Answer) bool {
	kind, typed := a.Result["resultType"]
	_, asks := a.Result["inputRequests"]
	return a.Request.Plain() && (!typed || kind == protocol.Complete) && !asks
}

func contents(m probe.Message, at string) probe.Opinion {
	list, ok := m.Value(at + "/contents").([]any)
	if !ok {
		return probe.Breaks("%s is %s, want an array", m.Where(at+"/contents"), probe.Show(m.Value(at+"/contents")))
	}
	for i, one := range list {
		place := at + "/contents/" + strconv.Itoa(i)
		content, isObject := one.(map[string]any)
		if !isObject {
			return probe.Breaks("%s is %s, want an object", m.Where(place), probe.Show(one))
		}
		if uri := probe.Member(content, "uri"); !shapes.Text(uri) {
			return probe.Breaks("%s is %s, want a string", m.Where(place+"/uri"), probe.Show(uri))
		}
		text, blob := probe.Member(content, "text"), probe.Member(content, "blob")
		switch {
		case text == probe.Absent{} && blob == probe.Absent{}:
			return probe.Breaks("%s has neither text nor blob, want one of them", m.Where(place))
		case text != probe.Absent{} && !shapes.Text(text):
			return probe.Breaks("%s is %s, want a string", m.Where(place+"/text"), probe.Show(text))
		}
	}
	return probe.Kept()
}

func blob(m probe.Message, at string) probe.Opinion {
	if m.Value(at+"/blob") == any(probe.Absent{}) {
		return probe.Nothing()
	}
	return shapes.Of(shapes.Base64("/blob")...)(m, at)
}

// textual looks for what only bytes that were taken for text have.
func textual(m probe.Message, at string) probe.Opinion {
	text, ok := m.Value(at + "/text").(string)
	switch {
	case !ok:
		return probe.Nothing()
	case strings.ContainsRune(text, 0):
		return probe.Breaks("%s contains U+0000, want binary data as blob", m.Where(at+"/text"))
	}
	if lost := strings.Count(text, "\uFFFD"); lost >= 3 && lost*10 >= utf8.RuneCountInString(text) {
		return probe.Breaks("%s contains U+FFFD %d times, which stands for bytes that are not UTF-8, want binary data as blob",
			m.Where(at+"/text"), lost)
	}
	return probe.Kept()
}
