package idempotency

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func conflicts() []suite.Case {
	return []suite.Case{
		keyed("conflict-other-arguments", "a key that was used does not run a call with other arguments", "ext-idempotency-conflict",
			"store a fingerprint of tool and arguments with the key, reject another call under it as IDEMPOTENCY_CONFLICT, "+
				"and keep what is stored for the first one",
			conflictOtherArguments, suite.Role(roles.StateChange, "other-arguments")),
		keyed("conflict-other-tool", "a key that was used does not run another tool", "ext-idempotency-conflict-other-tool",
			"keep one store of keys for all tools, and reject another call under a known key as IDEMPOTENCY_CONFLICT", conflictOtherTool,
			suite.Role(roles.StateChange, "idempotent", "observe")),
		keyed("concurrent", "parallel calls with one key have one effect, and all are answered", "ext-idempotency-concurrent",
			"claim the key in one atomic step before the tool runs, and let others wait for the result or tell them to come back", concurrent),
	}
}

func conflictOtherArguments(b *bench.Bench) error {
	other := b.ToolCall.Using("other-arguments")
	key := b.Key()
	spend(b, key)
	b.Must(b.WantEffects(1, "the first call with a key"))
	watched := b.Watch(b.ToolCall)
	reply := call(b, bench.Call{Tool: other, Values: under(key)})
	b.Must(b.WantNoEffect(watched, "a call with other arguments under a key that was used"))
	send(b, key) // a conflict leaves the key where it is
	b.Must(b.WantNoEffect(watched, "the first call again, after one with other arguments under its key"))
	return wantConflict(b, reply, "other arguments")
}

// runsOthers leaves what is said of a call that ran under a used key to the case on other
// arguments, where it complains: a server that runs those has its effects in other cases too.
func runsOthers(err error) error {
	return probe.Unless(err, probe.Elsewhere{
		Case: "ext-idempotency/conflict-other-arguments", Why: "a key that was used runs a call with other arguments",
	})
}

// The other tool has an observer of its own, since its effect need not show
// where that of the first does.
func conflictOtherTool(b *bench.Bench) error {
	other := b.Role(roles.StateChange).Field("idempotent")
	b.UndecideIf(other.Tool == b.ToolCall.Tool, "state-change and state-change.idempotent name the same tool")
	// What is refused without a key says nothing about keys.
	plain := b.MakeCall(bench.Call{Tool: b.Role(roles.StateChange).Field("idempotent")})
	b.Permitted(other, plain)
	b.Require(proposal.WantDone(plain), "the call of roles.state-change.idempotent is refused without a key as well: "+plain.Outcome())
	key := b.Key()
	spend(b, key)
	watched := b.Watch(other)
	reply := call(b, bench.Call{Tool: other, Values: under(key)})
	b.Must(runsOthers(b.WantNoEffect(watched, "a call of "+other.Tool+" under a key that was used for "+b.ToolCall.Tool)))
	return wantConflict(b, reply, "another tool")
}

// wantConflict expects a refusal of a call that had no effect. The published
// servers replay the first result instead, which is worth a warning.
func wantConflict(b *bench.Bench, reply *probe.Reply, what string) error {
	if !proposal.Declined(reply) {
		return b.Said.Violation("%s, want an error such as IDEMPOTENCY_CONFLICT", reply.AnswerTo("a key used again with "+what)).AtMostWarn()
	}
	if record, place, ok := proposal.Record(reply); ok && record["code"] != "IDEMPOTENCY_CONFLICT" {
		b.Note("the record in " + place + " has the code " + probe.Show(record["code"]) + "; IDEMPOTENCY_CONFLICT says more")
	}
	return nil
}

func concurrent(b *bench.Bench) error {
	const calls = 8
	key := b.Key()
	var pending []*probe.Pending
	for range calls {
		pending = append(pending, b.StartCall(bench.Call{Values: under(key)}))
	}
	var replies []*probe.Reply
	for _, p := range pending {
		b.Keep(b.ToolCall, p.Reply())
		replies = append(replies, p.Reply())
	}
	// One that was not answered at all comes first: the state may then be locked.
	for _, reply := range replies {
		if !reply.Answered() && !proposal.Declined(reply) {
			return unanswered(reply, calls)
		}
	}
	b.UndecideIf(!slices.ContainsFunc(replies, func(r *probe.Reply) bool { return !proposal.RateLimited(r) }),
		"the server limits how often it is called, and refused each of the parallel calls, try --jobs 1")
	b.Must(b.WantEffects(1, "eight parallel calls with one key"))
	for _, reply := range replies {
		if !proposal.Done(reply) && !proposal.Declined(reply) {
			return unanswered(reply, calls)
		}
		if record, place, ok := proposal.Record(reply); ok && record["category"] != "transient" && record["category"] != "rate_limited" {
			return reply.Violation(`the category of the record in %s is %s, want "transient", since the call can be repeated`,
				place, probe.Show(record["category"])).AtMostWarn()
		}
	}
	return alike(b, replies)
}

