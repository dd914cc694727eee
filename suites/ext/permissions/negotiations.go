package permissions

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func negotiations() []suite.Case {
	cases := []suite.Case{
		negotiable("negotiate-shape", "a negotiation is answered with the granted scopes and a session", "ext-scopes-negotiate-shape",
			"offer scopes/negotiate, and answer it with granted_scopes as an array of strings, "+
				"denied_scopes as an array of objects with scope and reason, and session",
			negotiateShape),
		negotiable("negotiate-denied-reason", "each scope that is denied comes with a reason", "ext-scopes-negotiate-shape",
			"put a sentence for people into reason of each entry of denied_scopes", negotiateDeniedReason, suite.Role(roles.Scopes, "deniable")),
		claimed("negotiate-unknown-scope", "a scope that the server does not know is not granted", "ext-scopes-unknown-denied",
			"grant scopes from a fixed list, and put all others into denied_scopes", unknownScope),
	}
	for _, row := range []struct {
		slug, words string
		params      probe.Object
	}{
		{"empty", "a negotiation with empty params", probe.Object{}},
		{"string", "a negotiation with a string for requested_scopes", probe.Object{"requested_scopes": "read:x"}},
	} {
		cases = append(cases, claimed("negotiate-required-"+row.slug, row.words+" is rejected", "ext-scopes-negotiate-required",
			"reject a negotiation whose requested_scopes is not an array of strings as invalid params", func(c *probe.Client) error {
				return proposal.WantDeclined(negotiate(c, row.params).Reply)
			}))
	}
	return cases
}

// negotiate asks for scopes, of a server that has the method.
func negotiate(c *probe.Client, params probe.Object) proposal.Answer {
	a := request(c, params)
	c.NotSeenIf(a.Unknown, "the server does not offer scopes/negotiate in any form")
	return a
}

// request asks for scopes in the words that the server reads: the canonical ones, or
// those of the text where it rejects these.
func request(c *probe.Client, params probe.Object) proposal.Answer {
	ask := proposal.NegotiateScopes().Ask
	scopes, asked := params["requested_scopes"].([]string)
	if !asked {
		return ask(c, params)
	}
	worded := params.Without("requested_scopes").With("scopes", scopes)
	var a proposal.Answer
	name := c.Learn("permissions:scopes", func() string {
		if a = ask(c, params); !a.Unknown && proposal.Declined(a.Reply) {
			if other := ask(c, worded); probe.ObjectOf(other.Object["session"]) != nil {
				a = other
				return "scopes"
			}
		}
		return "requested_scopes"
	})
	if name == "scopes" {
		c.Note("the request of a negotiation names its scopes in scopes, as in the text of the proposal; " +
			"the canonical property is requested_scopes")
	}
	switch {
	case a.Reply != nil:
	case name == "scopes":
		a = ask(c, worded)
	default:
		a = ask(c, params)
	}
	return canonical(c, a)
}

// canonical is an answer in whose place the names of the text stand for the canonical ones.
func canonical(c *probe.Client, a proposal.Answer) proposal.Answer {
	for _, older := range []string{"granted", "denied"} {
		name := older + "_scopes"
		value, given := a.Object[older]
		if _, there := a.Object[name]; there || !given {
			continue
		}
		a.Object = probe.Object(a.Object).Without(older).With(name, value)
		a.Value = a.Object
		c.Note("the answer to a negotiation has " + older + ", as in the text of the proposal; the canonical property is " + name)
	}
	return a
}

// wish asks for these scopes and, unless it is 0, for a time to live.
func wish(scopes []string, seconds int) probe.Object {
	params := probe.Object{"requested_scopes": append([]string{}, scopes...), "justification": "conformance run"}
	if seconds > 0 {
		params["ttl_seconds"] = seconds
	}
	return params
}

// usual is the request of the cases that look at the answer alone. The weakest
// principal makes it: others may be granted what the file says is denied.
func usual(c *probe.Client) ([]string, probe.Object) {
	const seconds = 60
	barred(c)
	scopes := c.Role(roles.Scopes).Fields()
	requested := slices.Concat(scopes.Texts("grantable"), scopes.Texts("deniable"))
	return requested, wish(requested, seconds)
}

// Sessions are optional beside the check: a server without them gets this one
// warning, and the other cases are skipped.
func negotiateShape(c *probe.Client) error {
	caller, _ := bench.Weakest(c)
	_, params := usual(c)
	a := request(caller, params)
	if a.Unknown {
		return a.Violation("scopes/negotiate is unknown in every form, want an answer of a server with the extension permissions").AtMostWarn()
	}
	c.Must(a.WantResult())
	if problem := c.ExtensionProblem("permissions", "NegotiateResult", "/result", a.Value); problem != "" {
		return a.Violation("%s", problem)
	}
	return proposal.NegotiateScopes().NoteForm(c, a)
}

