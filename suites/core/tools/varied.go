package tools

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/inputs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// variedCases call read-only tools with arguments made from their schemas, at the bounds of
// what these allow and with one slip. The operator says how many, and the seed which.
func variedCases() []suite.Case {
	return []suite.Case{{
		ID:     "tools/varied-arguments",
		Title:  "read-only tools answer arguments at the bounds of their schemas, and reject what these exclude",
		Checks: []requirements.ID{"jsonrpc-single-response", "tools-structured-content-conforms", "tools-inputs-validated"},
		Needs:  append(declared(), suite.Role(readOnly)),
		Fix:    "validate the arguments against the published schema, and turn whatever goes wrong behind it into the answer",
		Run:    variedArguments,
	}}
}

// A trial is a call with arguments that were made up, and its answer.
type trial struct {
	inputs.Input
	tool  probe.Item
	plain probe.Object // arguments that are known to fit
}

// longest is how long the calls may take all in all.
const longest = 5 * time.Second

func variedArguments(c *probe.Client) error {
	all := trials(c)
	c.NotSeenIf(len(all) == 0, "the schemas of the read-only tools leave no choice, or --depth is 0")
	began, v, most := time.Now(), variety{}, min(c.Waits().Answer, longest)
	for i, t := range all {
		// Tools that take their time must not hold up the run.
		if time.Since(began) > most {
			c.Note(fmt.Sprintf("%d of %d calls were made, in %s", i, len(all), most))
			break
		}
		if err := v.judge(c, t); err != nil {
			return err
		}
	}
	v.tell(c)
	return v.ran
}

// trials are calls of the read-only tools: of each so many as the operator says, drawn by
// the seed, and the same whenever the case is judged. Half of them are at the bounds.
func trials(c *probe.Client) []trial {
	chance := c.Learn("tools:varied", c.Nonce)
	var all []trial
	safe, listed := c.Survey().Safe, probe.Surveyed(c, protocol.Tools())
	for _, call := range safe[:min(len(safe), c.Waits().Reads)] {
		i := slices.IndexFunc(listed, func(item probe.Item) bool { return item.Key == call.Tool })
		if i < 0 {
			continue
		}
		tool := listed[i]
		seed := fnv.New64a()
		_, _ = seed.Write([]byte(chance + call.Tool))
		random := rand.New(rand.NewPCG(seed.Sum64(), 0))
		fit, slip := possible(tool, probe.Object(call.Arguments))
		all = append(all, drawn(random, fit, slip, c.Waits().Depth)...)
	}
	return all
}

// drawn takes n of two kinds by turns, and of slips first those that only this case judges.
func drawn(random *rand.Rand, first, second []trial, n int) []trial {
	for _, kind := range [][]trial{first, second} {
		random.Shuffle(len(kind), func(i, j int) { kind[i], kind[j] = kind[j], kind[i] })
	}
	slices.SortStableFunc(second, func(a, b trial) int { return cmp.Compare(rank(a), rank(b)) })
	var all []trial
	for i := range max(len(first), len(second)) {
		all = append(all, first[min(i, len(first)):min(i+1, len(first))]...)
		all = append(all, second[min(i, len(second)):min(i+1, len(second))]...)
	}
	return all[:min(n, len(all))]
}

func rank(t trial) int {
	if t.Slip == inputs.Value {
		return 0
	}
	return 1
}

// possible are all calls that can be made up for a tool, with arguments that fit and with
// a slip.
func possible(tool probe.Item, plain probe.Object) (fit, slip []trial) {
	schema := probe.ObjectOf(tool.Get("inputSchema"))
	compiled, err := schemas.Compile(schema)
	if err != nil {
		return nil, nil
	}
	for _, in := range inputs.Bounds(schema, plain) {
		if faults, undecided := validated(compiled, in.Arguments); !undecided && len(faults) == 0 {
			fit = append(fit, trial{in, tool, plain})
		}
	}
	for _, in := range inputs.Slips(schema, plain) {
		if faults, undecided := validated(compiled, in.Arguments); !undecided && len(faults) > 0 {
			slip = append(slip, trial{in, tool, plain})
		}
	}
	return fit, slip
}

// A variety is what became of the calls.
type variety struct {
	ran     error    // a tool ran with what its schema excludes
	refused int      // calls with arguments that fit
	extra   []string // tools that leave out what their schemas do not have
}

// judge makes one call. A tool that runs with a value that its schema excludes warns at
// most: some servers refuse in the text of a result that is not marked as an error, or
// bring a value within its bounds. Other cases judge values of another type, and values
// that are missing.
func (v *variety) judge(c *probe.Client, t trial) error {
	reply := c.Call("tools/call", t.params(t.Arguments), probe.Within(oneToolLimit(c)))
	if reply.Silent() {
		return t.stillSilent(c)
	}
	result, served := reply.Result()
	switch {
	case !served || reply.ErrorFlag():
		if t.Slip == "" && reply.Answered() {
			v.refused++
		}
		return probe.Under(reply.WantAnswer(), "jsonrpc-single-response")
	case !final(result) || result["isError"] != nil && result["isError"] != false:
		return nil
	case t.Slip == inputs.Extra:
		v.extra = append(v.extra, t.tool.Key)
	case t.Slip == inputs.Value && v.ran == nil:
		v.ran = reply.Violation("%s, want an error or a result with isError true", reply.AnswerTo(t.name())).
			AtMostWarn().Under("tools-inputs-validated")
	}
	schema, ok := t.tool.Get("outputSchema").(map[string]any)
	if _, structured := result["structuredContent"]; !ok || !structured {
		return nil
	}
	var err error
	_ = c.Try(func() { err = structuredConforms(c, outcome{reply, result, schema}) }) // some schemas cannot be applied
	return probe.Under(err, "tools-structured-content-conforms")
}

// tell notes what is not judged.
func (v *variety) tell(c *probe.Client) {
	if v.refused > 0 {
		c.Note(fmt.Sprintf("%d calls with arguments that fit were answered with an error; what they name may not exist", v.refused))
	}
	if len(v.extra) > 0 {
		c.Note("arguments that the schema does not have are left out without a word by " + probe.Show(v.extra))
	}
}

func (t trial) name() string { return "a call of " + probe.Show(t.tool.Key) + " with " + t.What }

func (t trial) params(arguments probe.Object) probe.Object {
	return probe.Object{"name": t.tool.Key, "arguments": arguments}
}

// stillSilent excuses a tool that takes its time: the call is made once more, and gets the
// full time of an answer. Where plain arguments are answered no sooner, the tool may be
// slow by nature.
func (t trial) stillSilent(c *probe.Client) error {
	quick := c.Call("tools/call", t.params(t.plain), probe.Within(oneToolLimit(c))).Answered()
	c.UndecideIf(!quick, "no answer from "+probe.Show(t.tool.Key)+", which may take longer by nature")
	again := c.Call("tools/call", t.params(t.Arguments))
	if again.Answered() {
		return nil
	}
	return again.Violation("%s is not answered, and one with other arguments is, want a result or an error", t.name()).
		Under("jsonrpc-single-response")
}
