package permissions

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// How long the sessions are asked for that are to end while the kit waits. The
// latter is long enough for a server to have a limit for unused ones.
const (
	brief   = 2
	dormant = 30
)

func endings() []suite.Case {
	opened := suite.Either(suite.Role(roles.StateChange), suite.Role(roles.ReadOnlyTool))
	return []suite.Case{
		bench.In(suite.Waits, withToken(brief, "session-token-expires", "the token is rejected when the session has expired",
			"ext-session-token-expires",
			"compare expires_at with the clock on every request, and reject the token as TOKEN_EXPIRED", expires, opened)),
		bench.In(suite.Waits, withToken(dormant, "session-token-inactive",
			"the token is rejected when the session was not used for inactivity_timeout_seconds", "ext-session-token-expires",
			"store when a session was used last, and reject its token when that is too long ago", inactive, opened)),
	}
}

// margin is how long after its end a session surely is over. A configuration with
// short default lifetimes stands for a server with an exact clock.
func margin(w probe.Waits) time.Duration {
	const most, least = 2 * time.Second, time.Second / 2
	return max(least, min(most, w.DefaultTTL/2))
}

func expires(s *session) error {
	s.admitted()
	end := s.pass.from.Add(max(brief*time.Second, s.pass.left))
	return s.wantOver(end, "its end")
}

func inactive(s *session) error {
	if s.pass.idle <= 0 {
		s.NotSeen("the session has no inactivity_timeout_seconds")
	}
	s.admitted()
	return s.wantOver(time.Now().Add(s.pass.idle), fmt.Sprintf("%d s without a request", int(s.pass.idle.Seconds())))
}

// wantOver expects that the token no longer works shortly after the moment.
func (s *session) wantOver(end time.Time, what string) error {
	proposal.Pause(s.Client, time.Until(end.Add(margin(s.Waits()))))
	reply := s.call(s.pass.token)
	if proposal.Declined(reply) {
		return nil
	}
	return probe.Shown(s.pass, reply).Violation("%s, want a refusal", reply.AnswerTo("a call with the token of a session after "+what))
}
