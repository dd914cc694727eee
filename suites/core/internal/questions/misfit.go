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

// A Slip is a field of a form, a value that fits it and that a tool does not make up itself,
// and one that does not fit.
type Slip struct {
	Field     string
	Good, Bad any
}

// SlipIn finds a field of a form that can be filled in wrongly, and fills it in well too.
func SlipIn(form map[string]any) (s Slip, found bool) {
	properties := probe.ObjectOf(form["properties"])
	content := Fill(form)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := probe.ObjectOf(properties[name])
		_, format := field["format"]
		switch kind := field["type"]; {
		case kind == "string" && !format && len(Choices(field)) == 0 && roomy(field):
			return Slip{name, "kit-fits", json.Number("7305193")}, true
		case kind == "string" && len(Choices(field)) > 0, kind == "number", kind == "integer":
			return Slip{name, content[name], "kit-does-not-fit"}, true
		}
	}
	return Slip{}, false
}

// roomy reports whether a text of a few letters fits a field.
func roomy(field map[string]any) bool {
	least, short := probe.NumberOf(field["minLength"])
	most, long := probe.NumberOf(field["maxLength"])
	_, pattern := field["pattern"]
	return !pattern && (!short || least <= 8) && (!long || most >= 8)
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

// Shape is Outcome without the texts that the arguments of the call hold: with ${nonce} they
// differ from call to call.
func (d Dialogue) Shape(held any) Shape {
	const long = 8
	s := Outcome(d.Reply, held)
	for _, name := range slices.Sorted(maps.Keys(d.call.Arguments)) {
		if text := probe.TextOf(d.call.Arguments[name]); len(text) >= long {
			s.Text = strings.ReplaceAll(s.Text, text, "$"+name)
		}
	}
	return s
}

// Accepting answers elicitations as the configuration says, and otherwise as Accept does.
func Accepting(c *probe.Client) func(probe.Request) any {
	given, ok := c.Role(roles.ClientRequest).Fields().At("elicitation").Arguments("content")
	if !ok {
		return Accept
	}
	return Always(probe.Object{"action": "accept", "content": probe.Object(given)})
}
