package transactions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// both makes a case for each form of a step, which the title names in the place of %s.
// Slugs of calls say so.
func both(slug, title string, rule requirements.ID, fix string, run func(b *bench.Bench, w way) error) []suite.Case {
	in := func(f form) func(b *bench.Bench) error {
		return func(b *bench.Bench) error { return run(b, inForm(b, f)) }
	}
	return []suite.Case{
		stepped(slug, fmt.Sprintf(title, byMethod), rule, fix, in(byMethod)),
		stepped(slug+"-call", fmt.Sprintf(title, byCall), rule, fix, in(byCall)),
	}
}

func compensations() []suite.Case {
	return both("compensation", "a successful %s in a transaction says which call undoes it", "ext-transaction-step-compensation",
		"answer each step that changed something with a compensation: the tool that undoes it, and arguments that it accepts", compensation)
}

// A second step that does what the first one has done already may have nothing to undo.
func compensation(b *bench.Bench, w way) error {
	id, calls := prepare(b, 3)
	run := func(i int) done { return runStep(b, request{way: w, transaction: id, call: calls[i].ToolCall}) }
	one := run(0)
	b.Must(one.wantDone())
	b.Must(one.wantCompensation())
	second := b.Watch(calls[1].ToolCall)
	s := run(1)
	if !proposal.Done(s.Reply) {
		return nil // that it can succeed is what other cases rest on
	}
	if _, same := b.Look(second, false); same {
		return nil
	}
	b.Must(s.wantCompensation())
	if again := run(2); proposal.Done(again.Reply) {
		return again.wantOwn(one)
	}
	return nil
}

// wantOwn warns where a step names the compensation of an earlier one of the same tool, with a
// value that the earlier call or its result holds in a place where its own holds another.
func (s done) wantOwn(earlier done) error {
	found, there := s.property("compensation")
	before, too := earlier.property("compensation")
	if !there || !too || !probe.Same(found.Value, before.Value) {
		return nil
	}
	own, other := s.values(), earlier.values()
	for _, text := range probe.Texts(found.Value) {
		for _, at := range slices.Sorted(maps.Keys(other)) {
			if mine, given := own[at]; given && other[at] == text && mine != text {
				return probe.Shown(earlier, s).Violation("%s holds %s, the %s of an earlier step, want %s of this one",
					found.Place, probe.Show(text), at, probe.Show(mine)).AtMostWarn()
			}
		}
	}
	return nil
}

// values are the strings in the arguments of a step and in its result, by where they stand.
func (s done) values() map[string]string {
	result, _ := s.Result()
	payload := probe.Payload(result)
	if s.sent.form == byMethod {
		payload = s.object()["result"]
	}
	all := map[string]string{}
	for place, object := range map[string]map[string]any{"argument": s.sent.call.Arguments, "result": probe.ObjectOf(payload)} {
		for name, value := range object {
			if text, ok := value.(string); ok {
				all[place+" "+name] = text
			}
		}
	}
	return all
}

func (s done) wantCompensation() error {
	b, w := s.bench, s.sent.way
	found, ok := s.property("compensation")
	if !ok {
		return s.Violation("the answer to a step has no compensation, want an object that names a tool")
	}
	call, ok := found.Value.(map[string]any)
	if name, named := found.Value.(string); named && proposal.Lists(b.Client, name) {
		return s.Violation("%s is the name of a tool, %q, want an object with that tool and its arguments", found.Place, name).AtMostWarn()
	}
	if !ok {
		return s.Violation("%s is %s, want an object that names a tool", found.Place, probe.Show(found.Value))
	}
	tool, ok := call["tool"].(string)
	if !ok || tool == "" {
		return s.Violation("%s.tool is %s, want the name of a tool", found.Place, probe.Show(probe.Member(call, "tool")))
	}
	name, arguments := "arguments", call["arguments"]
	if arguments == nil {
		name, arguments = "parameters", call["parameters"]
	}
	if arguments == nil {
		return s.Violation("%s has neither arguments nor parameters, want those of the call", found.Place).AtMostWarn()
	}
	if problem := proposal.Misfit(b.Client, tool, arguments); problem != "" {
		return s.Violation("%s.%s does not fit the inputSchema of %s: %s", found.Place, name, tool, problem).AtMostWarn()
	}
	told, given := call["description"]
	if _, text := told.(string); given && !text {
		return s.Violation("%s.description is %s, want a string", found.Place, probe.Show(told)).AtMostWarn()
	}
	if !proposal.Lists(b.Client, tool) {
		b.Note("the compensation names " + tool + ", which tools/list does not have")
	}
	if w.form == byCall && !strings.HasPrefix(found.Place, "_meta") {
		b.Note("compensation stands in " + found.Place + ", an older form; the canonical place is _meta.compensation")
	}
	return proposal.Agree(s.Reply, "compensation", found)
}

