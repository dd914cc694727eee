// Package content holds the cases of the content rules that the core suites do not hold:
// what tools return, and how they are described. They need no claim. A rule that a core
// case sees already has no case here; its row names that case.
package content

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases: first those about the list of tools, then those about results.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "ext-content",
		Title: "tools are described and answer so that a model can use them",
		Cases: suite.Needing([]suite.Need{suite.Capability("tools")}, listed(), seen(), called()),
	}
}

func listed() []suite.Case {
	return []suite.Case{
		bench.Case("ext-content/empty-schema", "the schema of a tool without parameters excludes arguments", "ext-content-empty-schema",
			`write {"type": "object", "additionalProperties": false} as inputSchema of a tool without parameters`, emptySchema),
		bench.Case("ext-content/title", "the title of a tool is more than its name", "ext-content-title",
			"write a title for people, such as Book a berth, or leave it out", title),
	}
}

// seen are the cases that look at results, whichever case asks for them.
func seen() []suite.Case {
	watch := func(slug, title string, rule requirements.ID, fix, sees string, judge func(probe.Answer) probe.Opinion) suite.Case {
		return suite.Case{
			ID: "ext-content/" + slug, Title: title, Checks: []requirements.ID{rule}, Fix: fix, Sees: sees,
			Watch: probe.OnResult("tools/call", judge),
		}
	}
	return []suite.Case{
		watch("link-uri", "the URI of a resource link is absolute", "ext-content-resource-link",
			"write the whole URI of the resource, with its scheme", "a resource link", onBlocks("resource_link", linkURI)),
		watch("embedded-once", "an embedded resource has text or blob, and not both", "ext-content-embedded-resource",
			"send text for what is text, and blob for everything else", "an embedded resource", onBlocks("resource", embeddedOnce)),
		watch("success-unflagged", "isError is not set on the result of a call that succeeded", "ext-content-iserror-execution",
			"set isError only where the call failed", "a failed call with structured content", successUnflagged),
		watch("failure-explained", "a result with isError has content", "ext-content-iserror-form",
			"say in a text block what went wrong", "a result with isError", failureExplained),
		watch("output-schema-declared", "a tool whose results are structured has an output schema", "ext-content-output-schema-declared",
			"add outputSchema to the tool in tools/list", "structured content", outputSchemaDeclared),
	}
}

func called() []suite.Case {
	return []suite.Case{
		bench.Case("ext-content/empty-schema-enforced", "a tool without parameters rejects arguments that its schema excludes",
			"ext-content-empty-schema-enforced",
			"validate the arguments of every call against the schema of the tool", emptySchemaEnforced,
			suite.Role(roles.Content, "empty-params")),
		bench.Case("ext-content/link-readable", "what a resource link leads to can be read", "ext-content-resource-link",
			"serve the resource by resources/read, or link to what a client can fetch itself", linkReadable,
			suite.Capability("resources"), suite.Role(roles.Content, "resource-link")),
		bench.Case("ext-content/error-actionable", "the text of a rejected call says what to change", "ext-content-error-actionable",
			"name the argument, and say which values are allowed", errorActionable, suite.Role(roles.InvalidInput, "invalid-arguments")),
	}
}

// emptySchema judges schemas that have nothing but what the rule is about. A schema that
// describes the values of unknown arguments is no empty one.
func emptySchema(c *probe.Client) error {
	var open []string
	err := probe.EachItem(protocol.Tools(), func(_ *probe.Client, t probe.Item) probe.Opinion {
		schema, ok := t.Get("inputSchema").(map[string]any)
		if !ok || !empty(schema) {
			return probe.Nothing()
		}
		switch further := schema["additionalProperties"]; further {
		case nil:
			open = append(open, t.Key)
		case true:
			return probe.Breaks("%s is true, want false, since the tool has no parameters", t.Where("inputSchema", "additionalProperties"))
		}
		return probe.Kept()
	})(c)
	noteSome(c, open, "tools without parameters whose schema does not exclude arguments")
	return err
}

func empty(schema map[string]any) bool {
	for name, value := range schema {
		switch name {
		case "type", "additionalProperties", "title", "description", "$schema", "$comment", "$id":
		case "properties":
			if properties, ok := value.(map[string]any); !ok || len(properties) > 0 {
				return false
			}
		case "required":
			if required, ok := value.([]any); !ok || len(required) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func noteSome(c *probe.Client, names []string, what string) {
	const most = 3
	switch {
	case len(names) > most:
		c.Note(fmt.Sprintf("%s: %s and %d more", what, strings.Join(names[:most], ", "), len(names)-most))
	case len(names) > 0:
		c.Note(what + ": " + strings.Join(names, ", "))
	}
}

// title takes a name of one word for a title too: it reads like one.
func title(c *probe.Client) error {
	var without []string
	err := probe.EachItem(protocol.Tools(), func(_ *probe.Client, t probe.Item) probe.Opinion {
		said := probe.Nothing()
		annotations, _ := t.Get("annotations").(map[string]any)
		for _, at := range []struct {
			value any
			where string
		}{{t.Get("title"), t.Where("title")}, {annotations["title"], t.Where("annotations", "title")}} {
			text, ok := at.value.(string)
			switch {
			case !ok: // tools/title and tools/annotations judge it
			case strings.TrimSpace(text) == "":
				said = said.And(probe.Breaks("%s is %s, want a string that people can read", at.where, probe.Show(text)))
			case text == t.Key && strings.Contains(text, "_"):
				said = said.And(probe.Breaks("%s is %s, which is the name of the tool, want a title for people", at.where, probe.Show(text)))
			default:
				said = said.And(probe.Kept())
			}
		}
		if !said.Judged() {
			without = append(without, t.Key)
		}
		return said
	})(c)
	noteSome(c, without, "tools without a title")
	return err
}

// onBlocks judges each block of a type in the content of results.
func onBlocks(kind string, judge func(a probe.Answer, block map[string]any, at string) probe.Opinion) func(probe.Answer) probe.Opinion {
	return func(a probe.Answer) probe.Opinion {
		said := probe.Nothing()
		for i, one := range probe.ArrayOf(a.Result["content"]) {
			if block := probe.ObjectOf(one); block["type"] == kind {
				said = said.And(judge(a, block, fmt.Sprintf("/result/content/%d", i)))
			}
		}
		return said
	}
}

// toolOf is the listed tool that a call was for.
func toolOf(a probe.Answer) map[string]any {
	if a.Survey() == nil {
		return nil
	}
	tools, name := a.Survey().Lists[protocol.Tools().Method], a.Request.Params()["name"]
	i := slices.IndexFunc(tools, func(one any) bool {
		tool := probe.ObjectOf(one)
		return tool["name"] != nil && tool["name"] == name
	})
	if i < 0 {
		return nil
	}
	return probe.ObjectOf(tools[i])
}
