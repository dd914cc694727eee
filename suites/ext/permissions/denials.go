package permissions

import (
	"net"
	"net/url"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/probe"
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
	if !d.sure {
		c.Undecide("over stdio the identity belongs to the process, and nothing says that it is not allowed to call " + d.ToolCall.Tool)
	}
	return d.said.Violation("allowed is true for %s without any scope, want false: roles.denied says that the call is refused",
		d.ToolCall.Tool)
}

// onDenial makes a case of a look at an answer that says no.
func onDenial(look func(c *probe.Client, a answer) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		d := denied(c)
		if yes, told := d.said.allowed(); yes || !told {
			c.Undecide("the check does not say no, which ext-permissions/check-denied judges")
		}
		return look(c, d.said)
	}
}

func missingScopes(_ *probe.Client, a answer) error {
	if len(a.missing()) > 0 {
		return nil
	}
	return a.Violation("missing_scopes is %s, want the scopes that the call needs", shown(a, "missing_scopes")).AtMostWarn()
}

func shown(a answer, name string) string {
	v, ok := a.Object[name]
	if !ok {
		v = probe.Absent{}
	}
	return probe.Show(v)
}

// Only without parameters: with them a server may know better than its own list.
func requiredScopes(c *probe.Client) error {
	caller, _ := bench.Weakest(c)
	call := c.Role(roles.Denied).Call()
	known := told(c)
	required, listed := known.required[call.Tool]
	if !listed {
		c.NotSeen("the server does not say which scopes " + call.Tool + " requires")
	}
	a := ask(caller, question{tool: call.Tool})
	if yes, told := a.allowed(); yes || !told {
		c.NotSeen("the check does not say no without parameters")
	}
	for _, scope := range a.missing() {
		if !slices.Contains(required, scope) {
			return a.Violation("missing_scopes has %s, want scopes out of the required_scopes %s of %s",
				probe.Show(scope), probe.Show(required), call.Tool).AtMostWarn()
		}
	}
	return nil
}

func reason(_ *probe.Client, a answer) error {
	if said, _ := a.Object["reason"].(string); said != "" {
		return nil
	}
	return a.Violation("reason is %s, want why the call is not allowed", shown(a, "reason"))
}

func elevationURL(c *probe.Client, a answer) error {
	given, ok := a.Object["elevation_url"]
	if !ok {
		c.Note("the answer has no elevation_url, so nobody learns where to ask for the scope")
		return nil
	}
	text, _ := given.(string)
	at, err := url.Parse(text)
	if err != nil || !at.IsAbs() {
		c.Undecide("elevation_url is not an absolute URI, which ext-permissions/check-shape-denied judges")
	}
	if at.Scheme == "https" || loopback(at.Hostname()) {
		return nil
	}
	return a.Violation("elevation_url is %s, want an https URL", probe.Show(text))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
