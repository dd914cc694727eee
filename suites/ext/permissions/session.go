package permissions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
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
	s := &session{Bench: bench.New(c)}
	s.Caller, s.sure = bench.Weakest(c)
	s.Dialect = proposal.LearnDialect(c, "permissions", []proposal.Dialect{proposal.Header, proposal.Beside}, s.try)
	s.Dialect.NoteOlder(c, "session tokens", map[proposal.Dialect]string{proposal.Beside: "params.session_token"},
		"_meta.session_token or the header X-MCP-Session-Token")
	s.enter(seconds)
	return s
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
	if proposal.WantDone(tried.call(tried.pass.token)) != nil {
		return false, false
	}
	return proposal.Declined(tried.call(tried.random())), true
}

// opened is a call of a role that takes scopes, all of which were granted. What takes
// none says nothing about tokens: a server need not look at them there.
func opened(own, who *probe.Client, granted []string) *probe.ToolCall {
	known := told(own)
	for _, name := range []roles.Name{roles.StateChange, roles.ReadOnlyTool} {
		role := own.Role(name)
		if _, ok := role.Fields().Call(); !ok {
			continue
		}
		call := role.Call()
		required, listed := known.required[call.Tool]
		if !listed {
			a := askAbout(who, call, nil)
			if yes, told := a.allowed(); told && !yes {
				required = a.missing()
			}
		}
		if len(required) > 0 && within(required, granted) {
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
	if at < 0 {
		s.Undecide(fmt.Sprintf("there is not a letter or digit to change in the token of %d characters", len(token)))
	}
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
