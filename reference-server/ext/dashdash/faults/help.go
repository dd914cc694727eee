package faults

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const method = "ai_help"

// Help lists the faults of the guide.
func Help() []fault.Fault {
	return slices.Concat(forms(), inJSON(), fronts(), sections(), agreeing(), asked(), limits())
}

// in selects requests for a form of the guide.
func in(format string) fault.When {
	return fault.On(method).And(func(x fault.Exchange) bool {
		asked, _ := x.Param("format").(string)
		return asked == format || asked == "" && format == "markdown"
	})
}

// edited changes the text of the whole guide.
func edited(change func(text string) string) fault.Change {
	return in("markdown").And(func(x fault.Exchange) bool { return x.Param("section") == nil }).Result(func(result fault.Message) {
		if text, ok := result["content"].(string); ok {
			result["content"] = change(text)
		}
	})
}

func replaced(old, with string) fault.Change {
	return edited(func(text string) string { return strings.Replace(text, old, with, 1) })
}

// cut takes a section out, or moves it to the end.
func cut(title string, keep bool) fault.Change {
	return edited(func(text string) string {
		before, rest, _ := strings.Cut(text, "\n## "+title+"\n")
		section, after, more := strings.Cut(rest, "\n## ")
		if more {
			before += "\n## " + after
		}
		if keep {
			return before + "\n## " + title + "\n" + section
		}
		return before
	})
}

func forms() []fault.Fault {
	others := []string{"ext-dashdash-init/cross-reference"}
	return []fault.Fault{
		{Breaks: "ext-dd-help-available", Each: []fault.Fault{
			{
				Name: "dashdash-help-unknown", Title: "ai_help is an unknown method although the dashdash object is there",
				Inbound: fault.On(method).Refuse(-32601, "there is no method ai_help"),
			}, {
				Name: "dashdash-help-bare", Title: "the result of ai_help is a string", In: fault.OverStdio(requirements.R20251125),
				Kills: []string{"jsonrpc/result-is-object"}, May: []string{"schema/messages-valid"},
				Silent: []string{"ext-dashdash-ai-help/available"}, Reply: fault.On(method).
					Change(func(_ fault.Exchange, m fault.Message) {
						if _, ok := m.Result(); ok {
							m["result"] = "# Harbour office"
						}
					}),
			},
		}},
		{Breaks: "ext-dd-help-defaults", Each: []fault.Fault{
			{
				Name: "dashdash-help-params-wanted", Title: "ai_help without format is refused",
				Inbound: fault.On(method).And(func(x fault.Exchange) bool { return x.Param("format") == nil }).Refuse(-32602, "format is missing"),
			}, {
				Name: "dashdash-help-json-default", Title: "ai_help without format gives the JSON form",
				Reply: fault.On(method).And(func(x fault.Exchange) bool { return x.Param("format") == nil }).Result(func(result fault.Message) {
					delete(result, "content")
					result["metadata"], result["contentType"] = map[string]any{"name": "harbour-office"}, "application/json"
				}),
			},
		}},
		{Breaks: "ext-dd-help-markdown-shape", Each: []fault.Fault{
			{Name: "dashdash-help-type", Title: "contentType is markdown", Reply: in("markdown").Set("/result/contentType", "markdown")},
			{
				Name: "dashdash-help-plain", Title: "contentType of both forms is text/plain",
				Silent: []string{"ext-dashdash-ai-help/json-shape"}, Reply: fault.Changes(
					in("markdown").Set("/result/contentType", "text/plain"), in("json").Set("/result/contentType", "text/plain")),
			},
			{
				Name: "dashdash-help-blocks", Title: "content is an array of blocks", May: others,
				Reply: in("markdown").Set("/result/content", fault.Text("# Harbour office")),
			},
			{Name: "dashdash-help-empty", Title: "content is empty", Reply: in("markdown").Set("/result/content", "")},
		}},
	}
}