// alike expects that what is marked as a replay is the result of the call that ran.
func alike(b *bench.Bench, replies []*probe.Reply) error {
	ran := slices.IndexFunc(replies, func(r *probe.Reply) bool { return proposal.Done(r) && !marked(b, r) })
	if ran < 0 {
		return nil
	}
	result, _ := replies[ran].Result()
	want := own(probe.Payload(result))
	for _, reply := range replies {
		other, _ := reply.Result()
		if got := own(probe.Payload(other)); proposal.Done(reply) && marked(b, reply) && !probe.Same(got, want) {
			return probe.Shown(replies[ran], reply).Violation("one of the parallel calls is marked as a replay and answered with %s, "+
				"want %s as the one that ran", probe.Show(got), probe.Show(want)).AtMostWarn()
		}
	}
	return nil
}

func unanswered(reply *probe.Reply, calls int) error {
	return reply.Violation("%s, want its result, a replay or an error", reply.AnswerTo(fmt.Sprintf("one of %d parallel calls", calls)))
}

func headers() []suite.Case {
	needs := keys(suite.Over(requirements.HTTP))
	return []suite.Case{
		keyed("header", "a key in the header X-Idempotency-Key counts like one in the message", "ext-idempotency-header",
			"read X-Idempotency-Key of the HTTP request where the message names no key", headerAlone, suite.Over(requirements.HTTP)),
		{
			ID:       "ext-idempotency/header-shares-store",
			Title:    "a call whose key came in the header is not run again when the message repeats the key",
			Checks:   []requirements.ID{"ext-idempotency-header"},
			Needs:    needs,
			Observes: roles.StateChange,
			Fix:      "look keys up in one store, wherever they came from",
			Run:      inBoth(headerSharesStore),
		},
		{
			ID:       "ext-idempotency/placement-mismatch",
			Title:    "a call whose header and message name different keys is rejected",
			Checks:   []requirements.ID{"ext-idempotency-placement-mismatch"},
			Needs:    needs,
			Observes: roles.StateChange,
			Fix:      "compare the keys of header and message before the tool runs, and reject the call when they differ",
			Run:      inBoth(placementMismatch),
		},
	}
}

func headerAlone(b *bench.Bench) error {
	return runsOnce(b, bench.Call{Values: under(b.Key()), Dialect: proposal.Header}, "two calls with the same key in the header alone")
}

// headerRead finds out, once for the column, whether the server looks at the
// header at all: one that does not cannot notice what else is wrong with it.
func headerRead(c *probe.Client) {
	read := c.Learn("idempotency:header", func() string {
		var verdict error
		stopped := c.Try(func() { verdict = on(headerAlone)(c) })
		undecided := (*probe.Undecided)(nil)
		switch {
		case errors.As(stopped, &undecided):
			return undecided.Reason
		case stopped != nil || verdict != nil:
			return "the server does not read the header; ext-idempotency/header says so"
		}
		return ""
	})
	c.UndecideIf(read != "", read)
}

// inBoth makes a case of a procedure that needs a server which reads keys from
// the header and from the message; message is the dialect of the latter.
func inBoth(procedure func(b *bench.Bench, message proposal.Dialect) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		headerRead(c)
		return on(func(b *bench.Bench) error {
			message := inMessage(b)
			c.NotSeenIf(message == "", "keys are read from the header alone, the form of the text")
			return procedure(b, message)
		})(c)
	}
}

func headerSharesStore(b *bench.Bench, message proposal.Dialect) error {
	key := b.Key()
	for _, d := range []proposal.Dialect{proposal.Header, message} {
		call(b, bench.Call{Values: under(key), Dialect: d})
	}
	return runsOthers(b.WantEffects(1, "a call with the key in the header and its repeat with the key in the message"))
}

// inMessage is the dialect without the header; empty when the server reads
// keys there only.
func inMessage(b *bench.Bench) proposal.Dialect {
	if b.Dialect.Leads(proposal.Header) {
		return ""
	}
	return proposal.Dialect(strings.ReplaceAll(string(b.Dialect), string(proposal.Header), ""))
}

func placementMismatch(b *bench.Bench, message proposal.Dialect) error {
	other := http.Header{"X-Idempotency-Key": {b.Key()}}
	b.Must(proposal.WantDeclined(b.MakeCall(bench.Call{Values: under(b.Key()), Dialect: message, Header: other})))
	return b.WantEffects(0, "the rejection of two contradicting keys")
}
