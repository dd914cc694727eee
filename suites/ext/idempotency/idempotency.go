// Package idempotency holds the cases of the idempotency proposal: a call that
// carries a key has its effect once, however often it is repeated.
package idempotency

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-idempotency",
		Title:     "a call with a key has its effect once",
		Extension: proposal.Extension("idempotency"),
		Cases: slices.Concat(
			replays(), stores(), timestamps(), charset(), malformedKeys(), lifetimes(), malformedLifetimes(),
			conflicts(), independent(), []suite.Case{optional()}, headers(), callers(),
		),
	}
}

// counted is a state-changing tool whose effects can be counted.
func counted(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Role(roles.StateChange, "observe")}, more...)
}

// keys are the needs of cases that rest on keys doing anything at all: first-runs and
// no-second-effect prove the claim, and what comes after them would only say the same again.
func keys(more ...suite.Need) []suite.Need {
	return counted(append([]suite.Need{suite.Claim("idempotency")}, more...)...)
}

// keyed is a case about calls with a key.
func keyed(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench) error, more ...suite.Need) suite.Case {
	return bench.Observing(roles.StateChange, bench.Case("ext-idempotency/"+slug, title, rule, fix, on(run), keys(more...)...))
}

// begin learns how the server reads keys, then looks at the state. What learning
// leaves behind is in the state already and is not counted.
func begin(c *probe.Client) *bench.Bench {
	b := bench.New(c)
	b.Dialect = dialect(c)
	b.ToolCall = c.Role(roles.StateChange).Call()
	tryRole(b)
	b.Earlier = c.Before(b.ToolCall)
	return b
}

// on makes a case of a procedure.
func on(judge func(b *bench.Bench) error) func(*probe.Client) error { return bench.After(begin, judge) }

// dialect is where keys are sent. What passes through another place than the
// canonical one passes with a note.
func dialect(c *probe.Client) proposal.Dialect {
	d := proposal.LearnDialect(c, "idempotency", []proposal.Dialect{proposal.Beside, proposal.Header},
		func(d proposal.Dialect) (read, accepted bool) { return try(c, d) },
		func(all proposal.Dialect) proposal.Dialect { return byEffects(c, all) })
	d.NoteOlder(c, "keys", map[proposal.Dialect]string{
		proposal.Beside: "params.idempotency_key or params.idempotencyKey",
		proposal.Within: "arguments.idempotency_key",
	}, "_meta.idempotency_key")
	if d.Leads(proposal.Header) {
		c.Note("keys are read from the header X-Idempotency-Key, the form of the text of the proposal; " +
			"that of its draft is _meta.idempotency_key")
	}
	return d
}

// try makes a call twice and looks for metadata of the extension: servers that
// mark replays only are silent the first time.
func try(c *probe.Client, d proposal.Dialect) (read, accepted bool) {
	b := bench.New(c)
	b.ToolCall, b.Dialect = c.Role(roles.StateChange).Call(), d
	key := b.Key()
	for range 2 {
		reply := send(b, key)
		if !reply.Served() {
			return false, accepted
		}
		accepted = accepted || !proposal.Declined(reply)
		_, flagged := locate(b, reply, "was_replay")
		_, echoed := locate(b, reply, "idempotency_key")
		if flagged || echoed {
			return true, accepted
		}
	}
	return false, accepted
}

// byEffects puts the header first where no answer shows which place is read, and the effects
// show that it is the header alone: the text of the proposal asks for no metadata.
func byEffects(c *probe.Client, all proposal.Dialect) proposal.Dialect {
	message := proposal.Dialect(strings.ReplaceAll(string(all), string(proposal.Header), ""))
	if message == all || effectsOfTwo(c, message) != 2 || effectsOfTwo(c, proposal.Header) != 1 {
		return all
	}
	return proposal.Header + message
}

// effectsOfTwo makes a call twice with one key and counts the effects; 0 where they cannot be
// counted, or where a call has no result.
func effectsOfTwo(c *probe.Client, d proposal.Dialect) (effects int) {
	b := bench.New(c)
	b.ToolCall, b.Dialect = c.Role(roles.StateChange).Call(), d
	b.Earlier = c.Before(b.ToolCall)
	if !b.Earlier.Counts() {
		return 0
	}
	key := b.Key()
	for range 2 {
		if !proposal.Done(send(b, key)) {
			return 0
		}
	}
	b.LookUntil(b.ToolCall, b.Waits().Event, func(seen probe.State) bool {
		effects = b.Earlier.Effects(seen)
		return effects >= 2
	})
	return effects
}

func under(key any) probe.Object { return probe.Object{"idempotency_key": key} }

// send makes the call of the case with a key.
func send(b *bench.Bench, key any) *probe.Reply { return call(b, bench.Call{Values: under(key)}) }

