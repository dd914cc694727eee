package schema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// givenCases pass schemas to a tool that applies them.
func givenCases() []suite.Case {
	takes := suite.Role(roles.SchemaTool)
	return []suite.Case{
		{
			ID:     "schema/unknown-dialect",
			Title:  "a schema in a dialect that is not supported is rejected",
			Checks: []requirements.ID{"schema-unsupported-dialect-error"},
			Needs:  []suite.Need{takes},
			Fix:    "look at $schema first, and answer with an error if it names a dialect that you do not support",
			Run: func(c *probe.Client) error {
				return rejected(c, probe.Object{"$schema": "https://schemas.example/no-such-dialect"}, "in an unknown dialect")
			},
		},
		{
			ID:     "schema/no-network-reference",
			Title:  "a reference to a network address is not followed",
			Checks: []requirements.ID{"schema-no-network-reference"},
			Needs:  []suite.Need{takes, suite.Trait(probe.Launched)},
			Fix:    "resolve $ref within the schema only; fetch nothing unless an operator has switched it on",
			Run:    noNetworkReference,
		},
		{
			ID:     "schema/unresolved-reference",
			Title:  "a schema with a reference that leads out of it is rejected",
			Checks: []requirements.ID{"schema-unresolved-reference-rejected"},
			Needs:  []suite.Need{takes},
			Fix:    "answer with an error if a $ref cannot be resolved, instead of taking it for a schema that allows everything",
			Run: func(c *probe.Client) error {
				return rejected(c, probe.Object{"$ref": "https://schemas.example/form.json"}, "with a reference out of it")
			},
		},
		{
			ID:     "schema/bounded",
			Title:  "a schema that takes endless work does not keep a server busy",
			Checks: []requirements.ID{"schema-validation-bounded"},
			Needs:  []suite.Need{takes, suite.OptIn(suite.Stress)},
			Lane:   suite.Fresh, // the tool may be busy for ever
			Fix:    "bound the depth of a schema, the number of its parts and the time that applying it may take",
			Run:    bounded,
		},
	}
}

// given calls the tool with a schema.
func given(c *probe.Client, schema probe.Object) *probe.Reply {
	return c.CallTool(withSchema(c, schema), nil)
}

func withSchema(c *probe.Client, schema probe.Object) *probe.ToolCall {
	return c.Role(roles.SchemaTool).Filled(map[string]any{"schema": map[string]any(schema)})
}

// rejected expects that the tool does not treat a schema as one that allows everything. A
// tool may report an unusable schema in its own way, so only an answer equal to the
// answer for the empty schema shows that the tool ignored the problem.
func rejected(c *probe.Client, schema probe.Object, how string) error {
	reply := given(c, schema)
	if refused(reply) {
		return nil
	}
	c.UndecideIf(!reply.Served(), "the answer to a schema "+how+" is "+reply.Outcome())
	usual := given(c, probe.Object{})
	c.UndecideIf(!usual.Served() || refused(usual), "the tool of roles.schema-tool rejects the empty schema, too")
	if probe.Same(answer(usual), answer(reply)) {
		return probe.Shown(usual, reply).Violation("a schema %s is answered like the empty schema, want an error", how).
			Unless(probe.NoContent(reply))
	}
	c.Note("a schema " + how + " is answered with a result that is not marked as an error, and not like the empty schema")
	return nil
}

// noNetworkReference needs a server on this machine, which can reach the address. Such a server
// may answer once the connection is closed.
func noNetworkReference(c *probe.Client) error {
	door := open(c)
	defer door.close()
	call := c.StartTool(withSchema(c, probe.Object{"$ref": door.url}), nil)
	call.Await(c.Waits().Event, call.Answers)
	knocks := door.knocks(c)
	reply := call.Reply()
	knocks += door.knocks(c)
	switch {
	case knocks > 0:
		return reply.Violation("the server connected %d times to the address in $ref, want none", knocks)
	case !reply.Answered():
		c.Undecide("the answer to a schema with a reference out of it is " + reply.Outcome())
	}
	return nil
}

