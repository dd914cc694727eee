package idempotency

import (
	"fmt"
	"strconv"
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
		b.Must(proposal.WantDone(reply))
		if b.WantEffects(0, "") == nil {
			continue // a replay of what others did
		}
		send(b, key)
		return b.WantEffects(1, "a call with this key and its repeat")
	}
	b.UndecideIf(refusal == nil, "every key of one character that was tried is in use already")
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
	said := reason(refusal, refused)
	if malformed, conflict := reasons(b); said != malformed || said == conflict {
		b.Undecide(taken)
	}
}

// reasons are what the server says of a malformed key, and of one that was used for
// another call.
func reasons(b *bench.Bench) (malformed, conflict string) {
	bad := "two words " + b.Key()
	malformed = reason(send(b, bad), bad)
	other := b.Role(roles.StateChange).Call()
	key := b.Key()
	send(b, key)
	return malformed, reason(call(b, bench.Call{Tool: other, Values: under(key)}), key)
}

// reason is what a refusal says, whatever the key was.
func reason(refusal *probe.Reply, key string) string {
	code, _ := refusal.Code()
	message, _ := refusal.At("/error/message")
	record, _, _ := proposal.Record(refusal)
	said := fmt.Sprint(refusal.Status(), " ", code, " ", message, " ", refusal.TextContent(), " ", record["code"], " ", record["message"])
	return strings.ReplaceAll(strings.ReplaceAll(said, `"`+key+`"`, ""), "'"+key+"'", "")
}

// Each malformed key is fresh where it can be: what looks like a refusal could
// otherwise be the memory of an earlier run. There is only one empty key.
func malformedKeys() []suite.Case {
	rows := []struct {
		slug, words string
		key         func(nonce string) any
	}{
		{"empty", "an empty key", func(string) any { return "" }},
		{"too-long", "a key of 129 characters", func(nonce string) any { return fill(nonce) + "k" }},
		{"space", "a key with a space", func(nonce string) any { return "a b" + nonce }},
		{"letter", "a key with a letter outside of ASCII", func(nonce string) any { return "käse" + nonce }},
		{"number", "a number as key", number},
	}
	const trial = "idempotency:malformed-keys"
	var cases []suite.Case
	for _, row := range rows {
		cases = append(cases, bench.Tried(trial, keyed("key-malformed-"+row.slug, row.words+" is rejected before anything runs",
			"ext-idempotency-key-malformed",
			"check the key first, a string of 1 to 128 characters out of A-Z a-z 0-9 _ - : . and reject others as invalid params",
			func(b *bench.Bench) error {
				quiet := bench.Quiet(b, trial, func() bench.Watched {
					w := b.Watch(b.ToolCall)
					for _, row := range rows {
						_ = b.Try(func() { send(b, row.key(b.Nonce())) }) // a header cannot hold each of them
					}
					return w
				})
				w := b.Watch(b.ToolCall)
				w.Quiet = quiet
				reply := send(b, row.key(b.Nonce()))
				b.Must(proposal.WantDeclined(reply))
				b.Must(b.WantNoEffect(w, "the rejection of a malformed key"))
				if row.slug == "empty" {
					return wantNotTaken(b, reply)
				}
				return nil
			})))
	}
	return cases
}

// wantNotTaken expects that the empty key is not refused like a key that was used for
// another call: who says that has accepted it before.
func wantNotTaken(b *bench.Bench, refusal *probe.Reply) error {
	said := reason(refusal, "")
	malformed, taken := reasons(b)
	record, _, _ := proposal.Record(refusal)
	if said != malformed && (said == taken || record["code"] == "IDEMPOTENCY_CONFLICT") {
		return refusal.Violation("%s like a key that was used for another call, want it rejected as malformed",
			refusal.AnswerTo("a call with an empty key"))
	}
	return nil
}

func number(nonce string) any {
	n, err := strconv.ParseUint(nonce, 36, 64)
	if err != nil {
		return 17
	}
	return int(n % 1_000_000)
}

// independent pairs keys that a careless store takes for one.
func independent() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, words, fix string
		keys             func(one, other string) (string, string)
	}{
		{
			"keys", "two keys", "tell operations apart by their keys, not by their arguments",
			func(one, other string) (string, string) { return "kit" + one, "kit" + other },
		},
		{
			"last-character", "two keys of 128 characters that differ in the last one",
			"compare the whole key, and keep it in a column that is wide enough",
			func(one, _ string) (string, string) {
				common := fill(one)[:longest-1]
				return common + "1", common + "2"
			},
		},
		{
			"letter-case", "two keys that differ in letter case", "compare keys character by character, without folding letters",
			func(one, _ string) (string, string) { return "kit" + one, "KIT" + strings.ToUpper(one) },
		},
	} {
		cases = append(cases, keyed("keys-independent-"+row.slug, "equal calls with "+row.words+" have two effects",
			"ext-idempotency-keys-independent", row.fix, func(b *bench.Bench) error {
				one, other := row.keys(b.Nonce(), b.Nonce())
				return wantTwo(b, one, other)
			}))
	}
	return cases
}

func wantTwo(b *bench.Bench, one, other string) error {
	for i, key := range []string{one, other} {
		reply := send(b, key)
		if i == 0 {
			b.Require(proposal.WantDone(reply), "a call with such a key is not served: "+reply.Outcome())
		}
		b.Must(proposal.WantDone(reply))
		if replayed(b, reply) {
			return b.Said.Violation("a call with a key of its own is marked as a replay, want was_replay false or no such property")
		}
	}
	return b.WantEffects(2, "equal calls with two keys")
}
