// Package resources holds the ways to break the rules on resources: on their lists, on
// what is read, and on who is told of changes.
package resources

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/lists"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(list(), uris(), templates(), reading(), contents(), missing(), requests(), guarded(),
		subscribing(), lasting(), updates(), opening(), filters(), delivery(), closing())
}

const (
	read     = "resources/read"
	watched  = "test://watched-resource"
	textAt   = "test://static-text"
	binaryAt = "test://static-binary"
)

// list are faults of the list.
func list() []fault.Fault {
	// The template serves this URI, so that what is listed can be read.
	const uri, name, text = "test://template/crane/data", "A crane", "The crane lifts a vessel."
	return lists.Faults(
		lists.List{
			Area: "resources", Method: "resources/list", Noun: "resource", Key: "uri", Word: "URI", Taken: textAt,
			Spare: fault.Message{"uri": uri, "name": name, "description": text},
			Add:   func(r fault.Registry, mark string) { r.AddResource(uri+mark, name, text) },
		},
		lists.Rules{
			Declared:      "resources-capability-declared",
			Unknown:       "resources-list-answered-legacy",
			Null:          "resources-list-answered",
			Schema:        "resources-list-schema",
			Unique:        "resources-uri-unique",
			PerConnection: "resources-list-not-per-connection",
			NoSideEffects: "resources-list-no-side-effects",
			ChangedSent:   "resources-list-changed-sent",
		},
	)
}

// uris are resources with malformed URIs. The server reads none that has no scheme.
func uris() []fault.Fault {
	crane := func(uri string) func(fault.Registry) {
		return func(r fault.Registry) { r.AddResource(uri, "A crane", "The crane lifts a vessel.") }
	}
	unreadable := []string{"resources/listed-readable"}
	return []fault.Fault{
		{Breaks: "resources-uri-syntax", Each: []fault.Fault{
			{Name: "resources-uri-relative", Title: "the URI of a resource is a relative path", May: unreadable, Domain: crane("cranes/1")},
			{Name: "resources-uri-letters", Title: "the URI of a resource has letters that a URI may not have", Domain: crane("harbour://kräne/1")},
		}},
		{
			Name: "resources-scheme-underscore", Title: "the scheme of a URI has an underscore",
			Breaks: "resources-custom-scheme-rfc3986", May: unreadable, Domain: crane("harbour_office://cranes/1"),
		},
	}
}

func templates() []fault.Fault {
	const method = "resources/templates/list"
	return []fault.Fault{
		{Breaks: "resources-templates-schema", Each: []fault.Fault{
			{Name: "resources-template-nameless", Title: "a template has no name", Reply: fault.Drop(method, "/result/resourceTemplates/0/name")},
			{
				Name: "resources-template-media-type", Title: "the media type of a template is the ending of a file",
				Reply: fault.Set(method, "/result/resourceTemplates/0/mimeType", "png"),
			},
			{
				Name: "resources-templates-object", Title: "the templates are an object instead of an array",
				Reply: fault.Set(method, "/result/resourceTemplates", map[string]any{}),
			},
		}},
		{Breaks: "resources-template-syntax", Each: []fault.Fault{
			{
				Name: "resources-template-unclosed", Title: "a template has a brace that is not closed",
				Reply: fault.Set(method, "/result/resourceTemplates/0/uriTemplate", "harbour://berths/{berth"),
			},
			{
				Name: "resources-template-hyphen", Title: "the name of a variable in a template has a hyphen",
				Reply: fault.Set(method, "/result/resourceTemplates/0/uriTemplate", "harbour://berths/{berth-id}"),
			},
		}},
	}
}

// at selects reads of a URI.
func at(uri string) fault.When {
	return fault.On(read).And(func(x fault.Exchange) bool { return x.Param("uri") == uri })
}