func stepIDs() []suite.Case {
	return []suite.Case{
		stepped("step-id-kept", "the answer to transaction/step has the step_id of the client", "ext-transaction-step-ids",
			"answer transaction/step with the step_id of its params", stepIDKept),
		stepped("step-ids-distinct", "two steps of a transaction have different ids", "ext-transaction-step-ids",
			"give each step of a transaction an id of its own where the client gives none", stepIDsDistinct),
		stepped("step-id-used", "a step_id that is used already does not register another action", "ext-transaction-step-ids",
			"look the step_id up in the transaction before the tool runs, and reject a known one", stepIDUsed),
		stepped("step-ok", "the answer to a transaction/step that succeeded has the status ok, and an object as result",
			"ext-transaction-step-status",
			"answer a step whose tool succeeded with status ok, and with an object as result", stepOK),
		stepped("step-refused", "a call that is refused outside of transactions is not answered as a success when it is a step",
			"ext-transaction-step-status",
			"look whether the call of a step was refused, and answer with the status failed or with the error then", stepRefused),
		stepped("step-failed", "the answer to a transaction/step that failed has the status failed, an error and no compensation",
			"ext-transaction-step-status",
			"answer a step whose tool failed with status failed and a structured error, and register nothing to undo", stepFailed, "failing-step"),
		stepped("step-failed-call", "a call that fails in a transaction is marked with isError and has no compensation",
			"ext-transaction-step-status",
			"answer a failing tool with isError as outside of transactions, and register nothing to undo", stepFailedCall, "failing-step"),
	}
}

func stepIDKept(b *bench.Bench) error {
	w := inForm(b, byMethod)
	id, calls := prepare(b, 1)
	sent := b.ID()
	s := needStep(b, request{way: w, transaction: id, call: calls[0].ToolCall, id: sent})
	if found, ok := s.property("step_id"); !ok || found.Value != sent {
		return s.Violation("step_id of the answer is %s, want %s as sent", shown(found.Value, ok), probe.Show(sent))
	}
	if named, ok := s.property("transaction_id"); ok && named.Value != id {
		return s.Violation("transaction_id of the answer is %s, want %s as sent", probe.Show(named.Value), probe.Show(id)).AtMostWarn()
	}
	return nil
}

func shown(v any, there bool) string {
	if !there {
		return "absent"
	}
	return probe.Show(v)
}

// Calls are the better way to see ids that the server makes itself.
func stepIDsDistinct(b *bench.Bench) error {
	var w way
	if b.Try(func() { w = inForm(b, byCall) }) != nil {
		w = usualForm(b)
	}
	id, calls := prepare(b, 2)
	steps := runAll(b, w, id, calls)
	one, first := steps[0].property("step_id")
	other, second := steps[1].property("step_id")
	switch {
	case !first || !second:
		err := b.Said.Violation("the answers to two steps do not both have a step_id, want one in each")
		if w.form == byCall {
			return err.AtMostWarn()
		}
		return err
	case probe.Same(one.Value, other.Value):
		return b.Said.Violation("step_id is %s in the answers to two steps, want different ids", probe.Show(one.Value))
	}
	return nil
}

// The other action is refused, or taken for a repeat of the first: either way it has
// no effect.
func stepIDUsed(b *bench.Bench) error {
	w, id, calls := ready(b, 2)
	sent := b.ID()
	b.Said = nil // it is the steps that show it
	s := needStep(b, request{way: w, transaction: id, call: calls[0].ToolCall, id: sent})
	b.NotSeenIf(s.stepID() != sent, "the server does not take the step_id of the client")
	b.Look(calls[0], false)
	other := b.Watch(calls[1].ToolCall)
	runStep(b, request{way: w, transaction: id, call: other.ToolCall, id: sent})
	return b.WantNoEffect(other, "another action under a step_id that was used")
}

func stepOK(b *bench.Bench) error {
	w := inForm(b, byMethod)
	id, calls := prepare(b, 1)
	s := runStep(b, request{way: w, transaction: id, call: calls[0].ToolCall})
	b.Must(s.wantDone())
	answer := s.object()
	if answer["status"] != "ok" {
		return s.Violation(`status of the answer to a step that succeeded is %s, want "ok"`, probe.Show(probe.Member(answer, "status")))
	}
	if result, ok := answer["result"]; ok {
		if _, object := result.(map[string]any); !object {
			return s.Violation("result of the answer to a step is %s, want an object", probe.Show(result))
		}
	}
	return nil
}

