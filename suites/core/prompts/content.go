package prompts

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// got are the prompts that a server answers with, whichever case gets them.
func got() shapes.In {
	return shapes.In{Suite: "prompts", Needs: declared(), Methods: []string{get}, When: final, Sees: "a message of a prompt"}
}

// final reports whether a result is the prompt, and no request for input.
func final(a probe.Answer) bool {
	kind, typed := a.Result["resultType"]
	_, asks := a.Result["inputRequests"]
	return a.Request.Plain() && (!typed || kind == protocol.Complete) && !asks
}

func part(at string, depth probe.Depth) suite.Part { return suite.Part{Of: get, At: at, Depth: depth} }

// messageCases judge the messages, and leave to contentCases what a message holds.
func messageCases() []suite.Case {
	return shapes.Cases(got(),
		shapes.Row{
			Slug: "get-schema", Title: "a prompt has an array of messages, each with a role and content", Rule: "prompts-get-schema",
			Fix:   "answer with messages as an array, an empty one if need be, and give each of them a role and content",
			Judge: messages, Sees: "a result of " + get,
			Owns: []suite.Part{part("/messages", suite.Itself), part("/messages/*", suite.Itself), part("/messages/*/content", suite.Itself)},
		},
		shapes.Row{
			Slug: "message-role", Title: "the role of a message is user or assistant", Rule: "prompts-message-role",
			Fix: "write user or assistant as role; instructions for a model go into a message of the user",
			At:  "/messages/*", Values: []shapes.Value{{At: "/role", Given: true, Want: shapes.OneOf("user", "assistant")}},
		},
		shapes.Row{
			Slug: "content-types", Title: "the content of a message is one block of a type that the revision has", Rule: "prompts-content-types",
			Fix: "write content as one object, use the types of content of the revision in use, and send a message for each block",
			At:  "/messages/*/content", Judge: contentType,
			Owns: []suite.Part{part("/messages/*/content", suite.AsObject), part("/messages/*/content/type", suite.Itself)},
		},
	)
}

func messages(m probe.Message, at string) probe.Opinion {
	list, ok := m.Value(at + "/messages").([]any)
	if !ok {
		return probe.Breaks("%s is %s, want an array", m.Where(at+"/messages"), probe.Show(m.Value(at+"/messages")))
	}
	for i, one := range list {
		place := at + "/messages/" + strconv.Itoa(i)
		message, isObject := one.(map[string]any)
		if !isObject {
			return probe.Breaks("%s is %s, want an object", m.Where(place), probe.Show(one))
		}
		for _, name := range []string{"role", "content"} {
			if _, has := message[name]; !has {
				return probe.Breaks("%s is absent, want every message to have it", m.Where(place+"/"+name))
			}
		}
	}
	return probe.Kept()
}

func contentType(m probe.Message, at string) probe.Opinion {
	content := m.Value(at)
	if content == any(probe.Absent{}) {
		return probe.Nothing()
	}
	block, ok := content.(map[string]any)
	if !ok {
		return probe.Breaks("%s is %s, want one object", m.Where(at), probe.Show(content))
	}
	known, kind := protocol.ContentTypes().At(m.Taken()), probe.Member(block, "type")
	if text, ok := kind.(string); !ok || !slices.Contains(known, text) {
		return probe.Breaks("%s is %s, want one of %s", m.Where(at+"/type"), probe.Show(kind), strings.Join(known, ", "))
	}
	return probe.Kept()
}

