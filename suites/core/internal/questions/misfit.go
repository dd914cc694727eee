package questions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// misfitting are values that a tool does not make up itself.
const (
	oddNumber = "7305193"
	oddText   = "kit-is-no-choice"
)

// Misfit is a field of a form and a value that does not fit it; nil where each value fits.
func Misfit(form map[string]any) (name string, value any) {
	properties := probe.ObjectOf(form["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := probe.ObjectOf(properties[name])
		switch kind := field["type"]; {
		case kind == "string" && len(Choices(field)) == 0:
			return name, json.Number(oddNumber)
		case kind == "string", kind == "number", kind == "integer":
			return name, oddText
		}
	}
	return "", nil
}

// A Shape is a result without a certain value.
type Shape struct {
	Shows bool   // that value
	Text  string // the rest of it
}

// Outcome is the shape of the result of a call without a value that an answer held. Quotation
// marks do not count: a tool may write a number and a string in different ways.
func Outcome(reply *probe.Reply, held any) Shape {
	result, _ := reply.Result()
	unquoted := strings.NewReplacer(`"`, "", `\`, "")
	text := unquoted.Replace(probe.JSON([]any{result["content"], result["structuredContent"]}))
	value := unquoted.Replace(fmt.Sprint(held))
	return Shape{Shows: value != "" && strings.Contains(text, value), Text: strings.ReplaceAll(text, value, "…")}
}

// Accepting answers elicitations as the configuration says, and otherwise as Accept does.
func Accepting(c *probe.Client) func(probe.Request) any {
	given, ok := c.Role(roles.ClientRequest).Fields().At("elicitation").Arguments("content")
	if !ok {
		return Accept
	}
	return Always(probe.Object{"action": "accept", "content": probe.Object(given)})
}

// Saying answers sampling requests with the text of the configuration, and otherwise with
// the given one.
func Saying(c *probe.Client, otherwise string) func(probe.Request) any {
	if text := c.Role(roles.ClientRequest).Fields().At("sampling").Text("text"); text != "" {
		otherwise = text
	}
	return Always(Says(otherwise))
}
