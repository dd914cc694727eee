package tools

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// resultCases judge what calls are answered with, whichever case makes them.
func resultCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/call-result",
			Title:  "the result of a call has an array as content, and isError is a boolean",
			Checks: []requirements.ID{"tools-call-result-schema"},
			Needs:  declared(),
			Fix: "return content as an array, an empty one if need be, also beside structured content, " +
				"and isError as true or false",
			Owns:  []suite.Part{{Of: "tools/call", At: "/isError"}, {Of: "tools/call", At: "/content", Depth: suite.Itself}},
			Watch: results(callResult),
		},
		{
			ID:     "tools/content-types",
			Title:  "the content of a result is of the types that the revision has",
			Checks: []requirements.ID{"tools-content-types"},
			Needs:  declared(),
			Fix:    "use the types of content of the revision in use, and write what it does not have as text",
			Owns:   []suite.Part{{Of: "tools/call", At: "/content/*", Depth: suite.AsObject}, {Of: "tools/call", At: "/content/*/type"}},
			Watch:  results(contentTypes),
		},
		{
			ID:     "tools/text-content",
			Title:  "text in a text block is a string",
			Checks: []requirements.ID{"tools-text-content-shape"},
			Needs:  declared(),
			Fix:    "write the text of a block as a string; put other values into structured content",
			Owns:   blockParts("text", "text"),
			Watch:  results(textContent),
		},
	}
}

// results makes a watcher that judges the results of calls. Requests for more
// input, tasks, and what extensions put in the place of a result are left out.
func results(judge func(probe.Answer) probe.Opinion) func() probe.Watcher {
	return probe.OnResult("tools/call", func(a probe.Answer) probe.Opinion {
		if !a.Request.Plain() || !final(a.Result) {
			return probe.Nothing()
		}
		return judge(a)
	})
}

// final reports whether a result says that it is the outcome of the call.
func final(result map[string]any) bool {
	if kind, ok := result["resultType"]; ok && kind != protocol.Complete {
		return false
	}
	_, content := result["content"]
	_, task := result["task"].(map[string]any)
	_, asks := result["inputRequests"].(map[string]any)
	return content || !task && !asks
}

func callResult(a probe.Answer) probe.Opinion {
	content := a.Value("/result/content")
	if _, ok := content.([]any); !ok {
		return probe.Breaks("$.result.content is %s, want an array", probe.Show(content))
	}
	switch failed := a.Value("/result/isError").(type) {
	case bool, probe.Absent:
		return probe.Kept()
	default:
		return probe.Breaks("$.result.isError is %s, want true or false, or no such property", probe.Show(failed))
	}
}

// blocks gives the places of the content blocks of a result.
func blocks(a probe.Answer) []string {
	content, _ := a.Result["content"].([]any)
	at := make([]string, len(content))
	for i := range content {
		at[i] = "/result/content/" + strconv.Itoa(i)
	}
	return at
}

func contentTypes(a probe.Answer) probe.Opinion {
	known := protocol.ContentTypes().At(a.Taken())
	said := probe.Nothing()
	for _, block := range blocks(a) {
		said = said.And(probe.Kept())
		kind := a.Value(block + "/type")
		if text, ok := kind.(string); !ok || !slices.Contains(known, text) {
			return probe.Breaks("%s is %s, want one of %s", a.Where(block+"/type"), probe.Show(kind), strings.Join(known, ", "))
		}
	}
	return said
}

func textContent(a probe.Answer) probe.Opinion {
	said := probe.Nothing()
	for _, block := range blocks(a) {
		if a.Value(block+"/type") != "text" {
			continue
		}
		said = said.And(probe.Kept())
		if _, ok := a.Value(block + "/text").(string); !ok {
			return probe.Breaks("%s is %s, want a string", a.Where(block+"/text"), probe.Show(a.Value(block+"/text")))
		}
	}
	return said
}
