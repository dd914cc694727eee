package sessionstate

import (
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func refusals() []suite.Case {
	const garbage, tamper = "ext-state-garbage-refused", "ext-state-tamper-refused"
	const decode = "decode the token first; if that fails, answer with a tool error of the category invalid_input, " +
		"and suggest to call again without a token"
	const sign = "sign or encrypt what the token holds, and check the whole of it before anything is used"
	return []suite.Case{
		stateful("undecodable-rejected", "a token that cannot be decoded is rejected", garbage, decode,
			func(x *carrier) error { return x.rejects("@@@", "the token @@@") }),
		stateful("number-rejected", "a number in place of a token is rejected", garbage, decode,
			func(x *carrier) error { return x.rejects(42, "the number 42 as token") }),
		stateful("empty-handled", "an empty token is rejected, or counts as none", garbage, decode, emptyHandled),
		stateful("altered-rejected", "a token with a changed character is rejected", tamper, sign, func(x *carrier) error {
			token, ok := altered(x.take())
			x.NotSeenIf(!ok, "the token has no letter or digit to change")
			return x.forged(token, "a token of which one character was changed")
		}),
		stateful("rewritten-rejected", "a token whose content was rewritten is rejected", tamper, sign, rewrittenRejected),
		stateful("oversize-rejected", "a token beyond 64 KiB is rejected, and the server answers further calls", "ext-state-oversize-refused",
			"look at the length of the token before decoding it, and answer with a tool error", oversize),
		bench.In(suite.Waits, stateful("stale-recoverable", "a token beyond its end is rejected, and a call without one begins anew",
			"ext-state-stale-recoverable", "compare the end of the session with the clock, and suggest to call again without a token", stale)),
		stateful("other-caller-rejected", "a token of one caller does not work for another", "ext-state-not-cross-user",
			"put the authenticated caller under the signature of the token, and compare it", otherCaller,
			suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second")),
	}
}

// rejects expects that the second call is refused with a bad token. A record with the
// refusal tells what is wrong.
func (x *carrier) rejects(token any, what string) error {
	x.usable()
	reply := x.call("second", token)
	if err := proposal.WantDeclined(reply); err != nil {
		return reply.Violation("%s, want a refusal", reply.AnswerTo("the second call with "+what))
	}
	return x.category(reply)
}

// category warns of a record that says something else than that the input is wrong. A
// token that has ended may be told like one of a login.
func (x *carrier) category(reply *probe.Reply) error {
	record, place, ok := proposal.Record(reply)
	category := probe.TextOf(record["category"])
	ended := category == "auth_required" && strings.Contains(probe.TextOf(record["code"]), "EXPIRED")
	switch {
	case !ok:
	case category != "invalid_input" && !ended:
		return reply.Violation("category of the record in %s is %s, want invalid_input", place, probe.Show(record["category"])).AtMostWarn()
	case record["suggestion"] == nil:
		x.Note("the record has no suggestion, such as to call again without a token")
	}
	return nil
}

// usable ends the case where tokens do nothing: then a bad one does nothing either.
func (x *carrier) usable() {
	token := x.take()
	reply := x.call("second", token)
	x.Require(proposal.WantDone(reply), "the second call has no result with a good token, which ext-session-state/continues judges")
	if want, known := x.role.Fields().Any("expect"); known && !fits(answer(reply), want) {
		x.Undecide("tokens have no effect, which ext-session-state/continues judges")
	}
}

func emptyHandled(x *carrier) error {
	reply := x.call("second", "")
	if proposal.Done(reply) {
		x.Note("an empty token counts as none")
		return nil
	}
	if !proposal.Declined(reply) {
		return reply.Violation("%s, want a refusal, or the answer to a call without a token",
			reply.AnswerTo("the second call with an empty token"))
	}
	return nil
}

// forged expects that a token which the server did not issue is refused. A server that
// starts anew does not trust it either.
func (x *carrier) forged(token, what string) error {
	x.usable()
	reply := x.call("second", token)
	if proposal.Declined(reply) {
		return nil
	}
	return x.trusted(reply, what)
}

func (x *carrier) trusted(reply *probe.Reply, what string) error {
	broken := x.Said.Violation("%s, want a refusal", reply.AnswerTo("the second call with "+what))
	if !proposal.Done(reply) {
		return broken
	}
	if fresh := x.call("second", nil); proposal.Done(fresh) && probe.Same(proposal.Lasting(fresh), proposal.Lasting(reply)) {
		return broken.AtMostWarn()
	}
	return broken
}

// rewrittenRejected changes all that a token holds, and then only what the second call tells
// of it: a server without a signature may still look whose token it is, and when it ends.
func rewrittenRejected(x *carrier) error {
	token := x.take()
	told := answer(x.call("second", token))
	whole, opens := rewritten(token)
	part, shows := retold(token, told)
	x.NotSeenIf(!opens && !shows, "the token is not base64 of a JSON object, nor of what the second call tells, so that a client cannot "+
		"rewrite it")
	if opens {
		x.Must(x.forged(whole, "a token whose JSON was rewritten"))
	}
	if !shows {
		return nil
	}
	x.usable()
	reply := x.call("second", part)
	if !proposal.Done(reply) || probe.Same(answer(reply), told) {
		return nil
	}
	return x.trusted(reply, "a token in which what this call tells was rewritten")
}

func oversize(x *carrier) error {
	reply := x.call("second", strings.Repeat("QUJD", 70<<10/4))
	if err := proposal.WantDeclined(reply); err != nil {
		return reply.Violation("%s, want a refusal", reply.AnswerTo("the second call with a token of 70 KiB"))
	}
	if after := x.call("first", nil); !after.Answered() {
		return x.Said.Violation("%s, want an answer as before", after.AnswerTo("the first call after a token of 70 KiB was refused")).
			Unless(probe.Elsewhere{Case: "http/stream-wellformed", Why: "the answer is on a stream and cannot be read"})
	}
	return nil
}

// stale waits until the end that the session object names.
func stale(x *carrier) error {
	reply := x.call("first", nil)
	token, ok := x.token(reply)
	x.UndecideIf(!ok, noToken)
	result, _ := reply.Result()
	session, _ := state(result, "session", proposal.Explicit(x.Client, "session-state"))
	end, dated := proposal.Moment(probe.ObjectOf(session.Value)["expires_at"])
	x.NotSeenIf(!dated, "the answer names no end of the session")
	const further = time.Second
	proposal.Pause(x.Client, max(0, end.Sub(proposal.Clock(reply, x.Now())))+further)
	late := x.call("second", token)
	if proposal.WantDeclined(late) != nil {
		return x.Said.Violation("%s, want a refusal", late.AnswerTo("the second call with a token beyond expires_at"))
	}
	anew := x.call("first", nil)
	if !proposal.Done(anew) {
		return x.Said.Violation("%s, want a result", anew.AnswerTo("a call without a token after one with a stale token"))
	}
	return x.category(late)
}

func otherCaller(x *carrier) error {
	x.Caller = bench.Entitled(x.Client)
	x.usable()
	token := x.take()
	x.Caller = x.As("second")
	plain := x.call("first", nil)
	x.Require(proposal.WantDone(plain), "the other caller may not make the call without a token either: "+plain.Outcome())
	reply := x.call("second", token)
	if !proposal.Done(reply) {
		return nil
	}
	if fresh := x.call("second", nil); proposal.Done(fresh) && probe.Same(proposal.Lasting(fresh), proposal.Lasting(reply)) {
		x.Note("a token of another caller counts as none")
		return nil
	}
	return x.Said.Violation("%s, want a refusal", reply.AnswerTo("the second call with a token of another caller"))
}
