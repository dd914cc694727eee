package permissions

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func denials() []suite.Case {
	return []suite.Case{
		claimed("check-denied", "a check without a scope that the call needs says no", "ext-permissions-check-denied",
			"let permissions/check ask the same function that refuses the call; "+
				mayCall, checkDenied, suite.Role(roles.Denied)),
		claimed("check-denied-missing-scopes", "a check that says no names the scopes that are missing", "ext-permissions-check-denied",
			"put the required scopes that are not held into missing_scopes", onDenial(missingScopes), suite.Role(roles.Denied)),
		claimed("check-denied-required-scopes", "the scopes named as missing are among those that the tool declares as required",
			"ext-permissions-check-denied",
			"take missing_scopes and required_scopes from the same table", requiredScopes, suite.Role(roles.Denied)),
		claimed("denied-reason", "a check that says no tells why", "ext-permissions-denied-explained",
			"put a sentence for people into reason", onDenial(reason), suite.Role(roles.Denied)),
		claimed("denied-elevation-url", "the page where a scope can be requested has an https URL", "ext-permissions-denied-explained",
			"answer with an https URL in elevation_url; plain http is for the loopback interface", onDenial(elevationURL),
			suite.Role(roles.Denied)),
	}
}

// What depends on the arguments is denied with them only.
func checkDenied(c *probe.Client) error {
	d := denied(c)
	bare := ask(d.Caller, question{tool: d.ToolCall.Tool})
	for _, a := range []answer{d.said, bare} {
		switch yes, told := a.allowed(); {
		case !told:
			unread(c, a)
		case !yes:
			return nil
		}
	}
	c.UndecideIf(!d.sure,
		"over stdio the identity belongs to the process, and nothing says that it is not allowed to call "+d.ToolCall.Tool)
	return d.said.Violation("allowed is true for %s without any scope, want false: roles.denied says that the call is refused",
		d.ToolCall.Tool)
}

// onDenial makes a case of a look at an answer that says no.
func onDenial(look func(c *probe.Client, a answer) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		d := denied(c)
		if _, told := d.said.allowed(); !told {
			unread(c, d.said)
		}
		c.UndecideIf(!d.said.denies(), "the check does not say no, which ext-permissions/check-denied judges")
		return look(c, d.said)
	}
}

func missingScopes(c *probe.Client, a answer) error {
	if len(a.missing()) > 0 {
		if name := a.missingName(); name != "missing_scopes" {
			c.Note("the missing scopes stand in " + name + ", as in the text of the proposal; the canonical property is missing_scopes")
		}
		return nil
	}
	c.NotSeenIf(a.mistyped(c, "missing_scopes"), "missing_scopes is not an array of strings, which ext-permissions/check-shape-denied judges")
	return a.Violation("missing_scopes is %s, want the scopes that the call needs",
		probe.Show(probe.Member(a.Object, "missing_scopes"))).AtMostWarn()
}

// Only without parameters: with them a server may know better than its own list.
func requiredScopes(c *probe.Client) error {
	caller, _ := bench.Weakest(c)
	call := c.Role(roles.Denied).Call()
	required, listed := told(c).required[call.Tool]
	c.NotSeenIf(!listed, "the server does not say which scopes "+call.Tool+" requires")
	a := ask(caller, question{tool: call.Tool})
	c.NotSeenIf(!a.denies(), "the check does not say no without parameters")
	for _, scope := range a.missing() {
		if !slices.Contains(required, scope) {
			return a.Violation("missing_scopes has %s, want scopes out of the required_scopes %s of %s",
				probe.Show(scope), probe.Show(required), call.Tool).AtMostWarn()
		}
	}
	return nil
}

func reason(c *probe.Client, a answer) error {
	if said, _ := a.Object["reason"].(string); said != "" {
		return nil
	}
	c.NotSeenIf(a.mistyped(c, "reason"), "reason is not a string, which ext-permissions/check-shape-denied judges")
	return a.Violation("reason is %s, want why the call is not allowed", probe.Show(probe.Member(a.Object, "reason")))
}

