package idempotency

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// longest is how many characters a key may have.
const longest = 128

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func charset() []suite.Case {
	checks := []requirements.ID{"ext-idempotency-key-charset"}
	cases := []suite.Case{{
		ID:       "ext-idempotency/key-charset-one-character",
		Title:    "a key of one character is accepted",
		Checks:   checks,
		Needs:    keys(),
		Observes: roles.StateChange,
		Fix:      "accept keys of one character and more",
		Run:      on(oneCharacter),
	}}
	for _, row := range []struct {
		slug, title, fix string
		key              func(nonce string) string
	}{
		{"longest", "a key of 128 characters is accepted", "accept keys of up to 128 characters", fill},
		{
			"punctuation", "a key may hold letters of both cases, digits, underscore, hyphen, colon and dot",
			"allow exactly A-Z, a-z, 0-9 and the characters _ - : . in keys", func(nonce string) string { return "A-z_0:9.x" + nonce },
		},
	} {
		cases = append(cases, keyed("key-charset-"+row.slug, row.title, "ext-idempotency-key-charset",
			row.fix, func(b *bench.Bench) error {
				return runsOnce(b, bench.Call{Values: under(row.key(b.Nonce()))}, "a call with this key and its repeat")
			}))
	}
	return cases
}

// fill makes a key that is as long as a key may be, and fresh from the start
// on: some servers cut keys.
func fill(nonce string) string { return nonce + strings.Repeat("k", longest-len(nonce)) }

// There are few keys of one character, and others may have used some of them:
// what is refused once, or replayed, may be somebody else's, so that several
// are tried.
func oneCharacter(b *bench.Bench) error {
	var refusal *probe.Reply
	var refused string
	for _, key := range someLetters(b.Nonce()) {
		reply := send(b, key)
		if proposal.Declined(reply) {
			refusal, refused = reply, key
			continue
		}
		if err := proposal.WantDone(reply); err != nil {
			return err
		}
		if b.WantEffects(0, "") == nil {
			continue // a replay of what others did
		}
		send(b, key)
		return b.WantEffects(1, "a call with this key and its repeat")
	}
	if refusal == nil {
		b.Undecide("every key of one character that was tried is in use already")
	}
	mayBeTaken(b, refusal, refused)
	return refusal.Violation("%s, want its result", refusal.AnswerTo(fmt.Sprintf("a call with the key %q", refused)))
}

// someLetters picks a few different characters by the seed.
func someLetters(nonce string) []string {
	var some []string
	for i, r := range nonce {
		at := (int(r)*31 + i*17) % len(letters)
		if one := letters[at : at+1]; len(some) < 8 && !strings.Contains(strings.Join(some, ""), one) {
			some = append(some, one)
		}
	}
	return some
}

// mayBeTaken ends the case undecided where a key may have been refused because others used
// it: unless it is refused like a key that is malformed, and otherwise than one
// that was used for another call.
func mayBeTaken(b *bench.Bench, refusal *probe.Reply, refused string) {
	const taken = "a key that is not fresh was rejected, perhaps because others have used it"
	if record, _, ok := proposal.Record(refusal); ok && record["code"] == "IDEMPOTENCY_CONFLICT" {
		b.Undecide(taken)
	}
	bad := "two words " + b.Key()
	malformed := send(b, bad)
	other := b.Role(roles.StateChange).Call()
	key := b.Key()
	send(b, key)
	conflict := call(b, bench.Call{Tool: other, Values: under(key)})
	said := reason(refusal, refused)
	if said != reason(malformed, bad) || said == reason(conflict, key) {
		b.Undecide(taken)
	}
}

// reason is what a refusal says, whatever the key was.
func reason(refusal *probe.Reply, key string) string {
	code, _ := refusal.Code()
	message, _ := refusal.At("/error/message")
	record, _, _ := proposal.Record(refusal)
	said := fmt.Sprint(refusal.Status(), " ", code, " ", message, " ", refusal.TextContent(), " ", record["code"], " ", record["message"])
	return strings.ReplaceAll(strings.ReplaceAll(said, `"`+key+`"`, ""), "'"+key+"'", "")
}
