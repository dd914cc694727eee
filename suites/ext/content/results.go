package content

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func linkURI(a probe.Answer, block map[string]any, at string) probe.Opinion {
	uri, ok := block["uri"].(string)
	if !ok {
		return probe.Nothing() // tools/resource-link judges it
	}
	if absolute(uri) {
		return probe.Kept()
	}
	return probe.Breaks("%s is %s, want a URI with its scheme", a.Where(at+"/uri"), probe.Show(uri))
}

// absolute reports whether a URI has a scheme. It leaves the rest of the form open.
func absolute(uri string) bool {
	scheme, rest, found := strings.Cut(uri, ":")
	return found && scheme != "" && rest != "" && !strings.ContainsAny(scheme, "/?# ")
}

func embeddedOnce(a probe.Answer, block map[string]any, at string) probe.Opinion {
	resource := probe.ObjectOf(block["resource"])
	text, hasText := resource["text"].(string)
	blob, hasBlob := resource["blob"].(string)
	switch {
	case text != "" && blob != "":
		return probe.Breaks("%s has text and blob, want one of them", a.Where(at+"/resource")).AtMostWarn()
	case hasText || hasBlob:
		return probe.Kept()
	default:
		return probe.Nothing() // tools/embedded-resource judges it
	}
}

// telling are properties that may say that a call failed.
var telling = regexp.MustCompile(`(?i)err|fail|fault|problem|reason|message|status|state|success|ok$|code|detail|warn|exception`)

// successUnflagged takes a failed call for a successful one where all that came is a
// result: the structured content fits the schema of the tool, which requires something,
// says nothing about a failure, and stands in the text as well.
func successUnflagged(a probe.Answer) probe.Opinion {
	structured, ok := a.Result["structuredContent"].(map[string]any)
	schema := probe.ObjectOf(toolOf(a)["outputSchema"])
	content := probe.ArrayOf(a.Result["content"])
	if !ok || a.Result["isError"] != true || len(probe.ArrayOf(schema["required"])) == 0 || len(content) != 1 {
		return probe.Nothing()
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(structured)), telling.MatchString) ||
		!probe.Same(probe.Payload(map[string]any{"content": content}), structured) {
		return probe.Nothing()
	}
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return probe.Nothing()
	}
	if faults, undecided := compiled.Validate(structured); undecided || len(faults) > 0 {
		return probe.Nothing()
	}
	return probe.Breaks("%s is true, and the result is one that fits the output schema of the tool, want isError for failures only",
		a.Where("/result/isError"))
}

func failureExplained(a probe.Answer) probe.Opinion {
	content, ok := a.Result["content"].([]any)
	switch {
	case a.Result["isError"] != true || !ok:
		return probe.Nothing()
	case len(content) == 0:
		return probe.Breaks("%s is empty beside isError, want a block that says what went wrong", a.Where("/result/content")).AtMostWarn()
	default:
		return probe.Kept()
	}
}

// outputSchemaDeclared leaves servers with a manifest to ext-manifest/output-typed, which
// looks for the schema there too.
func outputSchemaDeclared(a probe.Answer) probe.Opinion {
	_, structured := a.Result["structuredContent"]
	tool := toolOf(a)
	manifest := a.Survey().Manifest.Load()
	if !structured || tool == nil || a.Result["isError"] == true || manifest != nil && manifest.Document != nil {
		return probe.Nothing()
	}
	if _, described := tool["outputSchema"]; described {
		return probe.Kept()
	}
	return probe.Breaks("%s is present, and the tool %s has no outputSchema, want one", a.Where("/result/structuredContent"),
		probe.Show(tool["name"]))
}

// emptySchemaEnforced first makes the call as it has to be made: a tool that fails anyway
// shows nothing.
func emptySchemaEnforced(c *probe.Client) error {
	call := c.Role(roles.Content).Field("empty-params")
	listed, _ := probe.List(c, protocol.Tools()).Find(call.Tool)
	schema, _ := listed.Get("inputSchema").(map[string]any)
	c.NotSeenIf(schema["additionalProperties"] != false || !empty(schema), "the schema of "+call.Tool+" does not exclude arguments")
	plain := c.CallTool(call, nil)
	c.UndecideIf(!plain.Succeeded(), "the call of roles.content.empty-params has no good result: "+plain.Outcome())
	call.Arguments = probe.Object{"kit_" + c.Nonce(): 1}
	reply := c.CallTool(call, nil)
	c.UndecideIf(!reply.Answered() && reply.Status() == 0, "the call was not answered")
	if !reply.Succeeded() {
		return nil
	}
	c.MustMarkFailures()
	return reply.Violation("a call with an argument that the schema of %s excludes succeeds, want an error or a result with isError true",
		call.Tool).Unless(proposal.Unchecked())
}

// linkReadable leaves links to the web to clients.
func linkReadable(c *probe.Client) error {
	reply := c.CallTool(c.Role(roles.Content).Field("resource-link"), nil)
	result, _ := reply.Result()
	for _, one := range probe.ArrayOf(result["content"]) {
		block := probe.ObjectOf(one)
		uri, ok := block["uri"].(string)
		at, err := url.Parse(uri)
		if block["type"] != "resource_link" || !ok || err != nil || at.Scheme == "http" || at.Scheme == "https" || !absolute(uri) {
			continue
		}
		read := c.Call("resources/read", probe.Object{"uri": uri})
		if _, served := read.Result(); served {
			return nil
		}
		return probe.AtMostWarn(probe.Shown(reply, read).Violation("%s, which a result links to, cannot be read: %s", probe.Show(uri),
			read.Outcome()).Unless(read.NotObject()))
	}
	c.NotSeen("the result links to no resource of the server")
	return nil
}

// errorActionable takes any text of more than two words for help: it cannot tell what a
// text in some language says.
func errorActionable(c *probe.Client) error {
	call := c.Role(roles.InvalidInput).Call().Using("invalid-arguments")
	reply := c.CallTool(call, nil)
	c.NotSeenIf(!reply.ErrorFlag(), "the call is not answered with isError")
	const enough = 3
	text := strings.TrimSpace(reply.TextContent())
	listed, _ := probe.List(c, protocol.Tools()).Find(call.Tool)
	schema, _ := listed.Get("inputSchema").(map[string]any)
	if len(strings.Fields(text)) >= enough || mentions(text, call.Arguments) || mentions(text, probe.ObjectOf(schema["properties"])) {
		return nil
	}
	return reply.Violation("the text of the error is %s, want one that names an argument or says what to change", probe.Show(text)).
		Unless(reply.UnclearText())
}

// mentions reports whether a text names an argument, is an object with more to say, or is
// in a script without spaces, which has no words to count.
func mentions(text string, arguments map[string]any) bool {
	for name := range arguments {
		if strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
			return true
		}
	}
	return strings.HasPrefix(text, "{") || strings.ContainsFunc(text, func(r rune) bool { return r > 0x2e80 })
}
