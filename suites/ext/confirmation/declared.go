package confirmation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// declared are about what the server says of its tools, in the manifest and in tools/list.
func declared() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, title, fix, what string
		rule                   requirements.ID
		problem                func(all []proposal.Entry, e proposal.Entry) (string, bool)
	}{
		{
			"message-declared", "a tool that requires confirmation has the message for the user",
			"write a sentence for the user into confirmation_message beside requires_confirmation", "requires_confirmation",
			"ext-confirm-message-declared", messageDeclared,
		},
		{
			"risk-enum", "the risk of a tool is safe, reversible or destructive",
			"write safe, reversible or destructive into risk_level", "risk_level", "ext-confirm-risk-enum", riskEnum,
		},
		{
			"flag-consistent", "the flag, the risk and the annotations of a tool agree",
			"set requires_confirmation, risk_level, destructiveHint and readOnlyHint of a tool from one source", "requires_confirmation or a risk",
			"ext-confirm-flag-consistent", flagConsistent,
		},
		{
			"placeholders", "placeholders in the message are parameters of the tool",
			"write the names of parameters of the tool between the braces in confirmation_message", "a message with placeholders",
			"ext-confirm-placeholders", placeholders,
		},
	} {
		cases = append(cases, bench.Case("ext-confirmation/"+row.slug, row.title, row.rule, row.fix, func(c *probe.Client) error {
			return proposal.JudgeEntries(c, proposal.Entries(c), row.what, row.problem)
		}))
	}
	return cases
}

// The message may stand in another place than the flag.
func messageDeclared(all []proposal.Entry, e proposal.Entry) (string, bool) {
	if e.Says["requires_confirmation"] != true {
		return "", false
	}
	value, in, stated := proposal.Stated(all, e.Tool, "confirmation_message")
	if own, here := e.Says["confirmation_message"]; here {
		value, in, stated = own, e, true
	}
	if !stated {
		return fmt.Sprintf("%s is true, and %q has no confirmation_message, want one", e.Where("requires_confirmation"), e.Tool), true
	}
	if probe.TextOf(value) == "" {
		return fmt.Sprintf("%s is %s, want a string that is not empty", in.Where("confirmation_message"), probe.Show(value)), true
	}
	return "", true
}

func riskEnum(_ []proposal.Entry, e proposal.Entry) (string, bool) {
	value, stated := e.Says["risk_level"]
	if !stated || known(value) {
		return "", stated
	}
	return fmt.Sprintf("%s is %s, want safe, reversible or destructive", e.Where("risk_level"), probe.Show(value)), true
}

// known reports whether a value is a risk that there is.
func known(risk any) bool { return slices.Contains([]any{"safe", "reversible", "destructive"}, risk) }

// flagConsistent speaks of a tool in the first place that has one of the two properties. What
// is absent has its default, which contradicts nothing: a tool may be destructive without
// saying so, and ext-manifest/tool-required judges a tool without a name.
func flagConsistent(all []proposal.Entry, e proposal.Entry) (string, bool) {
	var marks []proposal.Entry
	for _, other := range all {
		if other.Tool == e.Tool && (other.Says["requires_confirmation"] != nil || other.Says["risk_level"] != nil) {
			marks = append(marks, other)
		}
	}
	if e.Tool == "" || len(marks) == 0 || marks[0].Where("") != e.Where("") {
		return "", false
	}
	flagged := slices.IndexFunc(marks, func(mark proposal.Entry) bool { return mark.Says["requires_confirmation"] == true })
	risk, risky, _ := proposal.Stated(all, e.Tool, "risk_level")
	harmless, mild := hinted(all, e.Tool, "destructiveHint", false)
	reads, reading := hinted(all, e.Tool, "readOnlyHint", true)
	switch {
	case risk == "destructive" && flagged < 0:
		return fmt.Sprintf("%s is destructive, and %q does not require confirmation, want requires_confirmation true",
			risky.Where("risk_level"), e.Tool), true
	case risk == "destructive" && mild:
		return fmt.Sprintf("%s is destructive, and %s.destructiveHint is false, want true", risky.Where("risk_level"), harmless), true
	}
	if problem := disagreement(marks); problem != "" || flagged < 0 {
		return problem, true
	}
	switch flag := marks[flagged].Where("requires_confirmation"); {
	case reading:
		return fmt.Sprintf("%s is true, and %s.readOnlyHint is true, want one of them", flag, reads), true
	case risk == "safe":
		return fmt.Sprintf("%s is true, and %s is safe, want the risk that the user is asked about", flag, risky.Where("risk_level")), true
	}
	return "", true
}

// disagreement tells what two places say differently of one tool. A risk that there is not, and a
// flag of the manifest that is not a boolean, are judged by other cases.
func disagreement(marks []proposal.Entry) string {
	for _, property := range []string{"requires_confirmation", "risk_level"} {
		stating := slices.DeleteFunc(slices.Clone(marks), func(mark proposal.Entry) bool {
			value := mark.Says[property]
			_, flag := value.(bool)
			unlike := property == "risk_level" && !known(value) || property != "risk_level" && !flag && !mark.Listed
			return value == nil || unlike
		})
		for _, mark := range stating[min(1, len(stating)):] {
			if first := stating[0]; !probe.Same(mark.Says[property], first.Says[property]) {
				return fmt.Sprintf("%s is %s, and %s is %s, want the same in both places", first.Where(property),
					probe.Show(first.Says[property]), mark.Where(property), probe.Show(mark.Says[property]))
			}
		}
	}
	return ""
}

// hinted looks for a hint of the tool in each place that has annotations.
func hinted(all []proposal.Entry, tool, hint string, value bool) (where string, is bool) {
	for _, e := range all {
		if e.Tool == tool && probe.ObjectOf(e.Says["annotations"])[hint] == value {
			return e.Where("annotations"), true
		}
	}
	return "", false
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^{}\s]+)\}`) })

// placeholders compares with the properties that the schema names. Where it says more than
// properties, a parameter may be allowed there.
func placeholders(all []proposal.Entry, e proposal.Entry) (string, bool) {
	found := placeholder().FindAllStringSubmatch(probe.TextOf(e.Says["confirmation_message"]), -1)
	schema, _, stated := proposal.Stated(all, e.Tool, "inputSchema")
	if !stated {
		schema, _, stated = proposal.Stated(all, e.Tool, "input_schema")
	}
	input := probe.ObjectOf(schema)
	for _, more := range []string{"$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if _, has := input[more]; has {
			return "", false
		}
	}
	if len(found) == 0 || !stated || e.Tool == "" {
		return "", false
	}
	parameters := probe.ObjectOf(input["properties"])
	for _, each := range found {
		name, _, _ := strings.Cut(each[1], ".")
		if _, known := parameters[name]; !known {
			return fmt.Sprintf("%s has the placeholder %s, want the name of a parameter of %q",
				e.Where("confirmation_message"), each[0], e.Tool), true
		}
	}
	return "", true
}
