package tools

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/inputs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// variedCalls names the calls that several cases judge. Those with plain arguments belong to them, since what is
// wrong with these too is left to their cases.
const variedCalls = "tools:varied-calls"

// variedCases call read-only tools with arguments made from their schemas, at the bounds of
// what these allow and with one slip. The operator says how many, and the seed which.
func variedCases() []suite.Case {
	return []suite.Case{{
		ID:     "tools/varied-arguments",
		Title:  "read-only tools answer arguments at the bounds of their schemas, and reject what these exclude",
		Checks: []requirements.ID{"jsonrpc-single-response", "tools-inputs-validated"},
		Needs:  append(declared(), suite.Role(readOnly)),
		Fix:    "validate the arguments against the published schema, and turn whatever goes wrong behind it into the answer",
		Trial:  variedCalls,
		Run:    variedArguments,
	}, {
		ID:     "tools/varied-structured-content",
		Title:  "structured content fits its schema also with arguments at the bounds of what their schemas allow",
		Checks: []requirements.ID{"tools-structured-content-conforms", "tools-structured-content-present"},
		Needs:  append(declared(), suite.Role(readOnly)),
		Fix:    "return structuredContent that fits the outputSchema with each result, whatever the arguments are, or correct that schema",
		Trial:  variedCalls,
		Run:    variedContent,
	}, {
		ID:     "tools/varied-structured-text",
		Title:  "structured content and the JSON in a text block agree also with arguments at the bounds of what their schemas allow",
		Checks: []requirements.ID{"tools-structured-content-text-copy"},
		Needs:  append(declared(), suite.Role(readOnly)),
		Fix:    "make structuredContent and the text block from the same value of the same call",
		Trial:  variedCalls,
		Run:    variedText,
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
	v := vary(c)
	if v.err != nil {
		return v.err
	}
	c.UndecideIf(v.slow != "", v.slow)
	v.tell(c)
	return v.ran
}

func variedContent(c *probe.Client) error {
	return varyContents(c).content
}

func variedText(c *probe.Client) error {
	return varyContents(c).text
}

// varyContents makes the calls for a case that judges results of tools with an output schema.
func varyContents(c *probe.Client) *variety {
	v := vary(c)
	c.UndecideIf(v.contents == 0 && v.cut != "", v.cut)
	c.NotSeenIf(v.contents == 0, "no call with varied arguments got a result of a tool with an output schema")
	return v
}

// vary makes the calls, once for the connection.
func vary(c *probe.Client) *variety {
	return probe.Once(c, variedCalls, func() (*variety, bool) {
		all, v := subjects(c), &variety{}
		c.NotSeenIf(!slices.ContainsFunc(all, choice) || c.Waits().Depth == 0,
			"the schemas of the read-only tools leave no choice, or --depth is 0")
		for _, l := range []protocol.List{protocol.Resources(), protocol.Prompts()} {
			for _, item := range probe.Surveyed(c, l) {
				v.known.Learn(strings.TrimSuffix(l.Items, "s"), item.Value)
			}
		}
		v.listen(c, all)
		v.callAll(c, all)
		return v, true
	})
}

// callAll makes the calls of all tools, up to one that is not answered.
func (v *variety) callAll(c *probe.Client, all []subject) {
	began, most := time.Now(), min(c.Waits().Answer, longest)
	for _, s := range all {
		for _, t := range s.trials(&v.known, c.Waits().Depth) {
			// Tools that take their time must not hold up the run.
			if time.Since(began) > most {
				v.cut = fmt.Sprintf("only %d calls were made, in %s", v.made, most)
				return
			}
			v.made++
			if v.err = v.judge(c, t); v.err != nil || v.slow != "" {
				return
			}
		}
	}
}

// A subject is a read-only tool, and what can be made up for it.
type subject struct {
	tool      probe.Item
	plain     probe.Object
	random    *rand.Rand
	schema    map[string]any
	compiled  *schemas.Schema
	fit, slip []trial
}

func choice(s subject) bool { return len(s.fit)+len(s.slip) > 0 }

// subjects are the read-only tools, those first that need the least: what they answer may
// be what others ask for.
func subjects(c *probe.Client) []subject {
	chance := c.Learn("tools:varied", c.Nonce)
	var all []subject
	safe, listed := c.Survey().Safe, probe.Surveyed(c, protocol.Tools())
	for _, call := range safe[:min(len(safe), c.Waits().Reads)] {
		i := slices.IndexFunc(listed, func(item probe.Item) bool { return item.Key == call.Tool })
		if i < 0 {
			continue
		}
		s := subject{tool: listed[i], plain: probe.Object(call.Arguments), schema: probe.ObjectOf(listed[i].Get("inputSchema"))}
		seed := fnv.New64a()
		_, _ = seed.Write([]byte(chance + call.Tool))
		s.random = rand.New(rand.NewPCG(seed.Sum64(), 0))
		var err error
		if s.compiled, err = schemas.Compile(s.schema); err == nil {
			s.fit, s.slip = s.fitting(inputs.Bounds(s.schema, s.plain)), s.slipping()
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b subject) int { return cmp.Compare(a.required(), b.required()) })
	return all
}

func (s subject) required() int { return len(probe.ArrayOf(s.schema["required"])) }

// trials are so many calls as the operator says, drawn by the seed, and the same whenever
// the case is judged. Half of them fit, and the first of these has values of earlier
// answers.
func (s subject) trials(known *inputs.Known, depth int) []trial {
	later := s.fitting(known.Later(s.random, s.schema, s.plain))
	return drawn(s.random, later[:min(1, len(later))], s.fit, s.slip, depth)
}

// drawn takes n of two kinds by turns: of those that fit the first ones first, and of slips
// those that only this case judges.
func drawn(random *rand.Rand, first, fit, slip []trial, n int) []trial {
	for _, kind := range [][]trial{fit, slip} {
		random.Shuffle(len(kind), func(i, j int) { kind[i], kind[j] = kind[j], kind[i] })
	}
	slices.SortStableFunc(slip, func(a, b trial) int { return cmp.Compare(rank(a), rank(b)) })
	fit = slices.Concat(first, fit)
	var all []trial
	for i := range max(len(fit), len(slip)) {
		all = append(all, fit[min(i, len(fit)):min(i+1, len(fit))]...)
		all = append(all, slip[min(i, len(slip)):min(i+1, len(slip))]...)
	}
	return all[:min(n, len(all))]
}

func rank(t trial) int {
	if t.Slip == inputs.Value {
		return 0
	}
	return 1
}

// fitting are calls with arguments that the schema allows.
func (s subject) fitting(all []inputs.Input) (fit []trial) {
	for _, in := range all {
		if faults, undecided := validated(s.compiled, in.Arguments); !undecided && len(faults) == 0 {
			fit = append(fit, trial{in, s.tool, s.plain})
		}
	}
	return fit
}

// slipping are calls with arguments that the schema excludes.
func (s subject) slipping() (slip []trial) {
	for _, in := range inputs.Slips(s.schema, s.plain) {
		if faults, undecided := validated(s.compiled, in.Arguments); !undecided && len(faults) > 0 {
			slip = append(slip, trial{in, s.tool, s.plain})
		}
	}
	return slip
}

// A variety is what became of the calls.
type variety struct {
	known    inputs.Known
	made     int      // calls
	cut      string   // why no more were made
	err      error    // a call is not answered
	slow     string   // why an answer is not awaited
	ran      error    // a tool ran with what its schema excludes
	contents int      // results of tools with an output schema
	content  error    // the first one that does not keep what its tool declares
	text     error    // the first one that a text block contradicts
	refused  int      // calls with arguments that fit
	extra    []string // tools that leave out what their schemas do not have
}

// listen calls tools without arguments, if others require something that these may list.
// Other cases judge their answers; after one that takes its time the rest is left alone.
func (v *variety) listen(c *probe.Client, all []subject) {
	const most, patience = 8, time.Second
	if !slices.ContainsFunc(all, func(s subject) bool { return choice(s) && s.required() > 0 }) {
		return
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return len(probe.ObjectOf(s.schema["properties"])) > 0 })
	for _, s := range all[:min(len(all), most)] {
		params := trial{tool: s.tool}.params(s.plain)
		reply := c.Call("tools/call", params, probe.Within(min(oneToolLimit(c), patience)))
		if reply.Silent() {
			return
		}
		if result, ok := reply.Result(); ok && !reply.ErrorFlag() {
			v.known.Learn("", shownBy(result))
		}
	}
}

// judge makes one call. A tool that runs with a value that its schema excludes warns at
// most: some servers refuse in the text of a result that is not marked as an error, or
// bring a value within its bounds. Other cases judge values of another type, and values
// that are missing.
func (v *variety) judge(c *probe.Client, t trial) error {
	reply := c.Call("tools/call", t.params(t.Arguments), probe.Within(oneToolLimit(c)))
	if reply.Silent() {
		var err error
		v.slow, err = t.stillSilent(c)
		return err
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
	case t.Slip == inputs.Value && v.ran == nil && c.Try(c.MustMarkFailures) == nil:
		v.ran = reply.Violation("%s, want an error or a result with isError true", reply.AnswerTo(t.name())).
			AtMostWarn().Under("tools-inputs-validated").
			Unless(probe.Elsewhere{Case: "tools/inputs-validated-type", Why: "arguments of a wrong type are accepted, too"})
	}
	v.known.Learn("", shownBy(result))
	if schema, ok := t.tool.Get("outputSchema").(map[string]any); ok {
		o := outcome{reply, result, schema}
		v.contents++
		if v.content == nil {
			v.content = t.content(c, o)
		}
		if v.text == nil {
			v.text = t.text(c, o)
		}
	}
	return nil
}

// shownBy are the values of a result: its structured content, or texts that hold JSON.
func shownBy(result map[string]any) any {
	if value, ok := result["structuredContent"]; ok {
		return value
	}
	return jsonTexts(result)
}

// tell notes what is not judged.
func (v *variety) tell(c *probe.Client) {
	if v.cut != "" {
		c.Note(v.cut)
	}
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
// slow by nature. Others may ask for more work, such as a search without a place to search
// in, and so this warns at most.
func (t trial) stillSilent(c *probe.Client) (slow string, err error) {
	quick := c.Call("tools/call", t.params(t.plain), probe.Within(oneToolLimit(c))).Answered()
	if !quick {
		return "no answer from " + probe.Show(t.tool.Key) + ", which may take longer by nature", nil
	}
	again := c.Call("tools/call", t.params(t.Arguments))
	if again.Answered() {
		return "", nil
	}
	return "", again.Violation("%s is not answered within %s, and one with other arguments is, want a result or an error",
		t.name(), c.Waits().Answer).AtMostWarn().Under("jsonrpc-single-response")
}
