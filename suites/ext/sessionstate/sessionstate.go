// Package sessionstate holds the cases of the session-state proposal: the state of a
// client's work travels with the client, as a token that only the server can read.
package sessionstate

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-session-state",
		Title:     "the state of a client's work travels with the client, as a token",
		Extension: proposal.Extension("session-state"),
		Cases:     slices.Concat(tokens(), carriage(), refusals(), sessions()),
	}
}

// stateful is a case about calls that share a state.
func stateful(slug, title string, rule requirements.ID, fix string, run func(*carrier) error, more ...suite.Need) suite.Case {
	needs := append([]suite.Need{suite.Role(roles.SessionState)}, more...)
	return bench.Case("ext-session-state/"+slug, title, rule, fix, bench.After(begin, run), needs...)
}

// expecting are the needs of a case that knows what the second call answers.
func expecting() suite.Need {
	return suite.Either(suite.Role(roles.SessionState, "expect"), suite.Role(roles.SessionState, "by-token"))
}

// A carrier is a client that carries tokens from one call to the next.
type carrier struct {
	*bench.Bench
	role *probe.Role
}

// begin learns where the server reads tokens.
func begin(c *probe.Client) *carrier {
	x := &carrier{bench.New(c), calls(c)}
	x.Dialect = proposal.LearnDialect(c, "session-state", []proposal.Dialect{proposal.Beside}, x.try)
	x.Dialect.NoteOlder(c, "tokens", map[proposal.Dialect]string{proposal.Beside: "params.session_state"}, "_meta.session_state")
	return x
}

// calls is what of the role makes the two calls: state that is carried by a handle among
// the arguments says nothing about tokens.
func calls(c *probe.Client) *probe.Role {
	role := c.Role(roles.SessionState)
	if role.Fields().At("by-token") != nil {
		return role.Part("by-token")
	}
	second, _ := role.Fields().At("second").Call()
	c.NotSeenIf(roles.Mentions(second.Arguments, "result"), "the second call of roles.session-state carries the result of the first one "+
		"among its arguments; roles.session-state.by-token names calls that share a state by the token alone")
	return role
}

// try reports whether the second call continues where the first one stopped.
func (x *carrier) try(d proposal.Dialect) (read, accepted bool) {
	token, ok := x.token(x.call("first", nil))
	if !ok {
		return true, true // there is nothing to send, which token-returned judges
	}
	reply := x.StartCall(bench.Call{Tool: x.role.Field("second"), Dialect: d, Values: carrying(token)}).Reply()
	if !proposal.Done(reply) {
		return false, !proposal.Declined(reply)
	}
	if want, known := x.role.Fields().Any("expect"); known {
		return fits(answer(reply), want), true
	}
	return !probe.Same(answer(reply), answer(x.call("second", nil))), true
}

func carrying(token any) probe.Object { return probe.Object{"session_state": token} }

// call makes one of the two calls with a token; nil for none.
func (x *carrier) call(field string, token any) *probe.Reply {
	call := bench.Call{Tool: x.role.Field(field)}
	if token != nil {
		call.Values = carrying(token)
	}
	return x.MakeCall(call)
}

// fits reports whether an answer is the one that the configuration expects. Structured
// content with one property says what that property says.
func fits(got, want any) bool { return probe.Same(got, want) || probe.Same(within(got), want) }

// within is the value of the only property of an object; any other value is itself.
func within(v any) any {
	if object := probe.ObjectOf(v); len(object) == 1 {
		for _, only := range object {
			return only
		}
	}
	return v
}

// answer is what a call tells of the state.
func answer(reply *probe.Reply) any {
	result, _ := reply.Result()
	return probe.Payload(result)
}

// take makes the first call and gives its token. That there is one is the rule of
// token-returned.
func (x *carrier) take() string {
	reply := x.call("first", nil)
	x.Require(proposal.WantDone(reply), "the first call of roles.session-state had no result: "+reply.Outcome())
	token, ok := x.token(reply)
	if ok {
		return token
	}
	result, _ := reply.Result()
	found, there := state(result, "session_state", proposal.Explicit(x.Client, "session-state"))
	x.UndecideIf(there, "session_state is "+probe.Show(found.Value)+", which ext-session-state/token-returned judges")
	x.Undecide(noToken)
	return ""
}

// noToken may be said of a server that passes token-returned, where only some calls get one.
const noToken = "the first call of roles.session-state got no token this time; a server that passes ext-session-state/token-returned " +
	"has given one to another client, so look whether each client gets its own"

// token is the one that an answer gives; a session object has it as well.
func (x *carrier) token(reply *probe.Reply) (string, bool) {
	result, _ := reply.Result()
	explicit := proposal.Explicit(x.Client, "session-state")
	if found, ok := state(result, "session_state", explicit); ok {
		token, text := found.Value.(string)
		return token, text && token != ""
	}
	session, _ := state(result, "session", explicit)
	token := probe.TextOf(probe.ObjectOf(session.Value)["state"])
	return token, token != "" && isSession(session.Value)
}

// state finds a property of the extension in an answer. Inside the tool's own answer it
// counts only where the server claims the extension by name.
func state(result map[string]any, name string, explicit bool) (proposal.Located, bool) {
	return proposal.Locate(result, name, "session", func(map[string]any) bool { return explicit })
}

// isSession tells a session object from what else may be called session.
func isSession(v any) bool {
	object := probe.ObjectOf(v)
	_, named := object["session_id"]
	_, held := object["state"]
	_, dated := object["created_at"]
	return named && (held || dated) || held && dated
}

// saysState reports whether a refusal speaks of the state of the session.
func saysState(reply *probe.Reply) bool {
	said := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(reply.Outcome() + reply.TextContent()))
	return strings.Contains(said, "sessionstate") || strings.Contains(said, "statetoken")
}