// stepRefused makes a step of a tool that there is not, and one with arguments that their tool
// refuses, as a role says. A plain call tells whether the server refuses them.
func stepRefused(b *bench.Bench) error {
	w, id, calls := ready(b, 1)
	none := *calls[0].ToolCall
	none.Tool = "no_such_tool_" + b.Nonce()
	all := []*probe.ToolCall{&none}
	role := b.Role(roles.InvalidInput)
	if role.From("invalid-arguments") == roles.Config {
		all = append(all, role.Call().Using("invalid-arguments"))
	}
	for _, call := range all {
		s := request{way: w, transaction: id, call: call}
		reply := s.start(b).Reply()
		b.Said = b.Said.And(reply)
		if !proposal.Done(reply) {
			continue
		}
		plain := b.MakeCall(bench.Call{Tool: call, Dialect: proposal.Bare})
		if plain.Answered() && !proposal.Done(plain) {
			return b.Said.Violation("%s, and outside of transactions %s, want the status failed or an error",
				reply.AnswerTo("the step"), plain.AnswerTo("the call of "+call.Tool))
		}
	}
	return nil
}

// fail runs the step of the role that fails. It may have no observer.
func fail(b *bench.Bench, f form) done {
	w := inForm(b, f)
	call := b.Role(roles.Transaction).Field("failing-step")
	return runStep(b, request{way: w, transaction: open(b, 60), call: call})
}

// A JSON-RPC error says that a step failed, too.
func stepFailed(b *bench.Bench) error {
	s := fail(b, byMethod)
	if s.Failed() && proposal.Declined(s.Reply) {
		b.Note("a failing step is answered with a JSON-RPC error; a result with the status failed says more")
		return nil
	}
	b.Must(s.WantResult())
	answer := s.object()
	if answer["status"] != "failed" {
		b.NotSeenIf(answer["status"] != "ok" && statusless(b), "a step that succeeds has no status either, which ext-transactions/step-ok judges")
		return s.Violation(`status of the answer to a step that failed is %s, want "failed"`, probe.Show(probe.Member(answer, "status")))
	}
	b.Must(s.wantNoCompensation())
	record, ok := answer["error"].(map[string]any)
	if !ok {
		return s.Violation("error of the answer to a step that failed is %s, want an object with code, message and category",
			probe.Show(probe.Member(answer, "error"))).AtMostWarn()
	}
	for _, name := range []string{"code", "message", "category"} {
		if _, ok := record[name].(string); !ok {
			return s.Violation("error.%s of the answer to a step that failed is %s, want a string", name,
				probe.Show(probe.Member(record, name))).AtMostWarn().Unless(proposal.Misrecorded(record))
		}
	}
	return nil
}

// statusless reports whether the answer to a step that succeeds says neither ok nor failed.
func statusless(b *bench.Bench) bool {
	id, calls := prepare(b, 1)
	s := runStep(b, request{way: way{form: byMethod}, transaction: id, call: calls[0].ToolCall})
	status := s.object()["status"]
	return s.wantDone() == nil && status != "ok" && status != "failed"
}

func stepFailedCall(b *bench.Bench) error {
	s := fail(b, byCall)
	b.Must(wantRejected(b, s.Reply))
	return s.wantNoCompensation()
}

func (s done) wantNoCompensation() error {
	if found, ok := s.property("compensation"); ok && found.Value != nil {
		return s.Violation("%s of a step that failed is %s, want no compensation", found.Place, probe.Show(found.Value))
	}
	return nil
}

// A part is what each step needs.
type part struct{ slug, name string }

func parts() []part {
	return []part{{"transaction", "transaction_id"}, {"id", "step_id"}, {"tool", "tool"}, {"parameters", "parameters"}}
}

// incomplete is the trial of steps without one of their parts.
const incomplete = "transactions:incomplete-steps"

func incompleteSteps() []suite.Case {
	var cases []suite.Case
	for _, row := range parts() {
		cases = append(cases, bench.Tried(incomplete, stepped("step-without-"+row.slug,
			fmt.Sprintf("a transaction/step without %s is rejected before anything runs", row.name), "ext-transaction-step-required",
			"check that transaction_id, step_id, tool and parameters are there before the tool runs",
			func(b *bench.Bench) error { return wantRejectedWithout(b, row.name) })))
	}
	return cases
}

func wantRejectedWithout(b *bench.Bench, name string) error {
	inForm(b, byMethod)
	quiet := bench.Quiet(b, incomplete, func() bench.Watched {
		id, calls := prepare(b, 1)
		for _, row := range parts() {
			stepWithout(b, row.name, id, calls[0])
		}
		return calls[0]
	})
	id, calls := prepare(b, 1)
	calls[0].Quiet = quiet
	b.Must(wantRejected(b, stepWithout(b, name, id, calls[0])))
	return b.WantNoEffect(calls[0], "the rejection of a transaction/step without "+name)
}

func stepWithout(b *bench.Bench, name, transaction string, call bench.Watched) *probe.Reply {
	s := request{way: way{form: byMethod}, transaction: transaction, call: call.ToolCall, id: b.ID()}
	return b.CallMethod(stepMethod(), s.whole().Without(name)).Reply
}
