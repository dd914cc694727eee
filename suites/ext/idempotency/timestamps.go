package idempotency

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

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
	problem := proposal.SchemaProblem(b.Client, "idempotency", "DateTime", "", stamp.Value)
	if problem != "" {
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
	began := time.Now()
	first := spend(b, key)
	ended := time.Now()
	proposal.Pause(b.Client, apart)
	more := works(b, other)
	repeat := replay(b, key)
	now := time.Now()
	stamp, ok := locate(b, repeat, "original_timestamp")
	if !ok {
		b.NotSeen("the replay has no original_timestamp")
	}
	at, ok := proposal.Moment(stamp.Value)
	if !ok {
		b.Undecide("original_timestamp is not in RFC 3339 format")
	}
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
	if !ok || !too {
		b.NotSeen("not every replay has an original_timestamp")
	}
	at, read := proposal.Moment(one.Value)
	then, readToo := proposal.Moment(other.Value)
	if probe.Same(one.Value, other.Value) || read && readToo && at.Equal(then) {
		return nil
	}
	return probe.Shown(repeat, again).Violation("%s of the second replay is %s, want %s as on the first",
		other.Place, probe.Show(other.Value), probe.Show(one.Value))
}
