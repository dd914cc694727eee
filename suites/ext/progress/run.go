package progress

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// reporting is a case about one call that asked for progress.
func reporting(slug, title string, id requirements.ID, fix string, judge func(r *run) error) suite.Case {
	run := bench.After(func(c *probe.Client) *run { return report(c, nil) }, judge)
	return bench.Case("ext-progress/"+slug, title, id, fix, run, suite.Role(roles.ProgressTool))
}

// A run is one call of the progress tool, and what was said of it before the
// answer. What comes later is judged by ext-progress/ends alone.
type run struct {
	client  *probe.Client
	reply   *probe.Reply
	notices []operations.Record // all notifications of progress
	strange bool                // notifications under another token came
	unnamed probe.Elsewhere     // who judges a message without a method that came
	records []operations.Record // those of them with a record of the extension
}

// report makes the call with a token of its own. Meta stands beside the token.
func report(c *probe.Client, meta probe.Object) *run {
	token := "kit-" + c.Nonce()
	call := c.Role(roles.ProgressTool).Call()
	mark := c.Mark()
	reply := c.CallTool(call, probe.Object{"_meta": meta.With("progressToken", token)})
	bench.WantRun(c, roles.ProgressTool, reply)
	r := &run{client: c, reply: reply, unnamed: proposal.Nameless(c.Since(mark))}
	r.take(operations.Before(reply, c.Since(mark)), token)
	return r
}

// take keeps what is about the call: what bears another token is of another one.
func (r *run) take(seen []probe.Seen, token any) {
	older := map[string]string{}
	for _, n := range operations.Progress(seen) {
		if got, ok := n.Params["progressToken"]; ok && !probe.Same(got, token) {
			r.strange = true
			continue
		}
		r.notices = append(r.notices, n)
		if n.Fields == nil {
			continue
		}
		r.records = append(r.records, n)
		if !n.Canonical() {
			older[n.Method] = n.Where
		}
	}
	for _, method := range slices.Sorted(maps.Keys(older)) {
		r.client.Note("the record stands in " + older[method] + " of " + method + ", an accepted form; " +
			"the canonical place is $.params._meta of notifications/progress")
	}
}

// some ends the case where there are no records to look at. That there are any is judged elsewhere.
func (r *run) some() {
	r.client.NotSeenIf(len(r.records) == 0, "the call of roles.progress-tool yields no record of the extension")
}

// violation is a problem that the call and one of its notifications show.
func (r *run) violation(n operations.Record, format string, args ...any) *probe.Violation {
	return operations.Shown(r.reply, n.Seen).Violation(format, args...)
}

// each judges every record, and wants one at least to which the rule applies.
func each(judge func(r *run, n operations.Record) (applies bool, err error)) func(*run) error {
	return func(r *run) error {
		r.some()
		applied := false
		for _, n := range r.records {
			applies, err := judge(r, n)
			r.client.Must(err)
			applied = applied || applies
		}
		r.client.NotSeenIf(!applied, "the records have no such property")
		return nil
	}
}

func records() []suite.Case {
	return []suite.Case{
		reporting("reported", "a call that takes its time is reported at least three times", "ext-progress-reported",
			"send notifications/progress for each step of the work, not only at its end", reported),
		reporting("type", "a progress record has the type progress", "ext-progress-type",
			`put the record into params._meta of notifications/progress, with "type": "progress"`, typed),
		reporting("operation-id", "all records of a call have the same operation_id, a string", "ext-progress-operation-id",
			"make one operation_id for each call, and write it into all its records", sameID),
		bench.Case("ext-progress/operation-id-distinct", "calls that run at the same time have different operation ids",
			"ext-progress-operation-id",
			"make a new operation_id for each call instead of one for the process or the tool", distinctIDs, suite.Role(roles.ProgressTool)),
		bench.Case("ext-progress/operation-id-echo", "an operation_id of the client's own is used", "ext-progress-operation-id",
			"take _meta.operation_id of the request over into the records; make one only where there is none", echoedID,
			suite.Role(roles.ProgressTool)),
	}
}

func reported(r *run) error {
	const least = 3
	if got := len(r.notices); got < least {
		r.client.NotSeenIf(r.strange && got == 0, "progress came under other tokens alone, which ext-progress/token-string judges")
		return r.reply.Violation("%d progress notifications came before the answer, want %d at least", got, least).
			Unless(r.unnamed, proposal.OnStanding())
	}
	return nil
}

// A server that declares the extension and reports by what core has for it alone
// keeps nothing of what it declares.
func typed(r *run) error {
	r.client.NotSeenIf(len(r.notices) == 0, "the call of roles.progress-tool yields no progress at all, which ext-progress/reported judges")
	if len(r.records) == 0 {
		proposal.Undeclared(r.client)
		return r.violation(r.notices[0], "$.params._meta has no progress record, want one with type, operation_id and progress").
			Unless(unshaped(r.notices[0]))
	}
	return each(func(r *run, n operations.Record) (bool, error) {
		return true, r.fits(n, "ProgressType", "type")
	})(r)
}

// unshaped tells which watcher judges a notification that has no place for a record.
func unshaped(n operations.Record) probe.Elsewhere {
	meta, given := n.Params["_meta"]
	switch {
	case n.Params == nil:
		return probe.Elsewhere{Case: "progress/schema", Why: "the notification has no params"}
	case given && probe.ObjectOf(meta) == nil:
		return probe.Elsewhere{Case: "meta/object", Why: "the _meta of the notification is not an object"}
	}
	return probe.Elsewhere{}
}

// fits compares a property of a record with its schema; an absent one fits only
// where the definition is of the whole record.
func (r *run) fits(n operations.Record, definition, property string) error {
	value, ok := n.Fields[property]
	if !ok {
		return r.violation(n, "%s.%s is absent, want it in each record", n.Where, property)
	}
	return r.valid(n, definition, property, value)
}