// call makes a call and keeps what was said.
func call(b *bench.Bench, made bench.Call) *probe.Reply {
	held(b, made)
	reply := b.MakeCall(made)
	b.Permitted(b.ToolCall, reply)
	return reply
}

// held ends the case where keys are read from a header that cannot hold what the call
// is to say.
func held(b *bench.Bench, made bench.Call) {
	key, given := made.Values["idempotency_key"]
	header := made.Dialect.Leads(proposal.Header) || made.Dialect == "" && b.Dialect.Leads(proposal.Header)
	b.NotSeenIf(header && (len(made.Values) > 1 || given && !proposal.Visible(key)),
		"keys are read from the header, the form of the text, which cannot hold this")
}

// locate finds a property of the extension in an answer. Inside the tool's own
// answer it counts only beside the key, and not where the tool itself declares
// such a property, unless the server claims the extension by name.
func locate(b *bench.Bench, reply *probe.Reply, name string) (proposal.Located, bool) {
	result, _ := reply.Result()
	explicit := proposal.Explicit(b.Client, "idempotency")
	return proposal.Locate(result, name, "idempotency", func(record map[string]any) bool {
		_, ok := record["idempotency_key"]
		return ok && (explicit || !proposal.Declares(b.Client, b.ToolCall.Tool, "idempotency_key"))
	})
}

// property is locate for the case that judges the property. Older places are
// noted.
func property(b *bench.Bench, reply *probe.Reply, name string) (proposal.Located, bool) {
	found, ok := locate(b, reply, name)
	if ok && found.Place != "_meta."+name && !strings.HasPrefix(found.Place, "_meta[") {
		b.Note(name + " stands in " + found.Place + ", an older form; the canonical place is _meta." + name)
	}
	return found, ok
}

// marked reports whether an answer says of itself that it is a replay.
func marked(b *bench.Bench, reply *probe.Reply) bool {
	flag, _ := locate(b, reply, "was_replay")
	return flag.Value == true
}

// replayed is marked, of a server that does not mark first calls too.
func replayed(b *bench.Bench, reply *probe.Reply) bool {
	if !marked(b, reply) {
		return false
	}
	first := b.Learn("idempotency:first", func() string {
		if marked(b, call(b, bench.Call{Tool: b.Role(roles.StateChange).Call(), Values: under(b.Key())})) {
			return "marked"
		}
		return "plain"
	})
	b.UndecideIf(first == "marked", "first calls are marked as replays as well, which ext-idempotency/replay-flag-first judges")
	return true
}

// wantRepeat expects that the repeat of a call has a result, of a server that
// answers plain repeats with one: that it does is the rule of same-result.
func wantRepeat(b *bench.Bench, repeat *probe.Reply) error {
	if proposal.Done(repeat) {
		return nil
	}
	plain := b.Learn("idempotency:repeat", func() string {
		if b.Try(func() { pair(b, b.Key()) }) != nil {
			return "refused"
		}
		return "answered"
	})
	b.UndecideIf(plain != "answered", "repeats have no result, which ext-idempotency/same-result judges")
	return proposal.WantDone(repeat)
}

// repeat makes a call again that was made under its key, and expects its result
// and one effect of both together.
func repeat(b *bench.Bench, made bench.Call, after string) error {
	b.Must(wantRepeat(b, call(b, made)))
	return b.WantEffects(1, after)
}

// runsOnce expects that a call has a result and one effect, however its key is
// sent, and that its repeat has no other.
func runsOnce(b *bench.Bench, made bench.Call, after string) error {
	b.Must(proposal.WantDone(call(b, made)))
	return repeat(b, made, after)
}

// spend makes the first call with a key. One without a result leaves nothing
// to look at; that it has one is the rule of first-runs.
func spend(b *bench.Bench, key string) *probe.Reply {
	first := send(b, key)
	b.Require(proposal.WantDone(first), "the first call with a key had no result to repeat: "+first.Outcome())
	return first
}

// pair makes the call and repeats it. That the repeat has a result is the rule
// of same-result.
func pair(b *bench.Bench, key string) (first, repeat *probe.Reply) {
	first = spend(b, key)
	return first, again(b, key)
}

func again(b *bench.Bench, key string) *probe.Reply {
	repeat := send(b, key)
	b.Require(proposal.WantDone(repeat), "the repeat of a call with a key was not answered with a result: "+repeat.Outcome())
	return repeat
}

// replay is again, some time later: a server that has forgotten the key by then, which
// is another rule's, has run a new call.
func replay(b *bench.Bench, key string) *probe.Reply {
	repeat := again(b, key)
	flag, ok := locate(b, repeat, "was_replay")
	b.NotSeenIf(ok && flag.Value == false, "the repeat is marked as a call that is not a replay")
	return repeat
}