// negotiated is the answer to the usual request, of the published form.
func negotiated(c *probe.Client) (requested []string, a proposal.Answer) {
	caller, _ := bench.Weakest(c)
	requested, params := usual(c)
	a = negotiate(caller, params)
	published(c, a)
	return requested, a
}

func published(c *probe.Client, a proposal.Answer) {
	c.UndecideIf(c.ExtensionProblem("permissions", "NegotiateResult", "/result", a.Value) != "",
		"the answer to scopes/negotiate does not have its form, which ext-permissions/negotiate-shape judges")
}

func negotiateDeniedReason(c *probe.Client) error {
	_, a := negotiated(c)
	denied, _ := a.Object["denied_scopes"].([]any)
	c.NotSeenIf(len(denied) == 0, "no scope was denied")
	for _, entry := range denied {
		if said, _ := probe.ObjectOf(entry)["reason"].(string); said == "" {
			return a.Violation("denied_scopes has %s, want a reason beside the scope", probe.Show(entry)).AtMostWarn()
		}
	}
	return nil
}

func unknownScope(c *probe.Client) error {
	scope := "nope:" + c.Nonce()
	a := negotiate(c, wish([]string{scope}, 0))
	if proposal.Declined(a.Reply) {
		return nil
	}
	c.Must(a.WantResult())
	if slices.Contains(probe.Strings(a.Object["granted_scopes"]), scope) {
		return a.Violation("granted_scopes has %s, which was made up for this request, want it denied", probe.Show(scope))
	}
	return nil
}

// partitions are about which scopes are granted and which are denied.
func partitions() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, title, fix string
		look             func(a proposal.Answer, requested, granted, denied []string) error
	}{
		{
			"granted-requested", "only scopes that were requested are granted",
			"grant the requested scopes that the caller may have, and no others", grantedRequested,
		},
		{
			"granted-not-denied", "a scope is not both granted and denied",
			"put each requested scope into exactly one of granted_scopes and denied_scopes", grantedNotDenied,
		},
		{
			"granted-or-denied", "each requested scope is either granted or denied",
			"put each requested scope that is not granted into denied_scopes", grantedOrDenied,
		},
	} {
		cases = append(cases, negotiable(row.slug, row.title, "ext-scopes-granted-subset", row.fix, func(c *probe.Client) error {
			requested, a := negotiated(c)
			return row.look(a, requested, probe.Strings(a.Object["granted_scopes"]), deniedScopes(a))
		}))
	}
	return append(cases, negotiable("granted-none", "a negotiation for no scopes grants none", "ext-scopes-granted-subset",
		"answer an empty requested_scopes with an empty granted_scopes, or reject it; an empty list does not stand for all", grantedNone))
}

// deniedScopes are the scopes that the answer to a negotiation denies.
func deniedScopes(a proposal.Answer) (denied []string) {
	for _, entry := range probe.ArrayOf(a.Object["denied_scopes"]) {
		if scope, ok := probe.ObjectOf(entry)["scope"].(string); ok {
			denied = append(denied, scope)
		}
	}
	return denied
}

// Nothing of the text says that an empty list has no meaning of its own, so this is a warning.
func grantedNone(c *probe.Client) error {
	negotiated(c) // one of the published form
	caller, _ := bench.Weakest(c)
	a := negotiate(caller, wish(nil, 60))
	if proposal.Declined(a.Reply) {
		return nil
	}
	c.Must(a.WantResult())
	return probe.AtMostWarn(grantedRequested(a, nil, probe.Strings(a.Object["granted_scopes"]), nil))
}

// besides are the scopes of one list that others do not have.
func besides(scopes []string, others ...[]string) []string {
	all := slices.Concat(others...)
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return slices.Contains(all, scope) })
}

func grantedRequested(a proposal.Answer, requested, granted, _ []string) error {
	if extra := besides(granted, requested); len(extra) > 0 {
		return a.Violation("granted_scopes has %s, want requested scopes only", strings.Join(extra, ", "))
	}
	return nil
}

func grantedNotDenied(a proposal.Answer, _, granted, denied []string) error {
	if once := besides(granted, denied); len(once) < len(granted) {
		return a.Violation("%s is in granted_scopes and in denied_scopes, want it in one of them", strings.Join(besides(granted, once), ", "))
	}
	return nil
}

func grantedOrDenied(a proposal.Answer, requested, granted, denied []string) error {
	if lost := besides(requested, granted, denied); len(lost) > 0 {
		return a.Violation("%s is neither in granted_scopes nor in denied_scopes, want it in one of them", strings.Join(lost, ", ")).AtMostWarn()
	}
	return nil
}
