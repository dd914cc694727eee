package inputs_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/inputs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Each row says which calls are made of an answer, beside {"given":"x"}.
func TestKnown(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer, properties string
		want               []string
	}{
		"a value of the same name":  {`{"berth":"A1"}`, `{"berth":{"type":"string"}}`, []string{`{"berth":"A1"}`}},
		"in another spelling":       {`{"BERTH_ID":"A1"}`, `{"berthId":{"type":"string"}}`, []string{`{"berthId":"A1"}`}},
		"an id in a list":           {`{"berths":[{"id":"A1"}]}`, `{"berthId":{"type":"string"}}`, []string{`{"berthId":"A1"}`}},
		"an item of a list":         {`{"berths":["A1"]}`, `{"berth":{"type":"string"}}`, []string{`{"berth":"A1"}`}},
		"a list of what was listed": {`{"entities":[{"name":"A1"}]}`, `{"names":{"type":"array"}}`, []string{`{"names":["A1"]}`}},
		"a number":                  {`{"berth":{"length":12.5}}`, `{"length":{"type":"number"}}`, []string{`{"length":12.5}`}},
		"two values": {`[{"a":"x","b":"y"}]`, `{"a":{},"b":{},"c":{}}`,
			[]string{`{"a":"x","b":"y"}`, `{"a":"x"}`, `{"b":"y"}`}},
		"the newest of many":       {`[{"a":1},{"a":2},{"a":3},{"a":2},{"a":4}]`, `{"a":{}}`, []string{`{"a":2}`, `{"a":3}`, `{"a":4}`}},
		"another name":             {`{"quay":"A1"}`, `{"berth":{"type":"string"}}`, nil},
		"an empty string":          {`{"berth":""}`, `{"berth":{"type":"string"}}`, nil},
		"true":                     {`{"berth":true}`, `{"berth":{"type":"boolean"}}`, nil},
		"what the call has anyway": {`{"given":"x"}`, `{"given":{"type":"string"}}`, nil},
		"what a header repeats":    {`{"berth":"A1"}`, `{"berth":{"type":"string","x-mcp-header":"Berth"}}`, nil},
		"far inside":               {`{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"berth":"A1"}}}}}}}}`, `{"berth":{}}`, nil},
		"no plural":                {`{"press":["A1"]}`, `{"pres":{}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var known inputs.Known
			known.Learn("", value(row.answer))
			schema := probe.ObjectOf(value(`{"properties":` + row.properties + `}`))
			made := map[string]bool{}
			for seed := range uint64(50) {
				for _, in := range known.Later(rand.New(rand.NewPCG(seed, 0)), schema, probe.Object{"given": "x"}) {
					made[probe.JSON(in.Arguments.Without("given"))] = true
				}
			}
			if diff := cmp.Diff(row.want, slices.Sorted(maps.Keys(made))); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}
