package inputs_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/inputs"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Each row says what is made for a property p, which is 5, "five" or [5] in the arguments
// that fit.
func TestInputs(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		property string
		given    any
		bounds   []string
		slips    []string
	}{
		"a number": {`{"type":"number","minimum":1,"exclusiveMaximum":9}`, 5,
			[]string{"p at its minimum 1", "p at its exclusiveMaximum 8.9990234375"},
			[]string{"p an object", "p a string", "p beyond its minimum", "p beyond its exclusiveMaximum"}},
		"an integer": {`{"type":"integer","exclusiveMinimum":1}`, 5,
			[]string{"p at its exclusiveMinimum 2"}, []string{"p an object", "p a string", "p beyond its exclusiveMinimum"}},
		"a number without bounds": {`{"type":"number"}`, 5,
			[]string{"p zero", "p below zero, -1"}, []string{"p an object", "p a string"}},
		"an integer with a bound above": {`{"type":"integer","maximum":9}`, 5,
			[]string{"p at its maximum 9", "p zero", "p below zero, -1"}, []string{"p an object", "p a string", "p beyond its maximum"}},
		"a string": {`{"type":"string","minLength":1,"maxLength":12}`, "five",
			[]string{"p at its shortest, 1 characters", "p at its longest, 12 characters", "p outside ASCII"},
			[]string{"p an object", "p a number", "p too short, 0 characters", "p too long, 13 characters"}},
		"a pattern": {`{"type":"string","pattern":"^[a-z]+$"}`, "five",
			nil, []string{"p an object", "p a number", "p in another form"}},
		"a choice": {`{"enum":["five","six"]}`, "five",
			[]string{`p with its choice "five"`, `p with its choice "six"`}, []string{"p an object", "p with none of its choices"}},
		"a boolean": {`{"type":"boolean"}`, true,
			[]string{"p true", "p false"}, []string{"p an object", "p a string"}},
		"an array": {`{"type":"array","items":{"type":"integer","maximum":7}}`, []any{5},
			[]string{"p empty", "an item of p at its maximum 7", "an item of p zero", "an item of p below zero, -1"},
			[]string{"p an object", "p a string", "an item of p an object", "an item of p a string", "an item of p beyond its maximum"}},
		"an object": {`{"type":"object","properties":{"q":{"type":"boolean"}}}`, map[string]any{},
			[]string{"p.q true", "p.q false"}, []string{"p.q an object", "p.q a string"}},
		"what a header repeats": {`{"type":"integer","minimum":1,"x-mcp-header":"P"}`, 5, nil, nil},
		"anything":              {`{}`, 5, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := probe.ObjectOf(value(`{"type":"object","required":["p"],"additionalProperties":false,"properties":{"p":` + row.property + `}}`))
			fitting := probe.Object{"p": row.given}
			if diff := cmp.Diff(row.bounds, names(t, schema, inputs.Bounds(schema, fitting), true)); diff != "" {
				t.Errorf("bounds (-want +got):\n%s", diff)
			}
			want := slices.Concat(row.slips, []string{"p missing", "one that its schema does not have"})
			if diff := cmp.Diff(want, names(t, schema, inputs.Slips(schema, fitting), false)); diff != "" {
				t.Errorf("slips (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(probe.Object{"p": row.given}, fitting); diff != "" {
				t.Errorf("the given arguments were changed: %s", diff)
			}
		})
	}
}

// names are those of the inputs that the schema allows, or excludes.
func names(t *testing.T, schema map[string]any, all []inputs.Input, allowed bool) (named []string) {
	t.Helper()
	compiled, err := schemas.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		faults, _ := compiled.Validate(value(probe.JSON(in.Arguments)))
		if allowed == (len(faults) == 0) {
			named = append(named, in.What)
		}
	}
	return named
}

func value(text string) any { return frame.Read([]byte(text)).Value }
