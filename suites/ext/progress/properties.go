package progress

import (
	"math"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func measures() []suite.Case {
	return []suite.Case{
		reporting("fraction", "progress in a record is a number from 0 to 1", "ext-progress-fraction",
			"write what is done as a fraction, 0.6 instead of 60, and leave it out where the whole is unknown", each(fraction)),
		reporting("fraction-agrees", "progress in a record agrees with that of the notification around it", "ext-progress-fraction",
			"work out both from the same figures: the fraction is progress divided by total", each(fractionAgrees)),
		reporting("increases", "progress rises with each notification", "ext-progress-increases",
			"send a notification only when more is done than the last one said", increases),
		reporting("remaining", "estimated_remaining_seconds is a number of 0 or more", "ext-progress-remaining",
			"write seconds as a JSON number, and leave the property out while nobody knows", each(optional("estimated_remaining_seconds", "Remaining"))),
		reporting("message", "records say in words what is happening", "ext-progress-message",
			"put a short sentence about the present step into message, as a string", message),
		reporting("partial-result", "partial_result is an object", "ext-progress-partial-result",
			"wrap what is there already in an object", each(optional("partial_result", "PartialResult"))),
		reporting("checkpoint-token", "checkpoint_token is a string", "ext-progress-partial-result",
			"write the checkpoint as one string that clients hand back as it is", each(optional("checkpoint_token", "CheckpointToken"))),
	}
}

// Beside the properties of core, progress is theirs, whose values are free.
func fraction(r *run, n operations.Record) (bool, error) {
	if n.Method == "notifications/progress" && !n.Canonical() {
		reached, ok := n.Reached()
		if _, total := n.Params["total"]; ok && !total && reached > 1 {
			return true, r.violation(n, "$.params.progress is %v without a total, want a fraction or a total", reached).AtMostWarn()
		}
		return ok, nil
	}
	return optional("progress", "Fraction")(r, n)
}

func fractionAgrees(r *run, n operations.Record) (bool, error) {
	const tolerance = 0.01
	own, stated := n.Number("progress")
	done, reached := n.Reached()
	total, known := operations.Record{Fields: n.Params}.Number("total")
	if !n.Canonical() || !stated || !reached || !known || total <= 0 || own < 0 || own > 1 {
		return false, nil
	}
	if math.Abs(own-done/total) > tolerance {
		return true, r.violation(n, "%s.progress is %v, and $.params has %v of %v, want the same in both places",
			n.Where, own, done, total).AtMostWarn()
	}
	return true, nil
}

// The progress of core rises; a fraction that is rounded may stay where it is.
func increases(r *run) error {
	r.some()
	for i := range r.notices[:len(r.notices)-1] {
		before, after := r.notices[i], r.notices[i+1]
		from, was := before.Reached()
		to, is := after.Reached()
		if was && is && to <= from {
			return operations.Shown(r.reply, before.Seen, after.Seen).Violation("$.params.progress is %v after %v, want more", to, from)
		}
	}
	for i := range r.records[:len(r.records)-1] {
		before, after := r.records[i], r.records[i+1]
		from, was := before.Fraction()
		to, is := after.Fraction()
		if was && is && to < from {
			return operations.Shown(r.reply, before.Seen, after.Seen).Violation("%s.progress is %v after %v, want no less", after.Where, to, from)
		}
	}
	if len(r.notices) < 2 {
		r.client.NotSeen("the call of roles.progress-tool yields a single notification")
	}
	return nil
}

// optional is a property that a record may leave out.
func optional(property, definition string) func(*run, operations.Record) (bool, error) {
	return func(r *run, n operations.Record) (bool, error) {
		value, ok := n.Fields[property]
		if !ok {
			return false, nil
		}
		return true, r.valid(n, definition, property, value)
	}
}

// The message that core defines says it as well.
func message(r *run) error {
	r.some()
	said := false
	for _, n := range r.records {
		if value, ok := n.Fields["message"]; ok {
			r.client.Must(r.valid(n, "Message", "message", value))
		}
		for _, of := range []map[string]any{n.Fields, n.Params} {
			said = said || strings.TrimSpace(probe.TextOf(of["message"])) != ""
		}
	}
	if !said {
		return r.violation(r.records[0], "none of %d records has a message, want words about what is happening", len(r.records))
	}
	return nil
}
