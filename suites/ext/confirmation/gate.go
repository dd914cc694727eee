package confirmation

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A gate is the answer of a tool that asks instead of acting.
type gate struct {
	*probe.Reply
	record  map[string]any
	place   string // in words
	pointer string // into the message; empty for JSON within a text
}

func (g gate) token() string { return probe.TextOf(g.record["confirmation_token"]) }

// consent is what a call carries that the user has agreed to.
func (g gate) consent() probe.Object {
	values := probe.Object{"user_confirmed": true}
	if token := g.token(); token != "" {
		values["confirmation_token"] = token
	}
	return values
}

// readable ends the case where the token of a question is not a string.
func (d *desk) readable(g gate) {
	token, given := g.record["confirmation_token"]
	_, text := token.(string)
	d.NotSeenIf(given && !text, "confirmation_token is not a string, which ext-confirmation/gate-shape judges")
}

// gateOf finds the question in an answer.
func gateOf(c *probe.Client, reply *probe.Reply, tool string) (gate, bool) {
	found, asks := proposal.FindGate(c, reply, tool)
	return gate{Reply: reply, record: found.Record, place: found.Place, pointer: found.Pointer}, asks
}

func gates() []suite.Case {
	blocks := gated("gate-blocks", "a call that nobody confirmed has no effect, and is answered with a question",
		"ext-confirm-gate-blocks",
		"return before the tool does anything, with the question in _meta.confirmation, unless the call carries a confirmation",
		gateBlocks)
	blocks.Needs, blocks.Proves = blocks.Needs[:1], []suite.Need{suite.Claim(name)}
	return []suite.Case{
		blocks,
		gated("gate-shape", "the question says that confirmation is required, and has the message and the risk", "ext-confirm-gate-shape",
			"answer with status confirmation_required, confirmation_message as a string in which the arguments stand, and risk_level as the tool "+
				"declares it",
			gateShape),
		gated("token-issued", "the question has a token that is new each time and cannot be guessed", "ext-confirm-token-issued",
			"make confirmation_token of 16 random bytes for each question", tokenIssued),
	}
}

func gateBlocks(d *desk) error {
	w := d.Watch(d.ToolCall)
	var reply *probe.Reply
	var asked bool
	if d.form == byForm {
		e := d.elicit(nobody)
		reply, asked = e.Reply, e.asked
	} else {
		reply = d.MakeCall(bench.Call{Dialect: proposal.Bare})
		_, asked = gateOf(d.Client, reply, d.ToolCall.Tool)
	}
	d.Must(d.WantNoEffect(w, "a call that nobody confirmed"))
	if asked || proposal.Declined(reply) || proposal.AsksInWords(reply) {
		return d.keyedBlocks(w)
	}
	return d.Said.Violation("%s, and it had no effect, want a question: status confirmation_required in _meta.confirmation",
		reply.AnswerTo("a call that nobody confirmed"))
}

func gateShape(d *desk) error {
	d.NotSeenIf(d.form == byForm, "the server asks by elicitation")
	reply := d.MakeCall(bench.Call{Dialect: proposal.Bare})
	g, asks := gateOf(d.Client, reply, d.ToolCall.Tool)
	if !asks {
		d.NotSeenIf(proposal.Declined(reply), "the call is refused, and not asked about: "+reply.Outcome())
		return reply.Violation("%s, which has no record of a question, want status confirmation_required in _meta.confirmation",
			reply.AnswerTo("a call that nobody confirmed"))
	}
	record, definition := probe.Object(g.record), "Gate"
	if record["status"] == nil && record["requires_confirmation"] != nil {
		definition = "OlderGate"
		d.Note("the question says requires_confirmation, as in the text of the proposal; its draft says status confirmation_required")
	}
	if _, full := record["confirmation_message"]; !full && record["message"] != nil {
		record = record.With("confirmation_message", record["message"])
		d.Note("the message stands in message, as in the diagram of the proposal; the property is confirmation_message")
	}
	if g.place != "_meta.confirmation" && !strings.HasPrefix(g.place, "_meta[") {
		d.Note("the question stands in " + g.place + "; the canonical place is _meta.confirmation")
	}
	if problem := d.ExtensionProblem(name, definition, g.pointer, map[string]any(record)); problem != "" {
		return g.Violation("%s", problem)
	}
	declared, in, stated := proposal.Stated(proposal.Entries(d.Client), d.ToolCall.Tool, "risk_level")
	wrong, _ := riskEnum(nil, in) // another case says so
	if stated && wrong == "" && !probe.Same(declared, record["risk_level"]) {
		return probe.Shown(g, in.Shown).Violation("risk_level of the question is %s, want %s as in %s",
			probe.Show(record["risk_level"]), probe.Show(declared), in.Where("risk_level"))
	}
	for _, name := range slices.Sorted(maps.Keys(d.ToolCall.Arguments)) {
		if strings.Contains(probe.TextOf(record["confirmation_message"]), "{"+name+"}") {
			return g.Violation("confirmation_message of the question is %s, want the argument in place of {%s}",
				probe.Show(record["confirmation_message"]), name).AtMostWarn()
		}
	}
	result, _ := reply.Result()
	found, _ := proposal.Locate(result, "confirmation", "confirmation", func(map[string]any) bool { return false })
	return proposal.Agree(reply, "confirmation", found)
}

// keyedBlocks makes the call with a fresh idempotency key: some servers go another way then.
func (d *desk) keyedBlocks(w bench.Watched) error {
	if d.form == byForm {
		return nil
	}
	d.MakeCall(bench.Call{
		Dialect: proposal.Bare + proposal.Prefixed + proposal.Beside + proposal.Header,
		Values:  probe.Object{"idempotency_key": d.Key()},
	})
	return d.WantNoEffect(w, "a call with an idempotency key that nobody confirmed")
}

// shortest is how many characters a token has at least.
const shortest = 16

func tokenIssued(d *desk) error {
	d.NotSeenIf(d.form == byForm, "the server asks by elicitation")
	d.UndecideIf(d.form == byNone, noQuestion)
	one, other := d.ask(d.ToolCall), d.ask(d.ToolCall)
	for _, g := range []gate{one, other} {
		d.readable(g)
		if g.token() == "" {
			return g.Violation("confirmation_token is %s, want a string: without it nothing binds the confirmation to the call",
				probe.Show(probe.Member(g.record, "confirmation_token"))).
				Unless(probe.Elsewhere{Case: "ext-confirmation/approved-runs", Why: "no call that is confirmed runs"})
		}
	}
	switch shown := probe.Shown(one, other); {
	case one.token() == other.token():
		return shown.Violation("two questions have the same confirmation_token, want another one each time")
	case bench.Counted(one.token(), other.token()):
		return shown.Violation("the tokens of two questions differ in a number only, which others can count to, want random ones")
	case len(one.token()) < shortest:
		return one.Violation("confirmation_token has %d characters, want %d or more", len(one.token()), shortest)
	}
	return nil
}
