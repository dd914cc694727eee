package mrtr

import (
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const noOutcome = "the result of the tool does not show what was answered"

// stateCases bring back states that were changed, or that belong elsewhere.
func stateCases() []suite.Case {
	const guard = "sign requestState, or encrypt it with authentication, and reject what fails verification"
	own := suite.Role(roles.InputRequired)
	tampered := []requirements.ID{"mrtr-tampered-state-rejected"}
	return []suite.Case{
		{
			ID: "mrtr/state-flipped", Title: "a requestState with another letter changes no outcome", Checks: tampered,
			Needs: []suite.Need{own}, Fix: guard,
			Run: func(c *probe.Client) error { return tamper(c, flipped) },
		},
		{
			ID: "mrtr/state-cut", Title: "a requestState that was cut changes no outcome", Checks: tampered,
			Needs: []suite.Need{own}, Fix: guard,
			Run: func(c *probe.Client) error { return tamper(c, cut) },
		},
		{
			ID: "mrtr/state-dropped", Title: "a retry without its requestState has no other outcome than with it", Checks: tampered,
			Needs: []suite.Need{own}, Fix: "take answers without the requestState that belongs to them for a first request, or reject them",
			Run: dropped,
		},
		{
			ID: "mrtr/state-forged", Title: "what a client writes into requestState is not believed", Checks: tampered,
			Needs: []suite.Need{own}, Fix: guard, Run: forged,
		},
		{
			ID:     "mrtr/state-of-another-caller",
			Title:  "a requestState is rejected when another caller brings it",
			Checks: []requirements.ID{"mrtr-state-principal"},
			Needs:  []suite.Need{suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"), own},
			Fix:    "put the caller into the signed requestState, and compare it with that of the retry",
			Run:    anotherCaller,
		},
		{
			ID:     "mrtr/state-expired",
			Title:  "a requestState is rejected after its lifetime",
			Checks: []requirements.ID{"mrtr-state-expiry"},
			Needs:  []suite.Need{own, suite.Role(roles.InputRequired, "lifetime")},
			Fix:    "put the end of its lifetime into the signed requestState, and look at it in the retry",
			Lane:   suite.Waits,
			Run:    expired,
		},
		{
			ID:     "mrtr/state-of-another-request",
			Title:  "a requestState is rejected in a call with other arguments",
			Checks: []requirements.ID{"mrtr-state-request-binding"},
			Needs:  []suite.Need{own, suite.Role(roles.InputRequired, "other-arguments")},
			Fix: "put the method and a digest of the arguments that matter into the signed requestState, and compare them with those of the " +
				"retry",
			Run: anotherRequest,
		},
		{
			ID:     "mrtr/retry-elsewhere",
			Title:  "a call can be completed over another connection than it began on",
			Checks: []requirements.ID{"mrtr-retry-self-contained"},
			Needs:  []suite.Need{suite.Over(requirements.HTTP), own},
			Fix:    "put all that the retry needs into requestState, instead of the memory of a connection",
			Run:    elsewhere,
		},
	}
}

// stateOf is the state of a result that asks, and whether it has one.
func stateOf(reply *probe.Reply) string {
	state, _ := reply.At(stateAt)
	return probe.TextOf(state)
}

// tamper brings changed states. It fails only where the result shows the answers of the kit in
// another result than usual: what a tool says of a state that it rejects is its own business.
// A state that was rejected is used again.
func tamper(c *probe.Client, changes func(state, seed string) []string) error {
	o := tool(c)
	rounds, usual := o.stateful()
	c.NotSeenIf(!usual.Shows, noOutcome)
	seed := c.Nonce()
	reply := o.last(rounds)
	for i := range changes(stateOf(reply), seed) {
		all := changes(stateOf(reply), seed) // another state may be shorter
		if i >= len(all) {
			break
		}
		answer := o.retry(o.bring(reply).With("requestState", all[i]))
		if o.strange(answer, usual) {
			return probe.Shown(reply, answer).Violation(
				"with the requestState changed the call ends as no call with the state as it was, want an error, another question or the same outcome")
		}
		if answer.Succeeded() && !asks(answer) {
			reply = o.last(rounds)
		}
	}
	return nil
}

// strange reports whether a reply is an outcome with the answers of the kit, and not the usual one.
func (o operation) strange(reply *probe.Reply, usual questions.Shape) bool {
	got := questions.Outcome(reply, o.mark)
	return reply.Succeeded() && !asks(reply) && got.Shows && got != usual
}

// dropped leaves the state out, and brings the last answers.
func dropped(c *probe.Client) error {
	o := tool(c)
	rounds, usual := o.stateful()
	c.NotSeenIf(!usual.Shows, noOutcome)
	reply := o.last(rounds)
	if answer := o.retry(o.bring(reply).Without("requestState")); o.strange(answer, usual) {
		return probe.Shown(reply, answer).Violation(
			"without its requestState the call ends as no call with it, want an error, another question or the same outcome")
	}
	return nil
}

// flips is how many letters of a state are changed, one in each try.
const flips = 24

// flipped are states with one bit of a letter or digit changed, all over the state. The new
// character is a letter or digit as well, so that the state can still be decoded.
func flipped(state, seed string) []string {
	var all []string
	step := max(1, len(state)/flips)
	for i := int(seed[0]) % step; i < len(state); i += step {
		for bit := range 5 {
			if other := state[i] ^ (1 << ((bit + int(seed[1])) % 5)); kindOf(other) == kindOf(state[i]) && kindOf(other) > 0 {
				all = append(all, state[:i]+string(rune(other))+state[i+1:])
				break
			}
		}
	}
	return all
}

// kindOf tells letters, capitals and digits apart.
func kindOf(char byte) int {
	switch {
	case char >= 'a' && char <= 'z':
		return 1
	case char >= 'A' && char <= 'Z':
		return 2
	case char >= '0' && char <= '9':
		return 3
	}
	return 0
}

// cut are states without their end.
func cut(state, _ string) []string {
	var all []string
	for _, left := range []int{len(state) - 1, len(state) - 4, len(state) / 2, len(state) / 4} {
		if left > 0 && state[left-1] < 0x80 {
			all = append(all, strings.ToValidUTF8(state[:left], ""))
		}
	}
	return all
}

// forged changes an earlier answer within a state that can be read.
func forged(c *probe.Client) error {
	o := tool(c)
	rounds, usual := o.stateful()
	c.NotSeenIf(!usual.Shows, noOutcome)
	reply := o.last(rounds)
	other := "kit-" + c.Nonce()
	state, found := rewritten(stateOf(reply), o.mark, other)
	c.NotSeenIf(!found, "no earlier answer can be read in the requestState")
	answer := o.retry(o.bring(reply).With("requestState", state))
	if answer.Succeeded() && !asks(answer) && questions.Outcome(answer, other).Shows {
		return probe.Shown(reply, answer).Violation(
			"the result shows %s, which nobody answered and the client wrote into requestState, want an error", probe.Show(other))
	}
	return nil
}

// anotherCaller has a second caller go on where the first was asked.
func anotherCaller(c *probe.Client) error {
	o := tool(c)
	rounds, usual := o.stateful()
	second := o.on(able(c.As("second")))
	second.begin() // it may make the call itself
	reply := o.last(rounds)
	if answer := second.retry(o.bring(reply)); o.takes(answer, usual) {
		return probe.Shown(reply, answer).Violation(
			"the requestState of one caller is taken from principals.second, want an error or another question")
	}
	return nil
}

// expired waits a little longer than the configuration says: some states count whole seconds.
func expired(c *probe.Client) error {
	lifetime := c.Role(roles.InputRequired).Fields().Duration("lifetime", 0)
	c.NotSeenIf(lifetime > c.Waits().Max, "roles.input-required.lifetime is longer than wait.max")
	o := tool(c)
	rounds, usual := o.stateful()
	reply := o.last(rounds)
	c.Pause(lifetime + lifetime/10 + time.Second)
	if answer := o.retry(o.bring(reply)); o.takes(answer, usual) {
		return probe.Shown(reply, answer).Violation("a requestState is taken %s after it was sent, want an error or another question",
			lifetime+lifetime/10+time.Second)
	}
	return nil
}

func anotherRequest(c *probe.Client) error {
	call := c.Role(roles.InputRequired).Call()
	o := toolOf(c, call)
	other := toolOf(c, call.Using("other-arguments")).marked(o.mark)
	rounds, usual := o.stateful()
	_, others := other.usual()
	reply := o.last(rounds)
	if answer := other.retry(o.bring(reply)); o.takes(answer, usual) || o.takes(answer, others) {
		return probe.Shown(reply, answer).Violation(
			"the requestState of a call is taken in a call with other arguments, want an error or another question")
	}
	return nil
}

// elsewhere begins on one connection and goes on over another: the two share nothing, not even
// a TCP connection.
func elsewhere(c *probe.Client) error {
	o := tool(c)
	o = o.on(able(c.Opened()))
	_, usual := o.usual()
	reply := o.begin()
	end := o.on(able(c.Opened())).onward(reply).end
	if o.takes(end, usual) {
		return nil
	}
	return probe.Shown(reply, end).Violation("over another connection the retry ends with %s, want the outcome that it has over the first one",
		end.Outcome())
}
