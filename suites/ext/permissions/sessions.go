package permissions

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func sessions() []suite.Case {
	return []suite.Case{
		negotiable("session-shape", "the session has a token, its scopes and its end in RFC 3339 format", "ext-session-token-shape",
			"answer with token as a string, scopes as an array of strings and expires_at as a string like 2026-08-20T10:01:00Z", sessionShape),
		negotiable("session-scopes", "the session has the scopes that were granted", "ext-session-token-shape",
			"write the same list into granted_scopes and session.scopes", sessionScopes),
		negotiable("session-ttl-bounded", "the session ends in the future, and not later than requested", "ext-session-ttl-bounded",
			"let expires_at be now plus ttl_seconds or less, in UTC or with its offset", ttlBounded),
		negotiable("session-ttl-as-declared", "an unused session does not live longer than the manifest says", "ext-session-ttl-as-declared",
			"let sessions without ttl_seconds end after auth.session_ttl_seconds, or after that time without a request", ttlAsDeclared),
	}
}

func sessionShape(c *probe.Client) error {
	_, a := negotiated(c)
	if problem := c.ExtensionProblem("permissions", "Session", "/result/session", a.Object["session"]); problem != "" {
		return a.Violation("%s", problem)
	}
	return nil
}

// A pass is the answer that gives a session out: its token, its scopes and its end.
type pass struct {
	proposal.Answer
	token   string
	scopes  []string // granted
	expires time.Time
	idle    time.Duration // zero: no such limit
	left    time.Duration // until it expires, by the server's clock
	from    time.Time
}

// admit asks for the scopes that the file says are granted.
func admit(c *probe.Client, scopes []string, seconds int) pass {
	a := negotiate(c, wish(scopes, seconds))
	published(c, a)
	session := probe.ObjectOf(a.Object["session"])
	p := pass{Answer: a, scopes: probe.Strings(a.Object["granted_scopes"]), from: time.Now()}
	p.token, _ = session["token"].(string)
	at, ok := proposal.Moment(session["expires_at"])
	switch {
	case p.token == "" || !ok:
		c.Undecide("the session has no token or no end, which ext-permissions/session-shape judges")
	case len(p.scopes) == 0:
		c.Undecide("none of roles.scopes.grantable is granted to the principal that asks")
	}
	p.expires, p.left = at, at.Sub(proposal.Clock(a.Reply, p.from))
	if n, ok := session["inactivity_timeout_seconds"].(json.Number); ok {
		seconds, _ := frame.Integer(n.String()) // a fraction is a mistake in the session's form
		p.idle = time.Duration(seconds) * time.Second
	}
	return p
}

func sessionScopes(c *probe.Client) error {
	_, a := negotiated(c)
	granted := probe.Strings(a.Object["granted_scopes"])
	session, ok := probe.ObjectOf(a.Object["session"])["scopes"].([]any)
	if !ok {
		c.Undecide("the session has no scopes, which ext-permissions/session-shape judges")
	}
	scopes := probe.Strings(session)
	if within(scopes, granted) && within(granted, scopes) {
		return nil
	}
	return a.Violation("session.scopes is %s, want the granted scopes %s", probe.Show(scopes), probe.Show(granted)).AtMostWarn()
}

func ttlBounded(c *probe.Client) error {
	const seconds = 60
	caller, _ := bench.Weakest(c)
	requested, _ := usual(c)
	p := admit(caller, requested, seconds)
	switch {
	case p.left < -proposal.Tolerance:
		return p.Violation("session.expires_at lies %s in the past, want a moment in the future", -p.left.Round(time.Second))
	case p.left > seconds*time.Second+proposal.Tolerance:
		return p.Violation("session.expires_at lies %s ahead, want at most the %d s of ttl_seconds", p.left.Round(time.Second), seconds)
	}
	return nil
}

func ttlAsDeclared(c *probe.Client) error {
	n, _ := told(c).auth["session_ttl_seconds"].(json.Number)
	seconds, ok := frame.Integer(n.String())
	if !ok || seconds < 1 {
		c.NotSeen("no manifest says auth.session_ttl_seconds")
	}
	declared := time.Duration(seconds) * time.Second
	caller, _ := bench.Weakest(c)
	requested, _ := usual(c)
	p := admit(caller, requested, 0)
	switch {
	case p.idle > 0 && p.idle < declared:
		c.Note(fmt.Sprintf("inactivity_timeout_seconds is shorter than the %d s of auth.session_ttl_seconds", seconds))
	case p.idle > declared:
		return p.Violation("session.inactivity_timeout_seconds is %d, want the %d of auth.session_ttl_seconds", int(p.idle.Seconds()), seconds)
	case p.idle == 0 && p.left > declared+proposal.Tolerance:
		return p.Violation("session.expires_at lies %s ahead and nothing ends it unused, want at most the %d s of auth.session_ttl_seconds",
			p.left.Round(time.Second), seconds)
	}
	return nil
}