// listed changes a resource in the list.
func listed(uri, property string, value any) fault.Change {
	return fault.OnResult("resources/list", func(result fault.Message) {
		items, _ := result["resources"].([]fault.Message)
		for _, item := range items {
			if item["uri"] == uri {
				item[property] = value
			}
		}
	})
}

// reading are lists that do not agree with what is read.
func reading() []fault.Fault {
	return []fault.Fault{
		{
			Name: "resources-listed-missing", Title: "a resource is listed that cannot be read", Breaks: "resources-listed-are-readable",
			List: lists.List{Method: "resources/list"}.With(fault.Message{"uri": "harbour://cranes/1", "name": "A crane"}),
		},
		{
			Name: "resources-read-ends", Title: "reading a resource ends the process", Breaks: "jsonrpc-single-response",
			Kills: []string{"resources/listed-readable"}, In: fault.OverStdio("2025-11-25", "2026-07-28"),
			Inbound: fault.On("resources/read").Exit(1),
		},
		{
			Name: "resources-size-of-base64", Title: "the size of a picture is the length of its base64", Breaks: "resources-size-accurate",
			Reply: listed(binaryAt, "size", 92),
		},
		{
			Name: "resources-size-negative", Title: "the size of a resource is -1", Breaks: "resources-size-accurate",
			Reply: listed(textAt, "size", -1),
		},
	}
}

// contents are malformed answers to a read.
func contents() []fault.Fault {
	const first = "/result/contents/0"
	return []fault.Fault{
		{Breaks: "resources-read-schema", Each: []fault.Fault{
			{
				Name: "resources-contents-object", Title: "contents are an object instead of an array",
				Reply: at(textAt).Set("/result/contents", map[string]any{}),
			},
			{Name: "resources-contents-text", Title: "an item of the contents is a string", Reply: at(textAt).Set(first, "A text")},
			{Name: "resources-contents-nowhere", Title: "contents have no URI", Reply: at(textAt).Drop(first + "/uri")},
			{Name: "resources-contents-empty", Title: "contents have neither text nor a blob", Reply: at(textAt).Drop(first + "/text")},
			{Name: "resources-text-number", Title: "the text of a resource is a number", Reply: at(textAt).Set(first+"/text", 7)},
		}},
		{Breaks: "resources-blob-encoded", Each: []fault.Fault{
			{
				Name: "resources-blob-data-url", Title: "a blob begins with data:",
				Reply: at(binaryAt).Result(func(result fault.Message) {
					blob(result, func(text string) string { return "data:image/png;base64," + text })
				}),
			},
			{
				Name: "resources-blob-lines", Title: "a blob has line breaks",
				Reply: at(binaryAt).Result(func(result fault.Message) {
					blob(result, func(text string) string { return text[:40] + "\n" + text[40:] })
				}),
			},
			{Name: "resources-blob-number", Title: "a blob is a number", Reply: at(binaryAt).Set(first+"/blob", 7)},
		}},
		{Breaks: "resources-text-only-for-text", Each: []fault.Fault{
			{
				Name: "resources-text-of-bytes", Title: "bytes are written as text, with a zero among them",
				Kills: []string{"resources/text-only-for-text"}, Reply: at(textAt).Set(first+"/text", "PNG\x00\x01"),
			},
			{
				Name: "resources-text-lost", Title: "bytes are written as text, with what is not UTF-8 replaced",
				Kills: []string{"resources/text-only-for-text"}, Reply: at(textAt).Set(first+"/text", "\uFFFDPNG \uFFFD\uFFFD"),
			},
			{
				Name: "resources-binary-as-text", Title: "a picture is written as text, in base64",
				Kills: []string{"resources/binary-as-blob"}, Reply: at(binaryAt).Result(func(result fault.Message) {
					item := content(result)
					item["text"] = item["blob"]
					delete(item, "blob")
				}),
			},
		}},
	}
}

// content is the first item of the contents.
func content(result fault.Message) map[string]any {
	items, _ := result["contents"].([]any)
	if len(items) == 0 {
		return map[string]any{}
	}
	item, _ := items[0].(map[string]any)
	return item
}

