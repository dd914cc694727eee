package fault_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

type object = map[string]any

// Each row is a change, and the answer to tools/list after the change.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change fault.Change
		want   any // the result
	}{
		"a property": {fault.Set("tools/list", "/result/next", 7), object{"tools": tools("a", "b"), "next": 7}},
		"an object that is not there": {fault.Set("tools/list", "/result/_meta/com.example~1x", nil),
			object{"tools": tools("a", "b"), "_meta": object{"com.example/x": nil}}},
		"one element":                {fault.Set("tools/list", "/result/tools/1/name", "x"), object{"tools": tools("a", "x")}},
		"each element":               {fault.Set("tools/list", "/result/tools/*/name", "x"), object{"tools": tools("x", "x")}},
		"one element more":           {fault.Set("tools/list", "/result/tools/-", object{"name": "c"}), object{"tools": tools("a", "b", "c")}},
		"an element less":            {fault.Drop("tools/list", "/result/tools/0"), object{"tools": tools("b")}},
		"several properties":         {fault.Drop("tools/list", "/result/tools/*/name", "/result/none/of/it"), object{"tools": []any{object{}, object{}}}},
		"another method":             {fault.Set("ping", "/result/next", 7), object{"tools": tools("a", "b")}},
		"an error that is not there": {fault.Set("tools/list", "/error/code", 7), object{"tools": tools("a", "b")}},
		"two changes": {fault.Changes(fault.Drop("tools/list", "/result/tools"), fault.On().Set("/result/next", 7)),
			object{"next": 7}},
		"another answer": {fault.On("tools/list").Instead(func(x fault.Exchange) fault.Message { return x.Answer(1) }), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared := object{"tools": tools("a", "b")}
			m := fault.Message{"jsonrpc": "2.0", "id": 1, "result": shared}
			row.change(fault.Exchange{Method: "tools/list"}, m)
			if diff := cmp.Diff(row.want, m["result"]); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(object{"tools": tools("a", "b")}, shared); diff != "" {
				t.Error("what others share is changed:", diff)
			}
		})
	}
}

func tools(names ...string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = object{"name": name}
	}
	return list
}

// From 2026-07-28 on an answer names the server, whichever of the two types of object it is.
func TestAnswerNamesTheServer(t *testing.T) {
	t.Parallel()
	x := fault.Exchange{Revision: requirements.R20260728}
	if diff := cmp.Diff(x.Answer(object{"tools": 1}), x.Answer(fault.Message{"tools": 1})); diff != "" {
		t.Error(diff)
	}
}

// A notification is known by its own method, and the fault may change it.
func TestOutgoing(t *testing.T) {
	t.Parallel()
	const told = "notifications/progress"
	f := fault.Fault{
		Notify: fault.Changes(fault.Set(told, "/params/progress", 1), fault.Told(told, func(_ fault.Exchange, params fault.Message) {
			params["total"] = 2
		})),
		Send: fault.On("tools/call").Before(fault.Message{"method": "ping"}),
	}
	sent := fault.Message{"method": told, "params": object{"progress": 0}}
	x := fault.Exchange{Method: "tools/call"}
	want := []fault.Message{{"method": told, "params": object{"progress": 1, "total": 2}}}
	if diff := cmp.Diff(want, f.Outgoing(x, sent)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(fault.Message{"method": told, "params": object{"progress": 0}}, sent); diff != "" {
		t.Error("what others are sent is changed:", diff)
	}
	answer := fault.Message{"id": 1, "result": object{}}
	if diff := cmp.Diff([]fault.Message{{"method": "ping"}, answer}, f.Outgoing(x, answer)); diff != "" {
		t.Error(diff)
	}
	var none *fault.Fault
	if diff := cmp.Diff([]fault.Message{answer}, none.Outgoing(x, answer)); diff != "" {
		t.Error(diff)
	}
}

// Faults in Each have the fields of their parent unless they set their own.
func TestFlat(t *testing.T) {
	t.Parallel()
	in := fault.OverStdio(requirements.R20251125)
	faults := fault.Flat([]fault.Fault{
		{Name: "one", Breaks: "a"},
		{In: in, Hangs: true, Each: []fault.Fault{
			{Name: "two", Breaks: "b"},
			{Breaks: "c", Kills: []string{"k"}, Each: []fault.Fault{{Name: "three"}, {Name: "four", Breaks: "d", Kills: []string{"l"}}}},
		}},
	})
	want := []fault.Fault{
		{Name: "one", Breaks: "a"},
		{Name: "two", Breaks: "b", In: in, Hangs: true},
		{Name: "three", Breaks: "c", Kills: []string{"k"}, In: in, Hangs: true},
		{Name: "four", Breaks: "d", Kills: []string{"l"}, In: in, Hangs: true},
	}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Error(diff)
	}
}
