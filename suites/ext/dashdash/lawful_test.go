package dashdash_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

const key = "io.github.visionik/dashdash"

type object = map[string]any

// lean is a block that has the required properties alone.
func lean(more object) object {
	all := object{
		"specVersion": "0.10.0-draft+7", "identity": object{"name": "rigged-mcp", "description": "Moors vessels. Use when a user asks to moor."},
		"accessLevel": "full", "alternativeAccess": object{"cliUrl": nil, "apiUrl": nil, "webUrl": nil},
	}
	maps.Copy(all, more)
	return all
}

// rich is a block with all that is recommended.
func rich(more object) object {
	all := lean(object{
		"install": object{"apt": "rigged"}, "requires": object{"auth": []any{}}, "invocation": object{"userInvocable": false},
		"rateLimit": "as many as you like", "homepage": "https://rigged.example", "repository": "http://git.example/rigged", "x-theme": "dark",
	})
	maps.Copy(all, more)
	return all
}

// serving is a server that says something in the answer to initialize.
func serving(s *fakeserver.Server, put func(result object)) *fakeserver.Server {
	if s.Answer == nil {
		s.Answer = fakeserver.Answers{}
	}
	s.Answer["initialize"] = func(r fakeserver.Request) any {
		result := s.Initialize(r)
		if o, ok := result.(object); ok {
			put(o)
		}
		return result
	}
	return s
}

func within(block object) func(object) { return func(result object) { result["dashdash"] = block } }

func TestLawfulHandshake(t *testing.T) {
	lawful.Servers(t, "ext-dashdash-init", []lawful.Row{
		{Name: "the required properties alone", Server: serving(&fakeserver.Server{}, within(lean(nil))), Warned: []string{
			"ext-dashdash-init/install", "ext-dashdash-init/requires", "ext-dashdash-init/invocation", "ext-dashdash-init/recommended-links",
			"ext-dashdash-ai-help/available",
		}},
		{Name: "as the settings of the capability", Server: &fakeserver.Server{Capabilities: object{"extensions": object{key: rich(nil)}}},
			Warned: []string{"ext-dashdash-ai-help/available"}},
		{Name: "in _meta", Server: serving(&fakeserver.Server{}, func(result object) { result["_meta"] = object{key: rich(nil)} }),
			Warned: []string{"ext-dashdash-ai-help/available"}},
		{Name: "in another language", Config: "words: {trigger-phrases: [wenn jemand]}", Server: serving(&fakeserver.Server{}, within(rich(object{
			"identity": object{"name": "rigged", "description": "Für Liegeplätze; wenn jemand einen sucht."},
		}))), Warned: []string{"ext-dashdash-ai-help/available"}},
	})
}

func TestLawfulTools(t *testing.T) {
	tool := func(name string, about object) object {
		item := fakeserver.Tool(name, true)
		item["_meta"] = object{key: about}
		return item
	}
	usual := func(more object) object {
		all := object{
			"category": "berths", "operationType": "read", "idempotent": true, "cliEquivalent": "rigged moor $HOME {TEXT} ${PORT}",
			"apiEquivalent": "https://api.example/moor", "errors": []any{},
			"examples": []any{object{"description": "Moor", "input": object{"text": "now"}, "output": "done"}},
		}
		maps.Copy(all, more)
		return all
	}
	lawful.Servers(t, "ext-dashdash-tools", []lawful.Row{
		{Name: "objects in _meta, with other properties", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"),
			Tools: []object{
				tool("moor", usual(object{"sideEffects": []any{}, "reversible": true, "x-more": 1})),
				tool("unmoor", usual(object{
					"operationType": "admin", "reverseMethod": "moor", "sideEffects": []any{"moves"},
					"errors": []any{object{"code": "not_moored", "description": "It is at sea.", "resolution": "Moor it."}},
				})),
			},
		}, Warned: []string{"ext-dashdash-init/present"}},
		{Name: "no objects at all, and a claim of the others", Server: serving(&fakeserver.Server{
			Capabilities: object{"tools": object{}, "extensions": object{key: object{}}}, Tools: fakeserver.Tools(2),
		}, within(rich(nil))), Warned: []string{"ext-dashdash-ai-help/available"}},
	})
}

func TestLawfulResources(t *testing.T) {
	lawful.Servers(t, "ext-dashdash-resources", []lawful.Row{
		{Name: "one equivalent of two, and further properties", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("resources"),
			Resources: []object{{"uri": "test://a", "name": "a", "dashdash": object{
				"resourceType": "note", "refreshable": false, "cacheDuration": 60.0, "apiEquivalent": "HEAD https://api.example/a", "x-more": true,
			}}},
		}, Warned: []string{"ext-dashdash-init/present"}},
	})
}

// manual is a lawful guide in an unusual form.
const manual = `---
# who it is
name: rigged
description: "Moors vessels. Use this to moor."
spec-url: https://github.com/visionik/dashdash
spec-version: 0.2.0
access-level: read
cli-url: None
api-url:
web-url: https://rigged.example/app/
last-updated: 2026-08-01
invocation: {model-invocable: true}
---

Rigged
======

> Moorings

When to use?
------------

1. to moor

## quick reference

| tool | use |
|---|---|
| ` + "`tool_0`" + ` | moor |

## Setup and login
` + "```sh\n# Not a title\n## Not a section\n```" + `

## Errors, limits and tools

## Other ways in
`

func TestLawfulHelp(t *testing.T) {
	guided := func(s *fakeserver.Server) *fakeserver.Server {
		s.Answer = fakeserver.Answers{"ai_help": func(r fakeserver.Request) any {
			format, given := r.Params["format"]
			part, _ := r.Params["section"].(string)
			switch {
			case given && format != "markdown" && format != "json", part != "" && !strings.EqualFold(strings.ReplaceAll(part, " ", ""), "whentouse"):
				return &fakeserver.Error{Code: -32602, Message: "not here"}
			case format == "json":
				sections := object{"whenToUse": []any{}, "quickReference": []any{object{"tool_0": "moors"}}}
				if part != "" {
					delete(sections, "quickReference")
				}
				return object{
					"metadata":    object{"name": "rigged", "description": "Moors  vessels. Use this to moor.", "specVersion": "0.2.0"},
					"sections":    sections,
					"contentType": "application/json; charset=utf-8",
				}
			case part != "":
				return object{"content": "When to use?\n---\n\n1. to moor\n", "contentType": "text/markdown"}
			}
			return object{"content": strings.ReplaceAll(manual, "\n", "\r\n"), "contentType": "text/markdown;charset=utf-8"}
		}}
		return s
	}
	helper := object{"name": "ai_help", "inputSchema": object{"type": "object"}, "annotations": object{"readOnlyHint": true}}
	spoken := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: append(fakeserver.Tools(1), helper)}
	spoken.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		if result, ok := spoken.Call(r).(object); ok && r.Params["name"] == "ai_help" {
			result["content"] = fakeserver.Text(manual)["content"]
			return result
		}
		return spoken.Call(r)
	}}
	lawful.Servers(t, "ext-dashdash-ai-help", []lawful.Row{
		{
			Name:   "a guide without a dashdash object",
			Server: guided(&fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1)}),
		},
		{Name: "the text of a tool", Server: spoken, Warned: []string{
			"ext-dashdash-ai-help/json-shape", "ext-dashdash-ai-help/section", "ext-dashdash-ai-help/rejects-unknown-format",
			"ext-dashdash-ai-help/rejects-malformed-format", "ext-dashdash-ai-help/rejects-unknown-section",
		}},
	})
}