// contentCases judge the blocks of each type.
func contentCases() []suite.Case {
	const block = "/messages/*/content"
	data := []suite.Part{part(block+"/data", suite.Itself), part(block+"/mimeType", suite.Itself)}
	in := got()
	in.When = askedWell
	return shapes.Cases(in,
		shapes.Row{
			Slug: "image-encoded", Title: "an image in a prompt is base64 and has a media type", Rule: "prompts-image-encoded",
			Fix: "write the bytes of the image in base64 as data, without a data: prefix, and its media type as mimeType",
			At:  block, Type: "image", Judge: encoded, Sees: "an image in a prompt", Owns: data,
		},
		shapes.Row{
			Slug: "audio-encoded", Title: "audio in a prompt is base64 and has a media type", Rule: "prompts-audio-encoded",
			Fix: "write the bytes of the recording in base64 as data, without a data: prefix, and its media type as mimeType",
			At:  block, Type: "audio", Judge: encoded, Sees: "audio in a prompt", Owns: data,
		},
		shapes.Row{
			Slug: "embedded-resource-fields", Title: "a resource in a prompt has a URI, a media type, and text or base64 data",
			Rule: "prompts-embedded-resource-fields",
			Fix:  "write resource as an object with a uri that begins with a scheme, its mimeType, and text or blob",
			At:   block, Type: "resource", Judge: embedded, Sees: "a resource in a prompt",
			Owns: []suite.Part{
				part(block+"/resource", suite.Itself), part(block+"/resource/uri", suite.Itself), part(block+"/resource/mimeType", suite.Itself),
				part(block+"/resource/text", suite.Itself), part(block+"/resource/blob", suite.Itself),
			},
		},
	)
}

// askedWell reports whether a prompt had all that it requires: what is made of a request
// without it says nothing of the server's own content.
func askedWell(a probe.Answer) bool {
	params := a.Request.Params()
	given := probe.ObjectOf(params["arguments"])
	for _, item := range a.Survey().Lists[protocol.Prompts().Method] {
		if listed := probe.ObjectOf(item); listed["name"] == params["name"] {
			for _, one := range probe.ArrayOf(listed["arguments"]) {
				argument := probe.ObjectOf(one)
				if argument["required"] == true && !shapes.Text(given[probe.TextOf(argument["name"])]) {
					return false
				}
			}
		}
	}
	return final(a)
}

func encoded(m probe.Message, at string) probe.Opinion {
	return shapes.Of(ofServer(m, at, append(shapes.Media(), shapes.MediaType("/mimeType")))...)(m, at)
}

func embedded(m probe.Message, at string) probe.Opinion {
	return shapes.Embedded(ofServer(m, at+"/resource", embeddedValues())...)(m, at)
}

// ofServer leaves out the values that repeat an argument: a prompt may embed the resource
// that it is asked for, whatever its URI.
func ofServer(m probe.Message, at string, values []shapes.Value) []shapes.Value {
	return slices.DeleteFunc(values, func(v shapes.Value) bool {
		for _, argument := range probe.ObjectOf(m.Request.Params()["arguments"]) {
			if repeats(probe.TextOf(m.Value(at+v.At)), probe.TextOf(argument)) {
				return true
			}
		}
		return false
	})
}

// repeats passes over short arguments: base64 contains many of them by chance.
func repeats(text, argument string) bool {
	const short = 5
	return argument != "" && text == argument || len(argument) > short && strings.Contains(text, argument)
}

// embeddedValues are what the page wants of a resource beside its URI as a string. The
// schema lets the media type be absent.
func embeddedValues() []shapes.Value {
	return []shapes.Value{
		{At: "/uri", When: shapes.Text, Want: probe.That("a URI with a scheme", func(v any) bool {
			uri := probe.TextOf(v)
			scheme, _, found := strings.Cut(uri, ":")
			return found && scheme != "" && !strings.ContainsAny(scheme, "/?#")
		})},
		{At: "/uri", When: shapes.Text, Mild: true, Want: probe.That("a URI that can be parsed", func(v any) bool {
			_, err := url.Parse(probe.TextOf(v))
			return err == nil
		})},
		{At: "/mimeType", Want: probe.OrMissing(probe.AString())},
		{At: "/mimeType", When: func(v any) bool { return v == any(probe.Absent{}) || shapes.Text(v) }, Mild: true, Want: probe.AString()},
		shapes.MediaType("/mimeType"),
	}
}