// doublings is how often the work doubles: the total exceeds any patience.
const doublings = 60

// bounded sends a schema in which each part uses the previous part twice. The schema is
// small and has no loop.
func bounded(c *probe.Client) error {
	parts := probe.Object{"part0": probe.Object{}}
	for i := range doublings {
		half := probe.Object{"$ref": fmt.Sprintf("#/$defs/part%d", i)}
		parts[fmt.Sprintf("part%d", i+1)] = probe.Object{"allOf": []any{half, half}}
	}
	reply := given(c, probe.Object{"$defs": parts, "$ref": fmt.Sprintf("#/$defs/part%d", doublings)})
	if reply.Answered() || reply.Refused() {
		return nil
	}
	return reply.Violation("the answer to a schema whose work doubles %d times is %s, want an error or a result", doublings, reply.Outcome())
}

// onAnnotations judges the annotations in results, each by itself. Those of
// tools are of another type and left alone.
func onAnnotations(judge shapes.Judge) func() probe.Watcher {
	annotated := protocol.Annotated()
	return probe.OnResults(slices.Collect(maps.Keys(annotated)), func(a probe.Answer) probe.Opinion {
		said := probe.Nothing()
		place := annotated[a.Request.Method]
		for i := range probe.ArrayOf(a.Value(place.Array)) {
			pointer := place.Array + "/" + strconv.Itoa(i) + place.Inner + "/annotations"
			if _, ok := a.At(pointer); ok {
				said = said.And(judge(a.Message, pointer))
			}
		}
		return said
	})
}

func annotationParts() []suite.Part {
	annotated := protocol.Annotated()
	var parts []suite.Part
	for _, method := range slices.Sorted(maps.Keys(annotated)) {
		place := annotated[method]
		array := strings.TrimPrefix(place.Array, "/result")
		parts = append(parts, suite.Part{Of: method, At: array + "/*" + place.Inner + "/annotations"})
	}
	return parts
}

// iso8601 reports whether a string is a date or a moment in any of the forms of
// that standard; the page asks for none in particular.
func iso8601(v any) bool {
	date, clock, timed := strings.Cut(strings.ToUpper(probe.TextOf(v)), "T")
	if !timed {
		// Many languages print a blank in place of the T, and many readers accept it.
		date, clock, timed = strings.Cut(date, " ")
	}
	if !readable(date, dates()) && !weekDate(date) {
		return false
	}
	return !timed || readable(leapSecond.ReplaceAllString(midnight.ReplaceAllString(clock, "00$1"), "${1}59"), clocks())
}

// What Go does not read: the end of a day, and a leap second.
var (
	midnight   = regexp.MustCompile(`^24((?::?00){0,2}(?:[.,]0+)?(?:Z|[+-]|$))`)
	leapSecond = regexp.MustCompile(`^(23:?59:?)60`)
)

func dates() []string {
	return []string{"2006-01-02", "20060102", "2006-01", "2006", "2006-002", "2006002"}
}

// clocks are the forms of a time of day; all of them allow a fraction after the seconds.
func clocks() []string {
	var forms []string
	for _, clock := range []string{"15:04:05", "15:04", "150405", "1504", "15"} {
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
			forms = append(forms, clock+zone)
		}
	}
	return forms
}

func readable(text string, forms []string) bool {
	for _, form := range forms {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}

// weekDate reports whether a date is written by its week, as in 2026-W05-6.
func weekDate(date string) bool {
	year, rest, ok := strings.Cut(date, "W")
	year = strings.TrimSuffix(year, "-")
	rest = strings.ReplaceAll(rest, "-", "")
	return ok && len(year) == 4 && (len(rest) == 2 || len(rest) == 3) && strings.Trim(year+rest, "0123456789") == ""
}
