package idempotency

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func lifetimes() []suite.Case {
	return []suite.Case{
		bench.In(suite.Waits, keyed("ttl-honoured", "a key is forgotten when its time to live is over, and not before",
			"ext-idempotency-ttl-honoured",
			"let an entry of the store run out idempotency_ttl_seconds after it was made", ttlHonoured)),
		bench.In(suite.Waits, keyed("ttl-default", "a key without a time to live is kept well beyond a retry", "ext-idempotency-ttl-default",
			"keep a key for 86400 seconds when the call does not say how long", ttlDefault)),
	}
}

// lifetime is the time to live that is asked for, in seconds, and the margin
// after which it surely is over. A configuration with short default lifetimes
// stands for a server with an exact clock.
func lifetime(w probe.Waits) (seconds int, margin time.Duration) {
	const most, least = 2, time.Second / 2
	seconds = max(1, min(most, int(w.DefaultTTL/time.Second)))
	return seconds, max(least, min(most*time.Second, w.DefaultTTL/2))
}

func ttlHonoured(b *bench.Bench) error {
	seconds, margin := lifetime(b.Waits())
	ttl := time.Duration(seconds) * time.Second
	key, err := remembered(b, seconds)
	if err != nil {
		return err
	}
	proposal.Pause(b.Client, ttl+margin)
	late := call(b, bench.Call{Values: under(key).With(lifespan, seconds)})
	// To forget too early makes a retry act twice; to remember for longer does no harm,
	// and neither does the rejection of a key that is over.
	if err := proposal.WantDone(late); proposal.Declined(late) {
		return probe.AtMostWarn(err)
	} else if err != nil {
		return err
	}
	if marked(b, late) {
		return b.Said.Violation("a call %s after the last one is marked as a replay, want a new call after a time to live of %s",
			ttl+margin, ttl).AtMostWarn()
	}
	return probe.AtMostWarn(b.WantEffects(2, fmt.Sprintf("calls before and after a time to live of %s", ttl)))
}

// lifespan is the property that says how long a key is kept, in seconds.
const lifespan = "idempotency_ttl_seconds"

// remembered makes a call with a time to live and repeats it at once. A server
// that is too slow to be asked again in time is tried anew.
func remembered(b *bench.Bench, seconds int) (key string, err error) {
	for range 3 {
		b.Earlier = b.Before(b.ToolCall)
		key = b.Key()
		began := time.Now()
		for i := range 2 {
			reply := call(b, bench.Call{Values: under(key).With(lifespan, seconds)})
			if err := proposal.WantDone(reply); err != nil && i == 0 {
				return "", err // what the repeat is answered with is the rule of same-result
			}
		}
		err = b.WantEffects(1, "a call with a time to live and its immediate repeat")
		if err == nil || time.Since(began) < time.Duration(seconds)*time.Second/2 {
			return key, err
		}
	}
	b.Undecide("the server answers too slowly for a time to live this short")
	return "", nil
}

func ttlDefault(b *bench.Bench) error {
	key := b.Key()
	spend(b, key)
	proposal.Pause(b.Client, b.Waits().DefaultTTL)
	wait := b.Waits().DefaultTTL
	return repeat(b, bench.Call{Values: under(key)}, fmt.Sprintf("a call without a time to live and its repeat %s later", wait))
}

func malformedLifetimes() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, words string
		ttl         any
	}{
		{"text", "a time to live given as a string", "10"},
		{"zero", "a time to live of zero", 0},
		{"negative", "a negative time to live", -5},
		{"fraction", "a time to live with a fraction", 1.5},
	} {
		cases = append(cases, keyed("ttl-malformed-"+row.slug, row.words+" is rejected or ignored", "ext-idempotency-ttl-malformed",
			"check idempotency_ttl_seconds before the tool runs, and reject all but positive integers as invalid params",
			func(b *bench.Bench) error {
				reply := call(b, bench.Call{Values: under(b.Key()).With(lifespan, row.ttl)})
				if proposal.Declined(reply) {
					return b.WantEffects(0, "the rejection of "+row.words)
				}
				if proposal.WantDone(reply) != nil {
					return reply.Violation("%s, want an error or its result", reply.AnswerTo("a call with "+row.words))
				}
				return b.WantEffects(1, "a call with "+row.words)
			}))
	}
	return cases
}
