package probe_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// The client writes JSON byte for byte as encoding/json does.
func TestJSON(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		nil, true, 0, -7, 1.5, 1e21, uint8(3), "", "plain ~", "a \"quote\" and \\", "tab\tline\n\x00\x1f\x7f", "é 漢 😀 \u2028", "<&>", "\xff",
		[]any(nil), []any{}, []any{1, "a", nil, []any{false}}, []string{"b"}, []int(nil),
		map[string]any(nil), map[string]any{}, map[string]any{"b": 1, "a\n": map[string]any{"<": []any{"&"}}, "c": json.Number("1.50")},
		json.RawMessage(`{"x" : [1, 2]}`), struct {
			A probe.Object `json:"a"`
		}{probe.Object{"k": "<"}},
	} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		if got := probe.JSON(v); got+"\n" != want.String() {
			t.Errorf("%#v is %s, want %s", v, got, want.String())
		}
	}
	long := probe.Object{"_meta": probe.Object{"z": 1}, "list": []any{probe.Object(nil)}, "name": "n", "arguments": map[string]any{}, "cut": "\""}
	const want = `{"cut":"\"","name":"n","arguments":{},"list":[null],"_meta":{"z":1}}`
	if got := probe.JSON(long); got != want {
		t.Errorf("an object is %s, want %s", got, want)
	}
	if got, err := json.Marshal([]any{long}); err != nil || string(got) != "["+want+"]" {
		t.Errorf("within other values it is %s, want %s: %v", got, want, err)
	}
	if got := probe.JSON(make(chan int)); got != "null" {
		t.Errorf("what has no text is %s", got)
	}
}
