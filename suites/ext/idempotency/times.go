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
			"let an entry of the store run out idempotency_ttl_seconds after it was made, which is a number of seconds", ttlHonoured)),
		bench.In(suite.Waits, keyed("ttl-default", "a key without a time to live is kept well beyond a retry", "ext-idempotency-ttl-default",
			"keep a key for 86400 seconds when the call does not say how long", ttlDefault)),
	}
}

// lifetime is the time to live that is asked for, in seconds, and the margin
// after which it surely is over. A configuration with short default lifetimes
// stands for a server with an exact clock.
func lifetime(w probe.Waits) (seconds int, margin time.Duration) {
	const most, least, longest = 4, time.Second / 2, 2 * time.Second
	seconds = max(1, min(most, int(w.DefaultTTL/time.Second)))
	return seconds, max(least, min(longest, w.DefaultTTL/2))
}

func ttlHonoured(b *bench.Bench) error {
	seconds, margin := lifetime(b.Waits())
	ttl := time.Duration(seconds) * time.Second
	key, began := remembered(b, seconds)
	keptUntil(b, key, seconds, began)
	proposal.Pause(b.Client, ttl+margin)
	late := call(b, bench.Call{Values: under(key).With(lifespan, seconds)})
	// To forget too early makes a retry act twice; to remember for longer does no harm,
	// and neither does the rejection of a key that is over.
	if proposal.Declined(late) {
		return probe.AtMostWarn(proposal.WantDone(late))
	}
	b.Must(proposal.WantDone(late))
	if replayed(b, late) {
		return b.Said.Violation("a call %s after the last one is marked as a replay, want a new call after a time to live of %s",
			ttl+margin, ttl).AtMostWarn()
	}
	return probe.AtMostWarn(b.WantEffects(2, fmt.Sprintf("calls before and after a time to live of %s", ttl)))
}

// keptUntil repeats the call when a good half of the time to live is over. A clock that counts
// whole seconds may end it by one of four early.
func keptUntil(b *bench.Bench, key string, seconds int, began time.Time) {
	ttl := time.Duration(seconds) * time.Second
	const part, whole = 3, 5
	proposal.Pause(b.Client, max(0, ttl*part/whole-time.Since(began)))
	call(b, bench.Call{Values: under(key).With(lifespan, seconds)})
	if passed := time.Since(began); passed < ttl-ttl/4 {
		b.Must(b.WantEffects(1, fmt.Sprintf("a call with a time to live of %s and its repeat %s later", ttl, passed.Round(time.Second/10))))
	}
}

// lifespan is the property that says how long a key is kept, in seconds.
const lifespan = "idempotency_ttl_seconds"

// remembered makes a call with a time to live and repeats it at once. A server
// that is too slow to be asked again in time is tried anew.
func remembered(b *bench.Bench, seconds int) (key string, began time.Time) {
	for range 3 {
		b.Earlier = b.Before(b.ToolCall)
		key, began = b.Key(), time.Now()
		for i := range 2 {
			reply := call(b, bench.Call{Values: under(key).With(lifespan, seconds)})
			if i == 0 { // what the repeat is answered with is the rule of same-result
				b.Must(proposal.WantDone(reply))
			}
		}
		err := b.WantEffects(1, fmt.Sprintf("a call with %s %d, a number of seconds, and its immediate repeat", lifespan, seconds))
		if err == nil || time.Since(began) < time.Duration(seconds)*time.Second/2 {
			b.Must(err)
			return key, began
		}
	}
	b.Undecide("the server answers too slowly for a time to live this short")
	return "", began
}

func ttlDefault(b *bench.Bench) error {
	key := b.Key()
	spend(b, key)
	proposal.Pause(b.Client, b.Waits().DefaultTTL)
	wait := b.Waits().DefaultTTL
	return repeat(b, bench.Call{Values: under(key)}, fmt.Sprintf("a call without a time to live and its repeat %s later", wait))
}

func malformedLifetimes() []suite.Case {
	rows := []struct {
		slug, words string
		ttl         any
	}{
		{"text", "a time to live given as a string", "10"},
		{"zero", "a time to live of zero", 0},
		{"negative", "a negative time to live", -5},
		{"fraction", "a time to live with a fraction", 1.5},
	}
	const trial = "idempotency:malformed-lifetimes"
	made := func(b *bench.Bench, ttl any) bench.Call {
		return bench.Call{Values: under(b.Key()).With(lifespan, ttl)}
	}
	var cases []suite.Case
	for _, row := range rows {
		cases = append(cases, bench.Tried(trial, keyed("ttl-malformed-"+row.slug, row.words+" is rejected or ignored",
			"ext-idempotency-ttl-malformed",
			"check idempotency_ttl_seconds before the tool runs, and reject all but positive integers as invalid params",
			func(b *bench.Bench) error {
				quiet := bench.Quiet(b, trial, func() bench.Watched {
					w := b.Watch(b.ToolCall)
					for _, row := range rows {
						_ = b.Try(func() { call(b, made(b, row.ttl)) })
					}
					return w
				})
				w, made := b.Watch(b.ToolCall), made(b, row.ttl)
				b.Earlier, w.Quiet = w.Before, quiet
				reply := call(b, made)
				if proposal.Declined(reply) {
					return b.WantNoEffect(w, "the rejection of "+row.words)
				}
				if !proposal.Done(reply) {
					return reply.Violation("%s, want an error or its result", reply.AnswerTo("a call with "+row.words))
				}
				b.Must(b.WantEffects(1, "a call with "+row.words))
				// Without a time to live a key is kept for a day.
				call(b, made)
				return b.WantEffects(1, "a call with "+row.words+" and its repeat")
			})))
	}
	return cases
}

