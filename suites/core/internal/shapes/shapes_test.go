package shapes_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A row judges each item of its type, and says of the first wrong value what is wrong.
func TestRow(t *testing.T) {
	t.Parallel()
	long := probe.That("two letters or more", func(v any) bool { text, _ := v.(string); return len(text) > 1 })
	row := shapes.Row{At: "/all/*", Type: "a", Values: []shapes.Value{
		{At: "/name", Want: probe.AString()}, {At: "/name", Want: long, Mild: true}, {At: "/kind", Given: true, Want: shapes.OneOf("x", "y")},
		{At: "/note", When: shapes.Text, Want: long},
	}}
	for result, want := range map[string]struct {
		judged, warns bool
		problem       string
	}{
		`{}`:                     {},
		`{"all":{}}`:             {},
		`{"all":[{"type":"b"}]}`: {},
		`{"all":[{"type":"a"}]}`: {judged: true, problem: "$.result.all[0].name is absent, want a string"},
		`{"all":[{"type":"b"},{"type":"a","name":"n"}]}`:           {judged: true, warns: true, problem: `$.result.all[1].name is "n", want two letters or more`},
		`{"all":[{"type":"a","name":"nn","note":7}]}`:              {judged: true},
		`{"all":[{"type":"a","name":"nn","kind":null}]}`:           {judged: true, problem: "$.result.all[0].kind is null, want x or y"},
		`{"all":[{"type":"a","name":"nn"},{"type":"a","name":7}]}`: {judged: true, problem: "$.result.all[1].name is 7, want a string"},
	} {
		said := row.Says(probe.Message{Message: frame.Read([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)), Place: "$"})
		problem, warns := "", false
		if v := said.Violation(); v != nil {
			problem, warns = v.Problem, v.WarnsOnly()
		}
		if said.Judged() != want.judged || problem != want.problem || warns != want.warns {
			t.Errorf("%s: judged %t, warns %t, %q, want %+v", result, said.Judged(), warns, problem, want)
		}
	}
}

// A row owns its values in each of the results, or in the items of the list.
func TestOwns(t *testing.T) {
	t.Parallel()
	row := shapes.Row{Slug: "row", Values: []shapes.Value{{At: "/a", Want: probe.AString()}, {At: "/a", Want: probe.AString(), Mild: true}, {At: "/b", Fits: "B"}}}
	for name, table := range map[string]struct {
		in   shapes.In
		want []suite.Part
	}{
		"results": {shapes.In{Suite: "s", Methods: []string{"m/one"}}, []suite.Part{{Of: "m/one", At: "/a", Depth: suite.Itself}, {Of: "m/one", At: "/b"}}},
		"items": {shapes.In{Suite: "s", List: protocol.Tools()}, []suite.Part{
			{Of: "tools/list", At: "/tools/*/a", Depth: suite.Itself}, {Of: "tools/list", At: "/tools/*/b"},
		}},
		"what is shown": {shapes.In{Suite: "s", Watch: func(shapes.Judge) func() probe.Watcher { return nil }}, nil},
	} {
		if got := shapes.Cases(table.in, row)[0].Owns; !slices.Equal(got, table.want) {
			t.Errorf("%s: got %v, want %v", name, got, table.want)
		}
	}
}
