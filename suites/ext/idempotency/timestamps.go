package idempotency

import (
	"context"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func timestamps() []suite.Case {
	checks := []requirements.ID{"ext-idempotency-original-timestamp"}
	return []suite.Case{
		{
			ID:       "ext-idempotency/original-timestamp",
			Title:    "a replay says when the first call was made, in RFC 3339 format",
			Checks:   checks,
			Needs:    keyed(),
			Observes: roles.StateChange,
			Fix:      "write _meta.original_timestamp of a replay as a string like 2026-08-20T10:00:03Z",
			Run:      on(originalTimestamp),
		},
		{
			ID:       "ext-idempotency/original-timestamp-moment",
			Title:    "the original timestamp lies between the first call and now",
			Checks:   checks,
			Needs:    keyed(),
			Observes: roles.StateChange,
			Fix:      "store the moment of the first call with its key, in UTC or with its offset",
			Run:      on(originalTimestampMoment),
		},
		{
			ID:       "ext-idempotency/original-timestamp-stable",
			Title:    "the original timestamp is the same on every replay",
			Checks:   checks,
			Needs:    keyed(),
			Lane:     suite.Waits,
			Observes: roles.StateChange,
			Fix:      "answer replays with the stored moment of the first call, not with that of the answer",
			Run:      on(originalTimestampStable),
		},
	}
}

// The schema of the proposal makes no property of the answer mandatory, so that
// a missing one is worth a warning.
func originalTimestamp(ctx context.Context, k *operation) error {
	_, repeat, err := k.pair(ctx, k.key())
	if err != nil {
		return err
	}
	stamp, ok := k.property(repeat, "original_timestamp")
	if !ok {
		return repeat.Violation("$.result._meta.original_timestamp of the repeat is absent, want the moment of the first call").AtMostWarn()
	}
	problem, err := proposal.SchemaProblem(k.client, "idempotency", "DateTime", "", stamp.Value)
	if err != nil {
		return err
	}
	if problem != "" {
		return repeat.Violation("%s of the repeat is %s, want a moment in RFC 3339 format", stamp.Place, probe.Show(stamp.Value))
	}
	return proposal.Agree(repeat, "original_timestamp", stamp)
}

// Where the server tells its own time, in the Date header of HTTP, that clock
// counts.
func originalTimestampMoment(ctx context.Context, k *operation) error {
	began := time.Now()
	first, repeat, err := k.pair(ctx, k.key())
	if err != nil {
		return err
	}
	ended := time.Now()
	stamp, ok := k.locate(repeat, "original_timestamp")
	if !ok {
		return probe.NotSeen("the replay has no original_timestamp")
	}
	at, ok := proposal.Moment(stamp.Value)
	if !ok {
		return probe.Undecide("original_timestamp is not in RFC 3339 format")
	}
	earliest := proposal.Clock(first, ended).Add(began.Sub(ended) - proposal.Tolerance)
	latest := proposal.Clock(repeat, ended).Add(proposal.Tolerance)
	if at.Before(earliest) || at.After(latest) {
		return repeat.Violation("%s of the repeat is %s, want a moment between %s and %s", stamp.Place, probe.Show(stamp.Value),
			earliest.UTC().Format(time.RFC3339), latest.UTC().Format(time.RFC3339))
	}
	return nil
}

// Many clocks are read in whole seconds, so that one has to pass.
func originalTimestampStable(ctx context.Context, k *operation) error {
	key := k.key()
	_, repeat, err := k.pair(ctx, key)
	if err != nil {
		return err
	}
	if err := proposal.Pause(ctx, k.client, 1100*time.Millisecond); err != nil {
		return err
	}
	again, err := k.send(ctx, key)
	if err != nil {
		return err
	}
	one, ok := k.locate(repeat, "original_timestamp")
	other, too := k.locate(again, "original_timestamp")
	if !ok || !too {
		return probe.NotSeen("not every replay has an original_timestamp")
	}
	at, read := proposal.Moment(one.Value)
	then, readToo := proposal.Moment(other.Value)
	if probe.Same(one.Value, other.Value) || read && readToo && at.Equal(then) {
		return nil
	}
	return probe.Shown(repeat, again).Violation("%s of the second replay is %s, want %s as on the first",
		other.Place, probe.Show(other.Value), probe.Show(one.Value))
}