func blob(result fault.Message, change func(string) string) {
	item := content(result)
	text, _ := item["blob"].(string)
	item["blob"] = change(text)
}

// missing are errors that do not say what they should.
func missing() []fault.Fault {
	lost := func(code int) fault.Change {
		return fault.OnError(read, func(failure fault.Message) {
			if failure["code"] == -32602 || failure["code"] == -32002 {
				failure["code"] = code
			}
		})
	}
	const noContents = "an unknown resource is answered with empty contents"
	strange := fault.On(read).And(func(x fault.Exchange) bool {
		uri, _ := x.Param("uri").(string)
		return strings.HasPrefix(uri, "harbour://berths/no-such-")
	})
	within := []string{"resources/not-found-in-template"}
	anywhere := append([]string{"resources/not-found-code"}, within...)
	empty := func(name string, breaks requirements.ID) fault.Fault {
		return fault.Fault{
			Name: name, Title: "an unknown value for a template is answered with empty contents", Breaks: breaks, Kills: within,
			Inbound: strange.Verdict(func(x fault.Exchange) fault.Verdict {
				result := found(x, "", "")
				result["contents"] = []any{}
				return fault.Answer(x, result)
			}),
		}
	}
	return []fault.Fault{
		empty("resources-template-not-found-empty", "resources-not-found-not-empty"),
		empty("resources-template-not-found-empty-legacy", "resources-not-found-legacy-code"),
		{
			Name: "resources-template-not-found-internal", Title: "an unknown value for a template is an internal error",
			Breaks: "resources-not-found-modern-code", Kills: within,
			Inbound: strange.Refuse(-32603, "berth is undefined"),
		},
		{
			Name: "resources-not-found-empty", Title: noContents, Breaks: "resources-not-found-not-empty", Kills: anywhere,
			Skip: []fault.Check{fault.CheckResource},
		},
		{
			Name: "resources-not-found-empty-legacy", Title: noContents, Breaks: "resources-not-found-legacy-code", Kills: anywhere,
			Skip: []fault.Check{fault.CheckResource},
		},
		{
			Name: "resources-not-found-internal", Title: "an unknown resource is an internal error", Breaks: "resources-not-found-modern-code",
			Kills: anywhere, May: []string{"jsonrpc/invalid-params-read-without-uri"},
			Reply: lost(-32603),
		},
		{
			Name: "resources-not-found-invalid", Title: "an unknown resource has the code of invalid params",
			Breaks: "resources-not-found-legacy-code", Kills: []string{"resources/not-found-code"}, Reply: lost(-32602),
		},
		{
			Name: "resources-not-found-unnamed", Title: "the error for an unknown resource does not name it in data",
			Breaks: "resources-not-found-data-uri", Reply: fault.Drop(read, "/error/data/uri"),
		},
		{
			Name: "resources-failure-own-code", Title: "a failure while a resource is read has a code of the server's own",
			Breaks: "resources-internal-error-code", May: []string{"jsonrpc/internal-error"},
			Reply: fault.OnError(read, func(failure fault.Message) {
				if failure["code"] == -32603 {
					failure["code"] = 1
				}
			}),
		},
	}
}

// serves answers some reads with a text, whatever their URI.
func serves(text string, which func(uri string) bool) func(fault.Exchange) fault.Verdict {
	return fault.On(read).Verdict(func(x fault.Exchange) fault.Verdict {
		uri, ok := x.Param("uri").(string)
		if !ok || !which(uri) {
			return fault.Verdict{}
		}
		return fault.Answer(x, found(x, uri, text))
	})
}

// found is the result of a read.
func found(x fault.Exchange, uri, text string) map[string]any {
	result := map[string]any{"contents": []any{map[string]any{"uri": uri, "mimeType": "text/plain", "text": text}}}
	if x.Revision.Modern() {
		result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 0, "private"
	}
	return result
}

