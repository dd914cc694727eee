package dashdash

import (
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A section is one part of the guide, as Markdown and under a key of the JSON form.
type section struct {
	title, key, text string
	value            any
}

func sections() []section {
	return []section{
		{"When to Use", "whenToUse", `Use this server when the user asks to:
- book or release a berth
- look up tides or fees

Do NOT use it for:
- the weather at sea`, []any{"Book or release a berth", "Look up tides or fees"}},
		{"Quick Reference", "quickReference", "- `list_berths`: all berths\n- `book_berth`: book one\n- `release_berth`: give one back\n" +
			"- `tide_table`: the tides of a day", []any{"list_berths", "book_berth", "release_berth", "tide_table"}},
		{"Installation", "installation", "Run `npm install @harbour/office`.", "npm install @harbour/office"},
		{
			"Authentication", "authentication", "Send a bearer token; HARBOUR_KEY holds it over stdio.", "A bearer token, in HARBOUR_KEY over stdio",
		},
		{"Rate Limits", "rateLimits", "A day has a limit, which the manifest tells.", map[string]any{"default": "100000000/day"}},
		{"Error Handling", "errorHandling", "- `INVALID_INPUT`: correct the arguments\n- `RATE_LIMIT_EXCEEDED`: wait as long as retryAfter says",
			"Wait as long as retryAfter says"},
		{"Tool Reference", "toolReference", "tools/list describes each tool, its examples and its errors.", "See tools/list"},
		{"Alternative Access", "alternativeAccess", "A command line and a web page do the same.", "A command line and a web page"},
	}
}

// chosen are the sections that a request asks for.
func chosen(asked string) []section {
	var found []section
	for _, one := range sections() {
		if asked == "" || folded(one.title) == folded(asked) || folded(one.key) == folded(asked) {
			found = append(found, one)
		}
	}
	return found
}

// folded is a title without case, blanks and punctuation.
func folded(title string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(title))
}

// help answers ai_help: as Markdown or as JSON, whole or by section.
func (g *guide) help(t *core.Turn) (fault.Message, *core.Error) {
	var asked struct {
		Format  *string
		Section *string
	}
	if len(t.Params()) > 0 && json.Unmarshal(t.Params(), &asked) != nil {
		return nil, &core.Error{Code: envelope.InvalidParams, Message: "format and section are strings"}
	}
	format, part := "markdown", ""
	if asked.Format != nil {
		format = *asked.Format
	}
	if g.faults.NoSections {
		asked.Section = nil
	}
	if asked.Section != nil {
		part = *asked.Section
	}
	found := chosen(part)
	switch {
	case format != "markdown" && format != "json":
		return nil, &core.Error{Code: envelope.InvalidParams, Message: "format is markdown or json"}
	case len(found) == 0 || asked.Section != nil && folded(part) == "":
		return nil, &core.Error{Code: envelope.InvalidParams, Message: "there is no such section"}
	case format == "json":
		values := map[string]any{}
		for _, one := range found {
			values[one.key] = one.value
		}
		return fault.Message{
			"metadata": map[string]any{"name": g.name(t), "description": about, "specVersion": version},
			"sections": values, "contentType": "application/json",
		}, nil
	}
	var text strings.Builder
	if part == "" {
		text.WriteString(g.front(t))
	}
	for i, one := range found {
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString("## " + one.title + "\n\n" + one.text + "\n")
	}
	return fault.Message{"content": text.String(), "contentType": "text/markdown"}, nil
}

// front is the beginning of the guide: the front matter, the title and the summary.
func (g *guide) front(t *core.Turn) string {
	return `---
name: ` + g.name(t) + `
description: >
  ` + about + `
spec-url: https://github.com/visionik/dashdash
spec-version: ` + version + `
access-level: ` + g.level() + `
cli-url: ` + home + `/cli
api-url: none
web-url: ` + home + `/app
install:
  npm: "@harbour/office"
requires:
  auth: [bearer-token]
  env: [HARBOUR_KEY]
invocation:
  model-invocable: true
  user-invocable: true
---

# Harbour office

> Berths, tides and fees of a small harbour

`
}
