package permissions

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// bounds are about what a session does not open: with a token a caller has the scopes of
// its session and no others, and without one it has what it had before.
func bounds() []suite.Case {
	observed := suite.Role(roles.StateChange, "observe")
	return []suite.Case{
		negotiable("session-token-narrows", "the token of a session takes away what its caller may do without it", "ext-session-token-narrows",
			"judge a call with a token by the scopes of its session alone, and never by those of the caller as well",
			tokenNarrows, observed),
		negotiable("session-token-random-own-rights", "a made-up token is rejected also where the caller may make the call without one",
			"ext-session-token-forged",
			"reject a call whose token is unknown; never fall back to the rights that the caller has without it", forgedByOwner, observed),
		bench.In(suite.Waits, negotiable("session-token-expires-own-rights",
			"a token that has expired is rejected also where the caller may make the call without one", "ext-session-token-expires",
			"reject a call whose token is over; never fall back to the rights that the caller has without it", expiredByOwner, observed)),
		// Once: a grant that stays would be there before the second try.
		bench.In(suite.Fresh, withToken(long, "session-grant-bound", "without its token a session opens nothing", "ext-session-grant-bound",
			"keep the granted scopes with the session, and not with the caller or the connection", grantBound, observed)),
		negotiable("session-token-unguessable", "the tokens of two sessions do not follow from each other", "ext-session-token-unguessable",
			"make tokens of 16 random bytes or more, or sign them", tokenUnguessable),
	}
}

// owned is where the session of a caller is going to be whose own rights reach the call:
// the call is made without a token first.
func owned(c *probe.Client) (s *session, w bench.Watched) {
	s = &session{Bench: bench.New(c), sure: true}
	s.Dialect = outside(c).Dialect
	s.Caller = bench.Entitled(c)
	s.ToolCall = c.Role(roles.StateChange).Call()
	before := s.Watch(s.ToolCall)
	reply := s.MakeCall(bench.Call{Dialect: proposal.Bare})
	s.Require(proposal.WantDone(reply), "the caller may not make the call of roles.state-change without a token: "+reply.Outcome())
	return s, s.Settled(before)
}

func tokenNarrows(c *probe.Client) error {
	s, w := owned(c)
	required := requires(c, s.Caller, s.ToolCall)
	other := besides(s.Role(roles.Scopes).Fields().Texts("grantable"), required)
	switch {
	case len(required) == 0:
		s.NotSeen("nothing says which scopes " + s.ToolCall.Tool + " requires")
	case len(other) == 0:
		s.NotSeen("each of roles.scopes.grantable is a scope that " + s.ToolCall.Tool + " requires")
	}
	s.pass = admit(s.Caller, other[:1], long)
	s.UndecideIf(within(required, s.pass.scopes), "more was granted than was requested, which ext-permissions/granted-requested judges")
	s.Said = probe.Shown(s.pass)
	return s.wantRefused(w, s.pass.token, "the token of a session for "+probe.Show(s.pass.scopes)+" alone")
}

func forgedByOwner(c *probe.Client) error {
	s, w := owned(c)
	s.pass = admit(s.Caller, s.Role(roles.Scopes).Fields().Texts("grantable"), long)
	return s.wantRefused(w, s.random(), "a made-up token, of a caller who may make it without one")
}

func expiredByOwner(c *probe.Client) error {
	s, w := owned(c)
	s.pass = admit(s.Caller, s.Role(roles.Scopes).Fields().Texts("grantable"), brief)
	s.passes()
	return s.wantRefused(w, s.pass.token, "the token of a session after its end, of a caller who may make it without one")
}

// grantBound rests on a refusal ahead of the first negotiation: a later one would not be
// there where a grant stays.
func grantBound(s *session) error {
	s.NotSeenIf(!barred(s.Client), "the caller may make the call of roles.state-change without a session, or is refused for another reason")
	if s.ToolCall.Tool != s.Role(roles.StateChange).Call().Tool {
		s.Undecide("the session does not open the call of roles.state-change")
	}
	before := s.Watch(s.ToolCall)
	s.admitted()
	w := s.Settled(before)
	reply := s.MakeCall(bench.Call{Dialect: proposal.Bare})
	if !proposal.Declined(reply) {
		return s.Said.Violation("%s, want a refusal as before the negotiation", reply.AnswerTo("a call without the token of its session"))
	}
	return s.WantNoEffect(w, "a call without the token of its session")
}

// A signed token may hold what it is about, so that most of two tokens may be the same;
// and a random one may be short. What follows from another is what is looked for.
func tokenUnguessable(c *probe.Client) error {
	caller, _ := bench.Weakest(c)
	requested, _ := usual(c)
	one, other := admit(caller, requested, long), admit(caller, requested, long)
	switch {
	case one.token == other.token:
		c.NotSeen("both negotiations give out the same session")
	case bench.Counted(one.token, other.token):
		return probe.Shown(one, other).Violation("the tokens of two sessions differ in a number only, " +
			"which others can count to, want random ones")
	case min(len(one.token), len(other.token)) < shortest:
		return one.Violation("the token of a session has %d characters, want %d or more", len(one.token), shortest)
	}
	return nil
}

// shortest is how many characters hold 60 random bits at least, in the alphabet with the
// most letters.
const shortest = 10
