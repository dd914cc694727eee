package idempotency

import (
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Each malformed key is fresh where it can be: what looks like a refusal could
// otherwise be the memory of an earlier run. There is only one empty key.
func malformedKeys() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, words string
		key         func(nonce string) any
	}{
		{"empty", "an empty key", func(string) any { return "" }},
		{"too-long", "a key of 129 characters", func(nonce string) any { return fill(nonce) + "k" }},
		{"space", "a key with a space", func(nonce string) any { return "a b" + nonce }},
		{"letter", "a key with a letter outside of ASCII", func(nonce string) any { return "käse" + nonce }},
		{"number", "a number as key", number},
	} {
		cases = append(cases, keyed("key-malformed-"+row.slug, row.words+" is rejected before anything runs", "ext-idempotency-key-malformed",
			"check the key first, a string of 1 to 128 characters out of A-Z a-z 0-9 _ - : . and reject others as invalid params",
			func(b *bench.Bench) error {
				reply := send(b, row.key(b.Nonce()))
				if err := proposal.WantDeclined(reply); err != nil {
					return err
				}
				if err := b.WantEffects(0, "the rejection of a malformed key"); err != nil || row.slug != "empty" {
					return err
				}
				mayBeTaken(b, reply, "")
				return nil
			}))
	}
	return cases
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
		if err := proposal.WantDone(reply); err != nil && i == 0 {
			b.Undecide("a call with such a key is not served: " + reply.Outcome())
		} else if err != nil {
			return err
		}
		if marked(b, reply) {
			return b.Said.Violation("a call with a key of its own is marked as a replay, want was_replay false or no such property")
		}
	}
	return b.WantEffects(2, "equal calls with two keys")
}