func (r *run) valid(n operations.Record, definition, property string, value any) error {
	if problem := r.client.ExtensionProblem("progress", definition, n.Pointer()+"/"+property, value); problem != "" {
		return r.violation(n, "%s", problem)
	}
	return nil
}

func sameID(r *run) error {
	return each(func(r *run, n operations.Record) (bool, error) {
		r.client.Must(r.fits(n, "OperationID", "operation_id"))
		if first := r.records[0]; !probe.Same(first.Fields["operation_id"], n.Fields["operation_id"]) {
			return true, operations.Shown(r.reply, first.Seen, n.Seen).Violation("%s.operation_id is %s, want %s as in the first record of the call",
				n.Where, probe.Show(n.Fields["operation_id"]), probe.Show(first.Fields["operation_id"]))
		}
		return true, nil
	})(r)
}

func distinctIDs(c *probe.Client) error {
	var runs [2]*run
	var calling sync.WaitGroup
	for i := range runs {
		calling.Go(func() { runs[i] = report(c, nil) })
	}
	calling.Wait()
	c.Context() // where one of the two calls ended the case, it ends here
	for _, r := range runs {
		r.some()
	}
	// Records in a notification of their own bear no token, so that nobody can tell
	// whose they are: there have to be two ids among all of them.
	a, b := runs[0].records[0], runs[1].records[0]
	id, _ := a.Text("operation_id")
	c.NotSeenIf(id == "", "the records have no operation_id that is a string, or an empty one, which ext-progress/operation-id judges")
	for _, n := range append(runs[0].records, runs[1].records...) {
		if !probe.Same(n.Fields["operation_id"], a.Fields["operation_id"]) {
			return nil
		}
	}
	return operations.Shown(runs[0].reply, a.Seen, runs[1].reply, b.Seen).Violation(
		"%s.operation_id is %s in the records of two calls, want another for each call", a.Where, probe.Show(a.Fields["operation_id"]))
}

// That the id is sent with the request is an arrangement of this kit, so a server
// that makes its own is not failed.
func echoedID(c *probe.Client) error {
	own := "kit-op-" + c.Nonce()
	r := report(c, probe.Object{"operation_id": own, proposal.Prefix + "operation_id": own})
	return each(func(r *run, n operations.Record) (bool, error) {
		got := n.Fields["operation_id"]
		c.NotSeenIf(probe.TextOf(got) == "",
			"the records have no operation_id that is a string, or an empty one, which ext-progress/operation-id judges")
		if got != own {
			return true, r.violation(n, "%s.operation_id is %s, want %q as the request says", n.Where, probe.Show(got), own).AtMostWarn().
				Unless(probe.Elsewhere{Case: "ext-progress/operation-id-distinct", Why: "all calls have the same operation_id"})
		}
		return true, nil
	})(r)
}

func measures() []suite.Case {
	return []suite.Case{
		reporting("fraction", "progress in a record is a number from 0 to 1", "ext-progress-fraction",
			"write what is done as a fraction, 0.6 instead of 60, and leave it out where the whole is unknown", each(fraction)),
		reporting("fraction-agrees", "progress in a record agrees with that of the notification around it", "ext-progress-fraction",
			"work out both from the same figures: the fraction is progress divided by total", each(fractionAgrees)),
		reporting("increases", "progress rises with each notification", "ext-progress-increases",
			"send a notification only when more is done than the last one said", increases),
		reporting("fraction-rises", "the fraction in the records does not fall while the total stays", "ext-progress-fraction-rises",
			"work the fraction out from what is done and the total, which may grow", fractionRises),
		reporting("remaining", "estimated_remaining_seconds is a number of 0 or more", "ext-progress-remaining",
			"write seconds as a JSON number, and leave the property out while nobody knows", remaining),
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
			n.Where, own, done, total).AtMostWarn().
			Unless(probe.Elsewhere{Case: "ext-progress/increases", Why: "progress of the notifications does not rise"})
	}
	return true, nil
}

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
	r.client.NotSeenIf(len(r.notices) < 2, "the call of roles.progress-tool yields a single notification")
	return nil
}

// Who finds more work on the way has a smaller fraction than before, of a larger total.
// A fraction that is rounded may stay where it is.
func fractionRises(r *run) error {
	r.some()
	compared := false
	for i := range r.records[:len(r.records)-1] {
		before, after := r.records[i], r.records[i+1]
		from, was := before.Fraction()
		to, is := after.Fraction()
		if !was || !is || !probe.Same(before.Params["total"], after.Params["total"]) {
			continue
		}
		compared = true
		if to < from {
			return operations.Shown(r.reply, before.Seen, after.Seen).Violation("%s.progress is %v after %v, want no less", after.Where, to, from)
		}
	}
	r.client.NotSeenIf(!compared, "no two records have fractions of one total")
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

// remaining also warns of estimates that have another unit. A wrong estimate breaks no rule, so
// each one has to be far more than the whole call took.
func remaining(r *run) error {
	const name, least, times = "estimated_remaining_seconds", 600, 100
	r.client.Must(each(optional(name, "Remaining"))(r))
	var far []operations.Record
	for _, n := range r.records {
		seconds, _ := n.Number(name)
		switch {
		case seconds >= least && seconds >= times*r.reply.Took().Seconds():
			far = append(far, n)
		case seconds > 0:
			return nil
		}
	}
	if len(far) < 2 {
		return nil
	}
	last := far[len(far)-1]
	return r.violation(last, "%s.%s is %s in a call that took %s from beginning to end, want seconds", last.Where, name,
		probe.Show(last.Fields[name]), r.reply.Took().Round(time.Millisecond)).AtMostWarn()
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
