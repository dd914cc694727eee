package core

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func TestEncodeWritesAsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, value := range []any{
		nil, true, false, 0, -7, int64(9), 1.5, 1e21, 1e-9, json.Number("1e400"), json.Number("0.10"),
		"", "plain", `"quoted" \ text`, "<&>", "tab\tline\nbell\a", "\x7f", "ä€𝄞", "\u2028\u2029", "broken \xff", "\x00",
		map[string]any{}, map[string]any(nil), map[string]any{"b": 1, "a": []any{}, `"`: nil, "ä": map[string]any{"x": "y"}},
		fault.Message{"one": fault.Message{"two": "three"}}, fault.Message(nil),
		[]any{1, "a", nil, []any{true}}, []any(nil), []fault.Message{{"a": 1}, nil}, []fault.Message(nil), []string{"a", "<"},
		json.RawMessage(" {\"spaced\" : 1,\n\"more\":[ ] } "), map[string]any{"id": json.RawMessage(" 1 ")},
		struct {
			B int `json:"b"`
			A any `json:"a,omitempty"`
		}{B: 1},
	} {
		got, err := appendJSON([]byte("before "), value)
		if err != nil {
			t.Errorf("%#v: %v", value, err)
			continue
		}
		if want := "before " + library(t, value); string(got) != want {
			t.Errorf("%#v: got %s, want %s", value, got, want)
		}
	}
}

func library(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

func TestEncodeMakesNullOfWhatNoJSONCanSay(t *testing.T) {
	t.Parallel()
	m := fault.Message{"zebra": 1, "result": map[string]any{"deep": []any{math.NaN()}}, "id": json.RawMessage("{"), "jsonrpc": "2.0", "apple": 2}
	want := `{"jsonrpc":"2.0","id":null,"result":null,"apple":2,"zebra":1}`
	if got := string(Encode(m)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
