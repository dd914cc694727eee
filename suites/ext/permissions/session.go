package permissions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A session is what the weakest principal got for scopes, so that the token opens
// something, and a call that takes a scope which the session has.
type session struct {
	*bench.Bench
	sure bool // that it is this principal who calls
	pass pass
}

// on makes a case of a procedure with a session that was asked for so many seconds.
func on(seconds int, judge func(s *session) error) func(*probe.Client) error {
	return bench.After(func(c *probe.Client) *session { return begin(c, seconds) }, judge)
}

func begin(c *probe.Client, seconds int) *session {
	s := outside(c)
	s.enter(seconds)
	return s
}

// outside is where a session is going to be, of the weakest principal.
func outside(c *probe.Client) *session {
	barred(c)
	s := &session{Bench: bench.New(c)}
	s.Caller, s.sure = bench.Weakest(c)
	s.Dialect = proposal.LearnDialect(c, "permissions", []proposal.Dialect{proposal.Header, proposal.Beside}, s.try)
	s.Dialect.NoteOlder(c, "session tokens", map[proposal.Dialect]string{proposal.Beside: "params.session_token"},
		"_meta.session_token or the header X-MCP-Session-Token")
	return s
}

// barred reports whether the weakest principal may not make the call of state-change
// without a session. It is found out ahead of the first negotiation, once for the column:
// where a grant stays, nothing is refused afterwards.
func barred(c *probe.Client) bool {
	if _, ok := c.Role(roles.StateChange).Fields().Call(); !ok {
		return false
	}
	return c.Learn("permissions:barred", func() string {
		b := bench.New(c)
		b.Caller, _ = bench.Weakest(c)
		b.ToolCall = c.Role(roles.StateChange).Call()
		reply := b.MakeCall(bench.Call{Dialect: proposal.Bare})
		_, _, recorded := proposal.Record(reply)
		said, _ := askAbout(b.Caller, b.ToolCall, nil).allowed()
		if forLackOfRights(reply) || proposal.Declined(reply) && !recorded && !said {
			return "refused"
		}
		return "done"
	}) == "refused"
}

// enter gets a session, and finds a call for it.
func (s *session) enter(seconds int) {
	grantable := s.Role(roles.Scopes).Fields().Texts("grantable")
	s.pass = admit(s.Caller, grantable, seconds)
	s.ToolCall = opened(s.Client, s.Caller, s.pass.scopes)
}

// try sends a token and then a made-up one: a server that accepts the first and not
// the second has read them.
func (s *session) try(d proposal.Dialect) (read, accepted bool) {
	tried := &session{Bench: s.With(s.Client), sure: s.sure}
	tried.Dialect = d
	tried.enter(long)
	if !proposal.Done(tried.call(tried.pass.token)) {
		return false, false
	}
	return proposal.Declined(tried.call(tried.random())), true
}

// requires are the scopes that a call takes, as far as the server tells them.
func requires(own, who *probe.Client, call *probe.ToolCall) []string {
	if required, listed := told(own).required[call.Tool]; listed {
		return required
	}
	a := askAbout(who, call, nil)
	if yes, told := a.allowed(); told && !yes {
		return a.missing()
	}
	return nil
}

// opened is a call of a role that takes scopes, all of which were granted. What takes
// none says nothing about tokens: a server need not look at them there.
func opened(own, who *probe.Client, granted []string) *probe.ToolCall {
	for _, name := range []roles.Name{roles.StateChange, roles.ReadOnlyTool} {
		role := own.Role(name)
		if _, ok := role.Fields().Call(); !ok {
			continue
		}
		call := role.Call()
		if required := requires(own, who, call); len(required) > 0 && within(required, granted) {
			return call
		}
	}
	own.Undecide("neither roles.state-change nor roles.read-only-tool names a tool that is known to require " +
		"granted scopes and no others: " + strings.Join(granted, ", "))
	return nil
}