// requests are reads of what is no resource.
func requests() []fault.Fault {
	const text = "There is no such resource."
	row := func(slug, title string, which func(uri string) bool) fault.Fault {
		return fault.Fault{
			Name: "resources-uri-served-" + slug, Title: title + " is answered with contents that report an error",
			Breaks: "resources-uri-validated", Kills: []string{"resources/uri-" + slug}, Inbound: serves(text, which),
		}
	}
	made := func(uri string) bool { return strings.HasPrefix(uri, "no-such-") }
	return []fault.Fault{
		row("empty", "an empty URI", func(uri string) bool { return uri == "" }),
		row("relative", "a relative URI", func(uri string) bool { return made(uri) && !strings.Contains(uri, ":") }),
		row("control-characters", "a URI with control characters", func(uri string) bool { return strings.Contains(uri, "\x01") }),
		row("unknown-scheme", "a URI with a made-up scheme", func(uri string) bool { return made(uri) && strings.Contains(uri, ":") }),
		{
			Name: "resources-uri-long-unanswered", Title: "a long URI is never answered", Breaks: "resources-uri-validated",
			Kills: []string{"resources/uri-long"}, Hangs: true,
			Inbound: fault.On(read).And(func(x fault.Exchange) bool {
				uri, _ := x.Param("uri").(string)
				return len(uri) > 4096 && strings.HasPrefix(uri, "test://")
			}).Hang(),
		},
	}
}

// archive lists a template of files in place of the files.
func archive(x fault.Exchange, items []fault.Message) []fault.Message {
	if x.Method == "resources/templates/list" {
		return append(items, fault.Message{"uriTemplate": "file:///archive/{+name}", "name": "archive"})
	}
	return slices.DeleteFunc(items, func(item fault.Message) bool {
		uri, _ := item["uri"].(string)
		return strings.HasPrefix(uri, "file://")
	})
}

// guarded are resources that are given to everybody.
func guarded() []fault.Fault {
	const hosts, guest = "127.0.0.1 localhost\n", "Bearer key-of-the-harbour-guest"
	row := func(slug, title, up string) fault.Fault {
		return fault.Fault{
			Name: "resources-path-" + slug, Title: "a file URI leads out of the served files by " + title,
			Breaks: "resources-path-traversal", Kills: []string{"resources/path-" + slug},
			Inbound: serves(hosts, func(uri string) bool {
				return strings.HasPrefix(uri, "file:///harbour/") && strings.Contains(uri, "/"+up) && strings.HasSuffix(uri, "/etc/hosts")
			}),
		}
	}
	return []fault.Fault{
		row("dots", "../", "../"), row("encoded-dots", "../ encoded", "%2e%2e/"), row("twice-encoded-dots", "../ encoded twice", "%252e%252e/"),
		{
			Name: "resources-path-of-template", Title: "no file is listed, and a template of files leads out of their directory by ../",
			Breaks: "resources-path-traversal", Kills: []string{"resources/path-dots"}, List: archive,
			Inbound: serves(hosts, func(uri string) bool {
				return strings.HasPrefix(uri, "file:///archive/../") && strings.HasSuffix(uri, "/etc/hosts")
			}),
		},
		{
			Name: "resources-denied-served", Title: "a guest is served a resource that only others may read",
			Breaks: "resources-access-controlled", May: []string{"caching/access-controlled"},
			In: append(fault.OverHTTP(requirements.R20251125), fault.OverHTTP(requirements.R20260728)...),
			Inbound: fault.On(read).Verdict(func(x fault.Exchange) fault.Verdict {
				uri, _ := x.Param("uri").(string)
				if !strings.HasSuffix(uri, "/safety") || x.Header.Get("Authorization") != guest {
					return fault.Verdict{}
				}
				return fault.Answer(x, found(x, uri, "All is in order."))
			}),
		},
	}
}
