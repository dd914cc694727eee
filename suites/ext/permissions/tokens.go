package permissions

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// long is a session that does not end while a case looks at it.
const long = 600

// withToken is a case about the token of a session that was asked for so many seconds.
func withToken(
	seconds int, slug, title string, rule requirements.ID, fix string, judge func(s *session) error, needs ...suite.Need,
) suite.Case {
	return negotiable(slug, title, rule, fix, on(seconds, judge), needs...)
}

func tokens() []suite.Case {
	opened := suite.Either(suite.Role(roles.StateChange), suite.Role(roles.ReadOnlyTool))
	observed := suite.Role(roles.StateChange, "observe")
	return []suite.Case{
		withToken(long, "session-token-works", "the token of a session opens what was granted", "ext-session-token-works",
			"read _meta.session_token, over HTTP also X-MCP-Session-Token, and judge the call by the scopes of that session",
			tokenWorks, opened),
		withToken(long, "session-token-bounds", "the token of a session opens only what was granted", "ext-session-token-works",
			"compare the scopes of the session with those that the tool requires, for every call",
			tokenBounds, suite.Role(roles.Denied), opened),
		withToken(long, "session-token-random", "a made-up session token is rejected", "ext-session-token-forged",
			"look every token up among the sessions that were given out, and reject a call with another one as AUTHENTICATION_REQUIRED",
			func(s *session) error { return s.wantForgedRefused(s.random(), "a made-up token") }, observed),
		withToken(long, "session-token-altered", "a session token with one other character is rejected", "ext-session-token-forged",
			"compare the whole token, or check its signature before anything in it is used",
			func(s *session) error { return s.wantForgedRefused(s.altered(), "a token with one character changed") }, observed),
		bench.In(suite.Waits, withToken(brief, "session-token-expires", "the token is rejected when the session has expired",
			"ext-session-token-expires",
			"compare expires_at with the clock on every request, and reject the token as TOKEN_EXPIRED", expires, opened)),
		bench.In(suite.Waits, withToken(dormant, "session-token-inactive",
			"the token is rejected when the session was not used for inactivity_timeout_seconds", "ext-session-token-expires",
			"store when a session was used last, and reject its token when that is too long ago", inactive, opened)),
	}
}

func tokenWorks(s *session) error {
	reply := s.call(s.pass.token)
	if proposal.Done(reply) {
		return nil
	}
	if record, _, ok := proposal.Record(reply); ok && record["category"] != "auth_required" && record["category"] != "permanent" {
		s.Undecide("the call fails for another reason: " + reply.Outcome())
	}
	return probe.Shown(s.pass, reply).Violation("%s, want its result",
		reply.AnswerTo("the call of "+s.ToolCall.Tool+" with the token of a session for "+probe.Show(s.pass.scopes)))
}

func tokenBounds(s *session) error {
	call := s.Role(roles.Denied).Call()
	d := denied(s.Client)
	missing := d.said.missing()
	known := told(s.Client)
	if len(missing) == 0 {
		missing = known.required[call.Tool]
	}
	d.UndecideIf(len(missing) > 0 && within(missing, s.pass.scopes),
		"the session has every scope that "+call.Tool+" requires; roles.scopes.grantable names too many")
	if !s.sure {
		refused(s.Client)
	}
	s.Must(s.wantShut(call, ""))
	// A careless server keeps the scopes that were requested, the denied ones among them.
	had, beside := s.pass.scopes, besides(missing, s.pass.scopes)
	answered := false
	_ = s.Try(func() { // a server may refuse the request as a whole
		s.pass = admit(s.Caller, slices.Concat(had, beside), long)
		answered = true
	})
	if !answered || len(beside) == 0 || within(missing, s.pass.scopes) { // the last: all was granted
		return nil
	}
	return s.wantShut(call, ", where "+probe.Show(besides(beside, s.pass.scopes))+" was denied")
}

// wantShut expects that the token of the session does not open a call.
func (s *session) wantShut(call *probe.ToolCall, beside string) error {
	reply := s.callOf(call, s.pass.token)
	if proposal.Declined(reply) {
		return nil
	}
	return probe.Shown(s.pass, reply).Violation("%s, want a refusal",
		reply.AnswerTo("the call of "+call.Tool+" with the token of a session for "+probe.Show(s.pass.scopes)+beside))
}

// The state is watched when the real token has been seen to work: a server that
// refuses everything refuses forged tokens too.
func (s *session) wantForgedRefused(token, words string) error {
	s.UndecideIf(s.ToolCall.Tool != s.Role(roles.StateChange).Call().Tool,
		"the session does not open the call of roles.state-change, whose effect can be seen")
	before := s.Watch(s.ToolCall)
	s.admitted()
	return s.wantRefused(s.Settled(before), token, words)
}

// wantRefused expects that a call with a token is refused, and has no effect.
func (s *session) wantRefused(w bench.Watched, token, words string) error {
	reply := s.call(token)
	if !proposal.Declined(reply) {
		return s.Said.Violation("%s, want a refusal", reply.AnswerTo("a call with "+words))
	}
	s.Must(probe.Unless(s.WantNoEffect(w, "a call with "+words), proposal.RefusedInVain()))
	if record, place, ok := proposal.Record(reply); ok && record["category"] != "auth_required" {
		return reply.Violation("the category of the record in %s is %s, want auth_required", place, probe.Show(record["category"])).AtMostWarn()
	}
	return nil
}

// How long the sessions are asked for that are to end while the kit waits. The
// latter is long enough for a server to have a limit for unused ones.
const (
	brief   = 2
	dormant = 30
)

// margin is how long after its end a session surely is over. A configuration with
// short default lifetimes stands for a server with an exact clock.
func margin(w probe.Waits) time.Duration {
	const most, least = 2 * time.Second, time.Second / 2
	return max(least, min(most, w.DefaultTTL/2))
}

func expires(s *session) error {
	s.admitted()
	s.passes()
	return s.wantOver("its end")
}

// passes waits until the session surely has expired.
func (s *session) passes() {
	s.until(s.pass.from.Add(max(brief*time.Second, s.pass.left)))
}

// until waits until a moment surely is over.
func (s *session) until(end time.Time) {
	proposal.Pause(s.Client, time.Until(end.Add(margin(s.Waits()))))
}

func inactive(s *session) error {
	s.NotSeenIf(s.pass.idle <= 0, "the session has no inactivity_timeout_seconds")
	s.admitted()
	s.until(time.Now().Add(s.pass.idle))
	return s.wantOver(fmt.Sprintf("%d s without a request", int(s.pass.idle.Seconds())))
}

// wantOver expects that the token no longer works.
func (s *session) wantOver(what string) error {
	reply := s.call(s.pass.token)
	if proposal.Declined(reply) {
		return nil
	}
	return probe.Shown(s.pass, reply).Violation("%s, want a refusal", reply.AnswerTo("a call with the token of a session after "+what))
}