// call makes the call with a token.
func (s *session) call(token string) *probe.Reply { return s.callOf(s.ToolCall, token) }

func (s *session) callOf(tool *probe.ToolCall, token string) *probe.Reply {
	return s.MakeCall(bench.Call{Tool: tool, Values: probe.Object{"session_token": token}})
}

// admitted makes the call with the token that was given out. That it is let in is
// the rule of session-token-works.
func (s *session) admitted() {
	reply := s.call(s.pass.token)
	s.Require(proposal.WantDone(reply),
		"the call is not done with the token either, which ext-permissions/session-token-works judges: "+reply.Outcome())
}

// random is a token that nobody was given, as long as a real one.
func (s *session) random() string {
	made := "kit" + s.Nonce()
	for len(made) < len(s.pass.token) {
		made += s.Nonce()
	}
	return made[:max(len("kit")+1, min(len(made), len(s.pass.token)))]
}

// altered is the real token with one letter or digit changed, in the middle: the
// last characters of some tokens mean nothing.
func (s *session) altered() string {
	token := []byte(s.pass.token)
	order := make([]int, 0, len(token))
	for i := range token {
		order = append(order, (len(token)/2+i)%len(token))
	}
	at := slices.IndexFunc(order, func(i int) bool {
		c := token[i]
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	})
	s.UndecideIf(at < 0, fmt.Sprintf("there is not a letter or digit to change in the token of %d characters", len(token)))
	token[order[at]] = other(token[order[at]])
	return string(token)
}

// other is another character of the same kind, so that the token keeps its form.
func other(c byte) byte {
	switch c {
	case '9':
		return '0'
	case 'z':
		return 'a'
	case 'Z':
		return 'A'
	default:
		return c + 1
	}
}

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
	c.Survey().Tokens.Add(p.token)
	at, ok := proposal.Moment(session["expires_at"])
	switch {
	case p.token == "" || !ok:
		c.Undecide("the session has no token or no expires_at in its form, which ext-permissions/session-shape judges")
	case len(p.scopes) == 0:
		c.Undecide("none of roles.scopes.grantable is granted to the principal that asks")
	}
	p.expires, p.left = at, at.Sub(proposal.Clock(a.Reply, c.Now()))
	if n, ok := session["inactivity_timeout_seconds"].(json.Number); ok {
		seconds, _ := frame.Integer(n.String()) // a fraction is a mistake in the session's form
		p.idle = time.Duration(seconds) * time.Second
	}
	return p
}

func sessionScopes(c *probe.Client) error {
	requested, a := negotiated(c)
	granted := append([]string{}, probe.Strings(a.Object["granted_scopes"])...)
	session, ok := probe.ObjectOf(a.Object["session"])["scopes"].([]any)
	c.UndecideIf(!ok, "the session has no array of scopes, which ext-permissions/session-shape judges")
	scopes := append([]string{}, probe.Strings(session)...)
	c.NotSeenIf(len(scopes) < len(session), "a scope of the session is not a string, which ext-permissions/session-shape judges")
	if within(scopes, granted) && within(granted, scopes) {
		return nil
	}
	broken := a.Violation("session.scopes is %s, want the granted scopes %s", probe.Show(scopes), probe.Show(granted)).AtMostWarn()
	if within(granted, scopes) && within(scopes, requested) && len(besides(besides(scopes, granted), deniedScopes(a))) > 0 {
		return broken.Unless(probe.Elsewhere{Case: "ext-permissions/granted-or-denied", Why: "requested scopes are neither granted nor denied"})
	}
	return broken
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
	c.NotSeenIf(!ok || seconds < 1, "no manifest says auth.session_ttl_seconds")
	declared := time.Duration(seconds) * time.Second
	caller, _ := bench.Weakest(c)
	requested, _ := usual(c)
	p := admit(caller, requested, 0)
	c.NotSeenIf(c.ExtensionProblem("permissions", "Session", "", p.Object["session"]) != "",
		"the session does not have its form, which ext-permissions/session-shape judges")
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