// mistyped reports whether a property of the answer is there and has another type than it should.
func (a answer) mistyped(c *probe.Client, property string) bool {
	value, there := a.Object[property]
	alone := map[string]any{"allowed": false, property: value}
	return there && c.ExtensionProblem("permissions", "CheckResult", "", alone) != ""
}

func elevationURL(c *probe.Client, a answer) error {
	given, ok := a.Object["elevation_url"]
	if !ok {
		c.Note("the answer has no elevation_url, so nobody learns where to ask for the scope")
		return nil
	}
	text, _ := given.(string)
	at, err := url.Parse(text)
	c.UndecideIf(err != nil || !at.IsAbs(), "elevation_url is not an absolute URI, which ext-permissions/check-shape-denied judges")
	if at.Scheme == "https" || probe.Loopback(at.Hostname()) {
		return nil
	}
	return a.Violation("elevation_url is %s, want an https URL", probe.Show(text))
}

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
			c.NotSeenIf(!ok, "the refusal has no structured error record")
			return row.look(recorded{reply, record, place, slices.Concat(told(c).required[d.ToolCall.Tool], d.said.missing())})
		},
			suite.Role(roles.Denied))))
	}
	return cases
}

// A recorded refusal.
type recorded struct {
	*probe.Reply
	record   map[string]any
	place    string
	required []string // for the call, as far as the server tells
}

func (r recorded) kind() error {
	code, _ := r.record["code"].(string)
	category, _ := r.record["category"].(string)
	switch {
	case category == "transient" || category == "rate_limited":
		return r.Violation("the category of the record in %s is %q, want auth_required: the same call is refused again", r.place, category)
	case category != "auth_required" && category != "permanent":
		return r.Violation("the category of the record in %s is %q, want auth_required or permanent", r.place, category).AtMostWarn()
	case !slices.Contains(proposal.RightsCodes(), code):
		return r.Violation("the code of the record in %s is %q, want %s",
			r.place, code, strings.Join(proposal.RightsCodes(), " or ")).AtMostWarn()
	}
	return nil
}

func (r recorded) details() error {
	details := probe.ObjectOf(r.record["details"])
	for _, name := range []string{"missing_scopes", "required_scope", "required_scopes"} {
		value, ok := details[name]
		if !ok {
			continue
		}
		return r.namesRequired(name, value)
	}
	broken := r.Violation("details of the record in %s is %s, want the scopes in missing_scopes or required_scope",
		r.place, probe.Show(probe.Member(r.record, "details")))
	if given, there := r.record["details"]; there && probe.ObjectOf(given) == nil {
		return broken.Unless(probe.Elsewhere{Case: "ext-structured-errors/details-type", Why: "details is not an object"})
	}
	return broken
}

// namesRequired expects that one of the named scopes is required, by the tool or by the check
// of this call. The others may be wider ones that include it.
func (r recorded) namesRequired(property string, value any) error {
	named := probe.Strings(value)
	if text, ok := value.(string); ok {
		named = strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' })
	}
	if len(r.required) == 0 || len(besides(named, r.required)) < len(named) {
		return nil
	}
	return r.Violation("details.%s of the record in %s is %s, want scopes out of %s, which the call requires", property, r.place,
		probe.Show(value), probe.Show(r.required))
}

func (r recorded) suggestion() error {
	if said, _ := r.record["suggestion"].(string); said != "" {
		return nil
	}
	return r.Violation("the record in %s has no suggestion, want how to get the missing scopes", r.place)
}

func scopesPerTool() suite.Case {
	return bench.Case("ext-permissions/scopes-per-tool", "a server with scopes says of each tool which of them it requires",
		"ext-permissions-scopes-per-tool",
		"give every tool the property required_scopes in the manifest or in _meta of tools/list; an empty array says that it needs none",
		everyTool)
}

func everyTool(c *probe.Client) error {
	known := told(c)
	c.NotSeenIf(len(known.scopes) == 0, "the server does not list any scopes")
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