func timestamps() []suite.Case {
	return []suite.Case{
		keyed("original-timestamp", "a replay says when the first call was made, in RFC 3339 format", "ext-idempotency-original-timestamp",
			"write _meta.original_timestamp of a replay as a string like 2026-08-20T10:00:03Z", originalTimestamp),
		bench.In(suite.Waits, keyed("original-timestamp-moment", "the original timestamp is the moment of the first call",
			"ext-idempotency-original-timestamp",
			"store the moment of the first call with its key, in UTC or with its offset", originalTimestampMoment)),
		bench.In(suite.Waits, keyed("original-timestamp-stable", "the original timestamp is the same on every replay",
			"ext-idempotency-original-timestamp",
			"answer replays with the stored moment of the first call, not with that of the answer", originalTimestampStable)),
	}
}

// The schema of the proposal makes no property of the answer mandatory, so that
// a missing one is worth a warning.
func originalTimestamp(b *bench.Bench) error {
	_, repeat := pair(b, b.Key())
	stamp, ok := property(b, repeat, "original_timestamp")
	if !ok {
		return repeat.Violation("$.result._meta.original_timestamp of the repeat is absent, want the moment of the first call").AtMostWarn()
	}
	if problem := b.Client.ExtensionProblem("idempotency", "DateTime", "", stamp.Value); problem != "" {
		return repeat.Violation("%s of the repeat is %s, want a moment in RFC 3339 format", stamp.Place, probe.Show(stamp.Value))
	}
	return proposal.Agree(repeat, "original_timestamp", stamp)
}

// Many clocks are read in whole seconds, so that one has to pass before a clock says
// another time. Where two times are compared, each may be rounded, or come from another
// machine: so two pass, and slack is left.
const (
	tick  = 1100 * time.Millisecond
	apart = 2100 * time.Millisecond
	slack = 1600 * time.Millisecond
)

// A server may read the moment when it is first asked for it, or keep the last one of
// all keys: so time passes, and another key comes, before the repeat.
func originalTimestampMoment(b *bench.Bench) error {
	key, other := b.Key(), b.Key()
	began := b.Now()
	first := spend(b, key)
	ended := b.Now()
	proposal.Pause(b.Client, apart)
	more := works(b, other)
	repeat := replay(b, key)
	now := b.Now()
	stamp, ok := locate(b, repeat, "original_timestamp")
	b.NotSeenIf(!ok, "the replay has no original_timestamp")
	at, ok := proposal.Moment(stamp.Value)
	b.UndecideIf(!ok, "original_timestamp is not in RFC 3339 format")
	// Where the server tells its own time, in the Date header of HTTP, that clock counts.
	earliest := proposal.Clock(first, ended).Add(began.Sub(ended) - proposal.Tolerance)
	latest := proposal.Clock(repeat, now).Add(proposal.Tolerance)
	if at.Before(earliest) || at.After(latest) {
		return repeat.Violation("%s of the repeat is %s, want a moment between %s and %s", stamp.Place, probe.Show(stamp.Value),
			earliest.UTC().Format(time.RFC3339), latest.UTC().Format(time.RFC3339))
	}
	if told, ok := locate(b, first, "original_timestamp"); ok {
		then, ok := proposal.Moment(told.Value)
		if ok && at.Sub(then).Abs() > ended.Sub(began)+slack {
			return probe.Shown(first, repeat).Violation("%s of the repeat is %s, want %s as on the first call",
				stamp.Place, probe.Show(stamp.Value), probe.Show(told.Value))
		}
	}
	if !more {
		return nil // there is no other moment to compare with
	}
	return wantEarlier(b, repeat, at, other)
}

// works spends a key, and reports whether the call had a result: it may have one only once.
func works(b *bench.Bench, key string) bool {
	return b.Try(func() { spend(b, key) }) == nil
}

// wantEarlier expects that a moment lies before that of a later call. Both are told by
// the server, whose clock may be anything.
func wantEarlier(b *bench.Bench, repeat *probe.Reply, at time.Time, later string) error {
	last := replay(b, later)
	stamp, _ := locate(b, last, "original_timestamp")
	then, ok := proposal.Moment(stamp.Value)
	if !ok || then.Sub(at) > slack {
		return nil
	}
	return probe.Shown(repeat, last).Violation("%s of two replays is %s and %s, want moments %s apart, like the first calls",
		stamp.Place, at.Format(time.RFC3339Nano), then.Format(time.RFC3339Nano), apart)
}

func originalTimestampStable(b *bench.Bench) error {
	key := b.Key()
	_, repeat := pair(b, key)
	proposal.Pause(b.Client, tick)
	again := replay(b, key)
	one, ok := locate(b, repeat, "original_timestamp")
	other, too := locate(b, again, "original_timestamp")
	b.NotSeenIf(!ok || !too, "not every replay has an original_timestamp")
	at, read := proposal.Moment(one.Value)
	then, readToo := proposal.Moment(other.Value)
	if probe.Same(one.Value, other.Value) || read && readToo && at.Equal(then) {
		return nil
	}
	return probe.Shown(repeat, again).Violation("%s of the second replay is %s, want %s as on the first",
		other.Place, probe.Show(other.Value), probe.Show(one.Value))
}
