package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	readOnly     = roles.ReadOnlyTool
	invalidInput = roles.InvalidInput
)

// callCases judge what calls are answered with. Whatever calls other cases
// make are looked at too.
func callCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/call-result",
			Title:  "the result of a call has a list as content, and isError is a boolean",
			Checks: []requirements.ID{"tools-call-result-schema"},
			Needs:  declared(),
			Fix:    "return content as a list, an empty one if need be, also beside structured content, and isError as true or false",
			Watch:  results(callResult),
		},
		{
			ID:     "tools/arguments-optional",
			Title:  "a tool that requires no arguments can be called without that member",
			Checks: []requirements.ID{"tools-call-arguments-optional"},
			Needs:  []suite.Need{suite.Role(readOnly)},
			Fix:    "take absent arguments as an empty object",
			Run:    argumentsOptional,
		},
		{
			ID:     "tools/content-types",
			Title:  "the content of a result is of the types that the revision has",
			Checks: []requirements.ID{"tools-content-types"},
			Needs:  declared(),
			Fix:    "use the types of content of the revision in use, and write what it does not have as text",
			Watch:  results(contentTypes),
		},
		{
			ID:     "tools/text-content",
			Title:  "a text block has a text that is a string",
			Checks: []requirements.ID{"tools-text-content-shape"},
			Needs:  declared(),
			Fix:    "write the text of a block as a string; put other values into structured content",
			Watch:  results(textContent),
		},
	}
}

// results makes a watcher that judges the results of calls. Requests for more
// input, tasks, and what extensions put in the place of a result are left out.
func results(judge func(r requirements.Revision, result map[string]any) (judged bool, problem string)) func() probe.Watcher {
	return probe.OnResult("tools/call", func(a probe.Answer) probe.Opinion {
		if !a.Request.Plain() || !final(a.Result) {
			return probe.Nothing()
		}
		judged, problem := judge(a.Revision, a.Result)
		if problem != "" {
			return probe.Breaks("%s", problem)
		}
		return probe.Said(judged, nil)
	})
}

// final reports whether a result says that it is the outcome of the call.
func final(result map[string]any) bool {
	if kind, ok := result["resultType"]; ok && kind != "complete" {
		return false
	}
	_, content := result["content"]
	_, task := result["task"].(map[string]any)
	return content || !task
}

func callResult(_ requirements.Revision, result map[string]any) (judged bool, problem string) {
	if content, ok := result["content"]; !ok {
		return true, "$.result.content is absent, want a list"
	} else if !isArray(content) {
		return true, "$.result.content is " + probe.Show(content) + ", want a list"
	}
	if failed, ok := result["isError"]; ok {
		if _, ok := failed.(bool); !ok {
			return true, "$.result.isError is " + probe.Show(failed) + ", want true or false, or no such member"
		}
	}
	return true, ""
}

// known are the types of content that a revision has.
func known(r requirements.Revision) []string {
	types := []string{"text", "image", "resource"}
	for _, later := range []struct {
		since requirements.Revision
		kind  string
	}{{requirements.R20250326, "audio"}, {requirements.R20250618, "resource_link"}} {
		if !r.Before(later.since) {
			types = append(types, later.kind)
		}
	}
	return types
}

func contentTypes(r requirements.Revision, result map[string]any) (judged bool, problem string) {
	for i, block := range blocks(result) {
		b, _ := block.(map[string]any)
		kind, ok := b["type"].(string)
		if ok && slices.Contains(known(r), kind) {
			continue
		}
		at, shown := place(i, "type"), b["type"]
		if _, there := b["type"]; !there {
			shown = probe.Absent{}
		}
		return true, fmt.Sprintf("%s is %s, want one of %s", at, probe.Show(shown), strings.Join(known(r), ", "))
	}
	return len(blocks(result)) > 0, ""
}

func textContent(_ requirements.Revision, result map[string]any) (judged bool, problem string) {
	for i, block := range blocks(result) {
		b, _ := block.(map[string]any)
		if b["type"] != "text" {
			continue
		}
		judged = true
		if _, ok := b["text"].(string); !ok {
			var shown any = probe.Absent{}
			if text, there := b["text"]; there {
				shown = text
			}
			return true, place(i, "text") + " is " + probe.Show(shown) + ", want a string"
		}
	}
	return judged, ""
}

func blocks(result map[string]any) []any {
	content, _ := result["content"].([]any)
	return content
}

func place(block int, member string) string {
	return probe.Place("/result/content/" + strconv.Itoa(block) + "/" + member)
}

// The tool may fail both times; only a refusal that depends on the empty
// object being there breaks the rule.
func argumentsOptional(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(readOnly).Call()
	if err != nil {
		return err
	}
	tools, err := list(ctx, c)
	if err != nil {
		return err
	}
	t, ok := find(tools, call.Tool)
	schema, isObject := t.member("inputSchema").(map[string]any)
	if !ok || !isObject || !accepts(schema, probe.Object{}) {
		return probe.NotSeen("the read-only tool is not listed as one that requires no arguments")
	}
	with, err := c.Call(ctx, "tools/call", probe.Object{"name": call.Tool, "arguments": probe.Object{}})
	if err != nil {
		return err
	}
	if _, ok := with.Result(); !ok {
		return probe.NotSeen("the read-only tool cannot be called with an empty object either")
	}
	without, err := c.Call(ctx, "tools/call", probe.Object{"name": call.Tool})
	if err != nil {
		return err
	}
	return without.WantResult()
}

func required(schema map[string]any) []any {
	names, _ := schema["required"].([]any)
	return names
}
