package permissions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// refusals are about the structured record that may come with a refused call. A
// server that has no such records refuses in plain form, and that is enough.
func refusals() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, title, fix string
		rule             requirements.ID
		look             func(r recorded) error
	}{
		{
			"deny-holds-record", "the error record of a refused call says that permission is missing, and does not suggest a retry",
			"use the code SCOPE_INSUFFICIENT or PERMISSION_DENIED and the category auth_required", "ext-permissions-deny-holds", recorded.kind,
		},
		{
			"denial-details", "the error record of a refused call lists the scopes that are missing",
			"put the missing scopes into details.missing_scopes of the record", "ext-permissions-denial-details", recorded.details,
		},
		{
			"denial-suggestion", "the error record of a refused call suggests how to get the scopes",
			"say in suggestion of the record how the caller gets the missing scopes", "ext-permissions-denial-details", recorded.suggestion,
		},
	} {
		cases = append(cases, bench.Observing(roles.Denied, claimed(row.slug, row.title, row.rule, row.fix, func(c *probe.Client) error {
			d := refused(c)
			reply := d.turnedAway()
			record, place, ok := proposal.Record(reply)
			if !ok {
				c.NotSeen("the refusal has no structured error record")
			}
			return row.look(recorded{reply, record, place})
		},
			suite.Role(roles.Denied))))
	}
	return cases
}

// A recorded refusal.
type recorded struct {
	*probe.Reply
	record map[string]any
	place  string
}

func (r recorded) kind() error {
	code, _ := r.record["code"].(string)
	category, _ := r.record["category"].(string)
	switch {
	case category == "transient" || category == "rate_limited":
		return r.Violation("the category of the record in %s is %q, want auth_required: the same call is refused again", r.place, category)
	case category != "auth_required" && category != "permanent":
		return r.Violation("the category of the record in %s is %q, want auth_required or permanent", r.place, category).AtMostWarn()
	case !slices.Contains(lackCodes(), code):
		return r.Violation("the code of the record in %s is %q, want %s", r.place, code, strings.Join(lackCodes(), " or ")).AtMostWarn()
	}
	return nil
}

func (r recorded) details() error {
	details := object(r.record["details"])
	for _, name := range []string{"missing_scopes", "required_scope", "required_scopes"} {
		if _, ok := details[name]; ok {
			return nil
		}
	}
	given, ok := r.record["details"]
	if !ok {
		given = probe.Absent{}
	}
	return r.Violation("details of the record in %s is %s, want the scopes in missing_scopes or required_scope", r.place, probe.Show(given))
}

func (r recorded) suggestion() error {
	if said, _ := r.record["suggestion"].(string); said != "" {
		return nil
	}
	return r.Violation("the record in %s has no suggestion, want how to get the missing scopes", r.place)
}

func scopesPerTool() suite.Case {
	return suite.Case{
		ID:     "ext-permissions/scopes-per-tool",
		Title:  "a server with scopes says of each tool which of them it requires",
		Checks: []requirements.ID{"ext-permissions-scopes-per-tool"},
		Fix:    "give every tool the property required_scopes in the manifest or in _meta of tools/list; an empty array says that it needs none",
		Run:    everyTool,
	}
}

func everyTool(c *probe.Client) error {
	known := told(c)
	if len(known.scopes) == 0 {
		c.NotSeen("the server does not list any scopes")
	}
	var silent []string
	for _, tool := range known.tools {
		if _, ok := known.required[tool]; !ok {
			silent = append(silent, tool)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	const most = 3
	some := strings.Join(silent[:min(most, len(silent))], ", ")
	if more := len(silent) - most; more > 0 {
		some += fmt.Sprintf(" and %d more", more)
	}
	list := c.Call("tools/list", nil)
	return list.Violation("required_scopes is absent from %d of %d tools (%s), want it on every tool", len(silent), len(known.tools), some)
}
