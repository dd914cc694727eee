package tools

import (
	"encoding/base64"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
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
			At:  blocks, Type: "resource", Judge: embedded,
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

func media() []shapes.Value {
	return append(base64At("/data"),
		shapes.Value{At: "/mimeType", Want: probe.AString()},
		shapes.Value{At: "/mimeType", Want: probe.That("a media type such as image/png", func(v any) bool {
			text, _ := v.(string)
			return strings.Contains(text, "/")
		}), Mild: true})
}

// base64At expects base64. What decoders mostly forgive is worth a warning only.
func base64At(at string) []shapes.Value {
	const want = "base64 as RFC 4648 has it"
	return []shapes.Value{
		{At: at, Want: probe.That("a string of base64", shapes.Text)},
		{At: at, Want: probe.That(want, loose)},
		{At: at, Want: probe.That(want, strict), Mild: true},
	}
}

func strict(v any) bool {
	text, _ := v.(string)
	_, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

func loose(v any) bool {
	text, _ := v.(string)
	text = strings.NewReplacer("\r", "", "\n", "", " ", "", "-", "+", "_", "/").Replace(strings.TrimRight(text, "=\r\n "))
	_, err := base64.RawStdEncoding.DecodeString(text)
	return strict(v) || err == nil
}

func embedded(m probe.Message, block string) probe.Opinion {
	at := block + "/resource"
	if _, ok := m.Value(at).(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object", m.Where(at), probe.Show(m.Value(at)))
	}
	values := []shapes.Value{{At: "/uri", Want: probe.AString()}}
	text, blob := m.Value(at+"/text"), m.Value(at+"/blob")
	switch {
	case blob != probe.Absent{}:
		values = append(values, base64At("/blob")...)
	case text != probe.Absent{}:
		values = append(values, shapes.Value{At: "/text", Want: probe.AString()})
	default:
		return shapes.Of(values...)(m, at).And(probe.Breaks("%s has neither text nor blob, want one of them", m.Where(at)))
	}
	return shapes.Of(values...)(m, at)
}

func embeddedDeclared(m probe.Message, block string) probe.Opinion {
	if m.Survey.Capabilities["resources"] == nil {
		return probe.Breaks("%s embeds a resource and the server does not declare resources, want the capability declared", m.Where(block))
	}
	return probe.Kept()
}