func inJSON() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-dd-help-json-shape", Each: []fault.Fault{
			{
				Name: "dashdash-json-markdown", Title: "format json gives the Markdown form",
				Reply: in("json").Result(func(result fault.Message) {
					delete(result, "metadata")
					delete(result, "sections")
					result["content"], result["contentType"] = "# Harbour office", "text/markdown"
				}),
			},
			{Name: "dashdash-json-anonymous", Title: "the JSON form has no metadata", Reply: in("json").Drop("/result/metadata")},
			{Name: "dashdash-json-sections-string", Title: "sections is a string", Reply: in("json").Set("/result/sections", "When to use: always")},
			{Name: "dashdash-json-sectionless", Title: "the JSON form has no sections", Reply: in("json").Drop("/result/sections")},
		}},
		{Breaks: "ext-dd-help-json-sections", Each: []fault.Fault{
			{Name: "dashdash-json-when-string", Title: "whenToUse is a string", Reply: in("json").Set("/result/sections/whenToUse", "Book a berth")},
			{Name: "dashdash-json-no-reference", Title: "sections has no quickReference", Reply: in("json").Drop("/result/sections/quickReference")},
		}},
	}
}

func fronts() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-dd-help-front-matter", Each: []fault.Fault{
			{
				Name: "dashdash-front-missing", Title: "the guide has no front matter",
				Reply: edited(func(text string) string { return text[strings.Index(text, "# Harbour office"):] }),
			},
			{Name: "dashdash-front-tabs", Title: "the front matter is indented by tabs", Reply: replaced("\n  npm:", "\n\tnpm:")},
			{
				Name: "dashdash-front-last", Title: "the front matter stands at the end",
				Reply: edited(func(text string) string {
					at := strings.Index(text, "# Harbour office")
					return text[at:] + "\n" + text[:at]
				}),
			},
		}},
		{Breaks: "ext-dd-help-front-required", Each: []fault.Fault{
			{Name: "dashdash-front-no-version", Title: "the front matter has no spec-version", Reply: replaced("spec-version: 0.2.0\n", "")},
			{
				Name: "dashdash-front-camel", Title: "the front matter has keys in camelCase",
				Reply: edited(strings.NewReplacer("spec-version", "specVersion", "access-level", "accessLevel", "spec-url", "specUrl").Replace),
			},
			{Name: "dashdash-front-no-level", Title: "the front matter has no access-level", Reply: replaced("access-level: full\n", "")},
		}},
		{Breaks: "ext-dd-help-front-values", Each: []fault.Fault{
			{Name: "dashdash-front-level", Title: "access-level is write", Reply: replaced("access-level: full", "access-level: write")},
			{Name: "dashdash-front-name", Title: "name has blanks", Reply: replaced("name: harbour-office", "name: Harbour office")},
		}},
		{Breaks: "ext-dd-help-front-recommended", Each: []fault.Fault{
			{Name: "dashdash-front-invocable", Title: "the front matter has modelInvocable", Reply: replaced("model-invocable", "modelInvocable")},
			{
				Name: "dashdash-front-requires", Title: "requires of the front matter is a string",
				Reply: replaced("requires:\n  auth: [bearer-token]\n  env: [HARBOUR_KEY]", "requires: a bearer token"),
			},
		}},
	}
}

func sections() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-dd-help-title-summary", Each: []fault.Fault{
			{Name: "dashdash-untitled", Title: "the guide has no title", Reply: replaced("# Harbour office\n", "")},
			{Name: "dashdash-two-titles", Title: "the guide has two titles", Reply: replaced("# Harbour office\n", "# Harbour\n\n# Office\n")},
			{Name: "dashdash-no-summary", Title: "the guide has no summary", Reply: replaced("> Berths", "Berths")},
		}},
		{Breaks: "ext-dd-help-when-to-use", Each: []fault.Fault{
			{Name: "dashdash-no-occasions", Title: "the guide has no section When to Use", Reply: cut("When to Use", false)},
			{
				Name: "dashdash-occasions-empty", Title: "the section When to Use is empty",
				Reply: edited(func(text string) string {
					before, rest, _ := strings.Cut(text, "## When to Use\n")
					_, after, _ := strings.Cut(rest, "\n## ")
					return before + "## When to Use\n\n## " + after
				}),
			},
			{Name: "dashdash-occasions-last", Title: "the section When to Use stands at the end", Reply: cut("When to Use", true)},
		}},
		{Breaks: "ext-dd-help-quick-reference", Each: []fault.Fault{
			{Name: "dashdash-no-reference", Title: "the guide has no section Quick Reference", Reply: cut("Quick Reference", false)},
			{
				Name: "dashdash-reference-empty", Title: "the section Quick Reference has no entries",
				Reply: edited(func(text string) string {
					before, rest, _ := strings.Cut(text, "## Quick Reference\n")
					_, after, _ := strings.Cut(rest, "\n## ")
					return before + "## Quick Reference\n\nSee below.\n\n## " + after
				}),
			},
		}},
		{
			Name: "dashdash-reference-old", Title: "the section Quick Reference has a tool that does not exist", Breaks: "ext-dd-help-tools-exist",
			Reply: replaced("- `tide_table`:", "- `moor_vessel`: what the old office did\n- `tide_table`:"),
		}, {
			Name: "dashdash-no-authentication", Title: "requires.auth is not empty and the guide has no section on it",
			Breaks: "ext-dd-help-other-sections",
			Reply:  cut("Authentication", false),
		},
	}
}

