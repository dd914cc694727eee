package tools

import (
	"encoding/base64"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// contentCases judge the blocks of each type that results have.
func contentCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/image-content",
			Title:  "an image block has base64 data and a media type",
			Checks: []requirements.ID{"tools-image-content-shape"},
			Needs:  declared(),
			Fix:    "write the bytes of the image in base64 as data, without a data: prefix, and its media type as mimeType",
			Owns:   blockParts("image", "data", "mimeType"),
			Watch:  blocksOf("image", media),
		},
		{
			ID:     "tools/audio-content",
			Title:  "an audio block has base64 data and a media type",
			Checks: []requirements.ID{"tools-audio-content-shape"},
			Needs:  declared(),
			Fix:    "write the bytes of the recording in base64 as data, without a data: prefix, and its media type as mimeType",
			Owns:   blockParts("audio", "data", "mimeType"),
			Watch:  blocksOf("audio", media),
		},
		{
			ID:     "tools/resource-link",
			Title:  "a resource link has a URI and a name",
			Checks: []requirements.ID{"tools-resource-link-shape"},
			Needs:  declared(),
			Fix:    "give each resource_link a uri and a name that are strings",
			Owns:   blockParts("resource_link", "uri", "name"),
			Watch: blocksOf("resource_link", func(a probe.Answer, block string) probe.Opinion {
				return texts(a, block, "uri", "name")
			}),
		},
		{
			ID:     "tools/embedded-resource",
			Title:  "an embedded resource has a URI, and text or base64 data",
			Checks: []requirements.ID{"tools-embedded-resource-shape"},
			Needs:  declared(),
			Fix:    "write resource as an object with a uri, and text or blob",
			Owns:   blockParts("resource", "resource", "resource/uri", "resource/text", "resource/blob"),
			Watch:  blocksOf("resource", embedded),
		},
		{
			ID:     "tools/embedded-resource-declared",
			Title:  "a server whose tools embed resources declares the resources capability",
			Checks: []requirements.ID{"tools-embedded-resource-capability"},
			Needs:  declared(),
			Fix:    "declare resources, and serve them, where results embed them",
			Watch:  blocksOf("resource", embeddedDeclared),
		},
	}
}

// blockParts are properties of each block of a type.
func blockParts(kind string, properties ...string) []suite.Part {
	parts := make([]suite.Part, len(properties))
	for i, property := range properties {
		parts[i] = suite.Part{Of: "tools/call", At: "/content/*/" + property, Type: kind, Depth: suite.Itself}
	}
	return parts
}

// blocksOf makes a watcher that judges each block of a type.
func blocksOf(kind string, judge func(a probe.Answer, block string) probe.Opinion) func() probe.Watcher {
	return results(func(a probe.Answer) probe.Opinion {
		said := probe.Nothing()
		for _, block := range blocks(a) {
			if a.Value(block+"/type") == kind {
				said = said.And(judge(a, block))
			}
		}
		return said
	})
}

// texts expects properties that are strings.
func texts(a probe.Answer, at string, properties ...string) probe.Opinion {
	said := probe.Kept()
	for _, property := range properties {
		if v, ok := a.Value(at + "/" + property).(string); !ok {
			said = said.And(probe.Breaks("%s is %s, want a string", a.Where(at+"/"+property), probe.Show(a.Value(at+"/"+property))))
		} else if property == "mimeType" && !strings.Contains(v, "/") {
			said = said.And(probe.Breaks("%s is %s, want a media type such as image/png", a.Where(at+"/"+property), probe.Show(v)).AtMostWarn())
		}
	}
	return said
}

func media(a probe.Answer, block string) probe.Opinion {
	return bytes(a, block+"/data").And(texts(a, block, "mimeType"))
}

// bytes expects base64. What decoders mostly forgive is worth a warning only.
func bytes(a probe.Answer, at string) probe.Opinion {
	text, ok := a.Value(at).(string)
	if !ok {
		return probe.Breaks("%s is %s, want a string of base64", a.Where(at), probe.Show(a.Value(at)))
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(text); err == nil && !strings.ContainsAny(text, "\r\n") {
		return probe.Kept()
	}
	loose := strings.NewReplacer("\r", "", "\n", "", " ", "", "-", "+", "_", "/").Replace(strings.TrimRight(text, "=\r\n "))
	said := probe.Breaks("%s is %s, want base64 as RFC 4648 has it", a.Where(at), probe.Show(text))
	if _, err := base64.RawStdEncoding.DecodeString(loose); err == nil {
		return said.AtMostWarn()
	}
	return said
}

func embedded(a probe.Answer, block string) probe.Opinion {
	at := block + "/resource"
	if _, ok := a.Value(at).(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object", a.Where(at), probe.Show(a.Value(at)))
	}
	said := texts(a, at, "uri")
	text, blob := a.Value(at+"/text"), a.Value(at+"/blob")
	switch {
	case blob != probe.Absent{}:
		return said.And(bytes(a, at+"/blob"))
	case text != probe.Absent{}:
		return said.And(texts(a, at, "text"))
	}
	return said.And(probe.Breaks("%s has neither text nor blob, want one of them", a.Where(at)))
}

func embeddedDeclared(a probe.Answer, block string) probe.Opinion {
	if a.Survey.Capabilities["resources"] == nil {
		return probe.Breaks("%s embeds a resource and the server does not declare resources, want the capability declared", a.Where(block))
	}
	return probe.Kept()
}
