package sessionstate

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// longest is how long a token is at most.
const longest = 64 << 10

func tokens() []suite.Case {
	return []suite.Case{
		stateful("token-returned", "a call that puts something into the state is answered with a token", "ext-state-token-returned",
			"put session_state, a string, into _meta of the result", tokenReturned),
		{
			ID: "ext-session-state/token-base64", Title: "a token is base64 text", Checks: checks("ext-state-token-base64"),
			Fix:  "encode the bytes of the token as base64, standard or URL-safe",
			Sees: "a token", Watch: probe.OnResult("tools/call", tokenBase64),
		},
		stateful("token-size", "a token stays within 64 KiB, however many calls it is carried through", "ext-state-token-size",
			"keep in the token what the next call needs, and the rest on the server", tokenSize),
		{
			ID: "ext-session-state/state-changed-type", Title: "state_changed is a boolean, the same in each place",
			Checks: checks("ext-state-updated"),
			Fix:    "answer state_changed with true or false, or leave it out",
			Sees:   "state_changed", Watch: probe.OnResult("tools/call", changedType),
		},
		stateful("state-changed-true", "state_changed says whether the token of the answer holds another state", "ext-state-updated",
			"compare the state before and after the call, and give out a new token when it differs", changedTrue),
	}
}

func tokenReturned(x *carrier) error {
	reply := x.call("first", nil)
	bench.PlainlyRuns(x.Client, roles.SessionState, reply)
	x.Require(proposal.WantDone(reply), "the first call of roles.session-state had no result: "+reply.Outcome())
	result, _ := reply.Result()
	found, ok := state(result, "session_state", proposal.Explicit(x.Client, "session-state"))
	token, text := found.Value.(string)
	switch {
	case ok && (!text || token == ""):
		return reply.Violation("%s is %s, want a string that only the server can read", found.Place, probe.Show(found.Value))
	case ok:
		if found.Place[0] != '_' {
			x.Note("session_state stands in " + found.Place + ", an older form; the canonical place is _meta.session_state")
		}
		return proposal.Agree(reply, "session_state", found)
	}
	if _, held := x.token(reply); held {
		x.Note("the token is state of a session object; the canonical place is _meta.session_state")
		return nil
	}
	return reply.Violation("no session_state is in the answer to a call that puts something into the state, want a token in _meta")
}

// told is a property of the extension in an answer that a watcher sees.
func told(a probe.Answer, name string) (proposal.Located, bool) {
	if found, ok := state(a.Result, name, true); !ok {
		return found, false // whatever the survey says
	}
	return state(a.Result, name, a.Survey() != nil && a.Survey().Claims["session-state"].Strength == probe.Explicit)
}

func tokenBase64(a probe.Answer) probe.Opinion {
	found, ok := told(a, "session_state")
	token, text := found.Value.(string)
	if !ok || !text || len(token) > longest {
		return probe.Nothing() // token-returned and token-size judge that
	}
	return proposal.Fits(a.Message, "session-state", "Token", found.Place, token)
}

// tokenSize carries one token through many calls. A server may refuse some of them for
// reasons of its own.
func tokenSize(x *carrier) error {
	const rounds = 20
	token := x.take()
	for n := 1; ; n++ {
		if len(token) > longest {
			return x.Said.Violation("session_state has %d bytes after %s, want %d at most", len(token), calledTimes(n), longest)
		}
		if n > rounds {
			return nil
		}
		reply := x.call("first", token)
		next, ok := x.token(reply)
		if !ok || !proposal.Done(reply) {
			return nil
		}
		token, x.Said = next, probe.Shown(reply)
	}
}

func calledTimes(n int) string {
	if n == 1 {
		return "one call"
	}
	return fmt.Sprintf("%d calls, each with the token of the one before", n)
}

func changedType(a probe.Answer) probe.Opinion {
	found, ok := told(a, "state_changed")
	if !ok {
		return probe.Nothing()
	}
	said := proposal.Fits(a.Message, "session-state", "StateChanged", found.Place, found.Value)
	if found.Disagree != "" {
		return said.And(probe.Breaks("%s is %s, and %s holds another state_changed, want the same in both places", found.Place,
			probe.Show(found.Value), found.Disagree).AtMostWarn())
	}
	return said
}

// changedToken expects a new token beside state_changed true.
func changedToken(x *carrier, reply *probe.Reply, sent string) error {
	result, _ := reply.Result()
	changed, _ := state(result, "state_changed", proposal.Explicit(x.Client, "session-state"))
	got, given := x.token(reply)
	switch {
	case changed.Value != true:
		return nil
	case !given:
		return reply.Violation("%s is true and the answer has no session_state, want the token for the next call", changed.Place)
	case got == sent:
		return reply.Violation("%s is true and session_state is the token that was sent, want a new one, or false", changed.Place)
	}
	return nil
}

// changedTrue looks at what the two tokens lead to where state_changed is false: one that
// only lasts longer holds the same state in other letters.
func changedTrue(x *carrier) error {
	before := x.take()
	reply := x.call("first", before)
	x.Require(proposal.WantDone(reply), "the first call of roles.session-state had no result with a token: "+reply.Outcome())
	result, _ := reply.Result()
	changed, ok := state(result, "state_changed", proposal.Explicit(x.Client, "session-state"))
	after, given := x.token(reply)
	x.NotSeenIf(!ok, "the answer has no state_changed")
	x.Must(changedToken(x, reply, before))
	latest := before
	if given {
		latest = after
	}
	x.Must(changedToken(x, x.call("second", latest), latest)) // which mostly changes nothing
	switch {
	case changed.Value != false || !given || after == before:
		return nil // state-changed-type judges other types
	}
	old, next := x.call("second", before), x.call("second", after)
	if proposal.Done(old) && proposal.Done(next) && !probe.Same(proposal.Lasting(old), proposal.Lasting(next)) {
		return x.Said.Violation("%s is false, and the new token leads to %s where the old one leads to %s, want true", changed.Place,
			probe.Show(answer(next)), probe.Show(answer(old)))
	}
	return nil
}