func agreeing() []fault.Fault {
	return []fault.Fault{{Breaks: "ext-dd-help-agrees-block", Each: []fault.Fault{
		{
			Name: "dashdash-three-descriptions", Title: "the guide in both forms and the dashdash object have three descriptions",
			Reply: fault.Changes(replaced("Plans berths, tides", "Books quays, tides"),
				in("json").Set("/result/metadata/description", "Runs a harbour. Use when the user asks for a berth.")),
		},
		{
			Name: "dashdash-json-version-word", Title: "specVersion of the JSON form is a word",
			Reply: in("json").Set("/result/metadata/specVersion", "latest"),
		},
		{Name: "dashdash-levels-differ", Title: "the access levels differ", Reply: replaced("access-level: full", "access-level: interact")},
	}}}
}

func asked() []fault.Fault {
	parted := func(x fault.Exchange) bool { return x.Param("section") != nil }
	return []fault.Fault{
		{Breaks: "ext-dd-help-section", Each: []fault.Fault{
			{
				Name: "dashdash-section-ignored", Title: "section is ignored", Kills: []string{"ext-dashdash-ai-help/section"},
				May: []string{"ext-dashdash-ai-help/rejects-unknown-section"}, Ext: dashdash.Switches{NoSections: true},
			}, {
				Name: "dashdash-section-null", Title: "section null gives an empty guide",
				Reply: in("markdown").And(func(x fault.Exchange) bool { return strings.Contains(string(x.Params), `"section":null`) }).
					Set("/result/content", ""),
			},
		}},
		{Breaks: "ext-dd-help-bad-params", Each: []fault.Fault{
			{
				Name: "dashdash-format-internal", Title: "an unknown format is answered with an internal error",
				Kills:   []string{"ext-dashdash-ai-help/rejects-unknown-format"},
				Inbound: fault.On(method).And(func(x fault.Exchange) bool { return x.Param("format") == "xml" }).Refuse(-32603, "no such writer"),
			}, {
				Name: "dashdash-format-number", Title: "a format that is a number is answered with an internal error",
				Kills: []string{"ext-dashdash-ai-help/rejects-malformed-format"},
				Inbound: fault.On(method).And(func(x fault.Exchange) bool { _, number := x.Param("format").(float64); return number }).
					Refuse(-32603, "format cannot be read"),
			}, {
				Name: "dashdash-section-empty", Title: "an unknown section gives an empty guide",
				Kills: []string{"ext-dashdash-ai-help/rejects-unknown-section"}, Reply: fault.On(method).And(parted).
					Change(func(x fault.Exchange, m fault.Message) {
						if _, failed := m["error"]; failed {
							m.Become(x.Answer(map[string]any{"resultType": "complete", "content": "", "contentType": "text/markdown"}))
						}
					}),
			},
		}},
	}
}

func limits() []fault.Fault {
	plain := []string{"structured-errors"}
	return []fault.Fault{{Breaks: "ext-dd-help-rate-errors", Without: plain, Each: []fault.Fault{
		{
			Name: "dashdash-retry-words", Title: "retryAfter is a string",
			Reply: fault.Tool("weather_report").Set("/result/_meta/error/retryAfter", "1 minute"),
		},
		{
			Name: "dashdash-limit-prose", Title: "an error for too many calls has prose only",
			Reply: fault.Tool("weather_report").Drop("/result/_meta/error"),
		},
	}}}
}
