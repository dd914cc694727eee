package frame_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

func TestReadClass(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw string
		class     frame.Class
		id        string
		hasID     bool
		method    string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, frame.Request, "1", true, "ping"},
		{"spaced id", `{"id" : "a" , "method":"ping"}`, frame.Request, `"a"`, true, "ping"},
		{"escaped id", `{"id":"\u0061","method":"ping"}`, frame.Request, `"\u0061"`, true, "ping"},
		{"null error beside a result", `{"id":1,"result":{},"error":null}`, frame.Result, "1", true, ""},
		{"null error", `{"id":1,"error":null}`, frame.Error, "1", true, ""},
		{"null result beside an error", `{"id":1,"result":null,"error":{}}`, frame.Error, "1", true, ""},
		{"null id", `{"id":null,"method":"ping"}`, frame.Request, "null", true, "ping"},
		{"exponent id", `{"id":1e3,"result":{}}`, frame.Result, "1e3", true, ""},
		{"huge id", `{"id":9007199254740993,"result":{}}`, frame.Result, "9007199254740993", true, ""},
		{"fraction id", `{"id":1.50,"result":{}}`, frame.Result, "1.50", true, ""},
		{"object id", `{"id":{"a": [1]},"result":{}}`, frame.Result, `{"a": [1]}`, true, ""},
		{"last id counts", `{"id":1,"id":2,"result":{}}`, frame.Result, "2", true, ""},
		{"notification", `{"method":"x"}`, frame.Notification, "", false, "x"},
		{"empty method", `{"method":""}`, frame.Notification, "", false, ""},
		{"error", `{"id":1,"error":{}}`, frame.Error, "1", true, ""},
		{"error without id", `{"error":{}}`, frame.Error, "", false, ""},
		{"result and error", `{"id":1,"result":{},"error":{}}`, frame.Error, "1", true, ""},
		{"other case", `{"ID":1,"METHOD":"ping","Result":{}}`, frame.NotAMessage, "", false, ""},
		{"method a number", `{"id":1,"method":5}`, frame.NotAMessage, "1", true, ""},
		{"empty object", `{}`, frame.NotAMessage, "", false, ""},
		{"nested id only", `{"params":{"id":1},"method":"x"}`, frame.Notification, "", false, "x"},
		{"string", `"ping"`, frame.NotAMessage, "", false, ""},
		{"null", `null`, frame.NotAMessage, "", false, ""},
		{"number", `-0.5`, frame.NotAMessage, "", false, ""},
		{"carriage return", "{\"id\":1,\"result\":{}}\r", frame.Result, "1", true, ""},
		{"empty batch", `[]`, frame.Batch, "", false, ""},
		{"empty", ``, frame.NotJSON, "", false, ""},
		{"spaces", `   `, frame.NotJSON, "", false, ""},
		{"words", `Server started`, frame.NotJSON, "", false, ""},
		{"number and words", `2026 server started`, frame.NotJSON, "", false, ""},
		{"date", `2026-01-01 server started`, frame.NotJSON, "", false, ""},
		{"half", `{"id":1,"method":`, frame.NotJSON, "", false, ""},
		{"name no string", `{1:2}`, frame.NotJSON, "", false, ""},
		{"bare comma", `{"id":1,}`, frame.NotJSON, "", false, ""},
		{"leading zero", `{"id":01}`, frame.NotJSON, "", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := frame.Read([]byte(tt.raw))
			if m.Class != tt.class || m.ID != tt.id || m.HasID != tt.hasID || m.Method != tt.method {
				t.Errorf("got %v id %q %v method %q, want %v id %q %v method %q",
					m.Class, m.ID, m.HasID, m.Method, tt.class, tt.id, tt.hasID, tt.method)
			}
			if wantProblem := tt.class == frame.NotJSON || tt.name == "last id counts"; wantProblem != (len(m.Problems) > 0) {
				t.Errorf("problems: %+v", m.Problems)
			}
		})
	}
}

func TestReadProblems(t *testing.T) {
	t.Parallel()
	type problem struct {
		Kind    frame.ProblemKind
		Pointer string
	}
	for _, tt := range []struct {
		name, raw string
		want      []problem
		value     any
	}{
		{"good", `{"a":"\ud83d\ude00 \\ud800 é"}`, nil, map[string]any{"a": "😀 \\ud800 é"}},
		{"duplicate", `{"a":1,"b":{"c":1,"c":2},"a":3}`, []problem{{frame.Duplicate, "/b/c"}, {frame.Duplicate, "/a"}},
			map[string]any{"a": json.Number("3"), "b": map[string]any{"c": json.Number("2")}}},
		{"escaped duplicate", `{"a":1,"\u0061":2}`, []problem{{frame.Duplicate, "/a"}}, map[string]any{"a": json.Number("2")}},
		{"bad UTF-8", "{\"a\":\"x\xffy\"}", []problem{{frame.BadUTF8, "/a"}}, map[string]any{"a": "x\uFFFDy"}},
		{"bad UTF-8 in a name", "{\"\xff\":true}", []problem{{frame.BadUTF8, "/\uFFFD"}}, map[string]any{"\uFFFD": true}},
		{"high half", `["\ud800"]`, []problem{{frame.LoneSurrogate, "/0"}}, []any{"\uFFFD"}},
		{"low half", `["\uDC00x"]`, []problem{{frame.LoneSurrogate, "/0"}}, []any{"\uFFFDx"}},
		{"two highs", `["\ud800\ud800"]`, []problem{{frame.LoneSurrogate, "/0"}}, []any{"\uFFFD\uFFFD"}},
		{"trailing", `{"id":1} {"id":2}`, []problem{{frame.Trailing, ""}}, map[string]any{"id": json.Number("1")}},
		{"trailing brace", `{"id":1}}`, []problem{{frame.Trailing, ""}}, map[string]any{"id": json.Number("1")}},
		{"mark", "\xef\xbb\xbf{}", []problem{{frame.BOM, ""}}, map[string]any{}},
		{"exact numbers", `[1e400,123456789012345678901234567890,0.10,-0]`, nil,
			[]any{json.Number("1e400"), json.Number("123456789012345678901234567890"), json.Number("0.10"), json.Number("-0")}},
		{"syntax", `{"a":tru}`, []problem{{frame.Syntax, "/a"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := frame.Read([]byte(tt.raw))
			var got []problem
			for _, p := range m.Problems {
				got = append(got, problem{p.Kind, p.Pointer})
				if !m.Has(p.Kind) || p.Text == "" {
					t.Errorf("problem %+v", p)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.value, m.Value); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte {
		return []byte(`{"id":1,"result":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	if m := frame.Read(nested(9_000)); m.Class != frame.Result || len(m.Problems) != 0 {
		t.Errorf("9000 levels: %v %v", m.Class, m.Problems)
	}
	for _, raw := range [][]byte{nested(20_000), bytes.Repeat([]byte("["), 1<<20), bytes.Repeat([]byte(`{"a":`), 1<<18)} {
		if m := frame.Read(raw); m.Class != frame.NotJSON || !m.Has(frame.TooLarge) {
			t.Errorf("too deep: %v %+v", m.Class, m.Problems)
		}
	}
}

func TestReadTooManyValues(t *testing.T) {
	t.Parallel()
	batch := "[" + strings.Repeat("1,", 1<<18) + "1]"
	for _, raw := range []string{batch, `{"a":[` + strings.Repeat("[],", 1<<21) + `1]}`} {
		if m := frame.Read([]byte(raw)); m.Class != frame.NotJSON || !m.Has(frame.TooLarge) {
			t.Errorf("got %v %+v", m.Class, m.Problems)
		}
	}
}

func TestReadBatch(t *testing.T) {
	t.Parallel()
	m := frame.Read([]byte(`[{"id":1,"method":"a"},{"id": 2.0 ,"result":{"id":9}},3,[{"method":"b"}],{"method":"c"}]`))
	var got []string
	for _, e := range m.Batch {
		got = append(got, e.Class.String()+" "+e.ID+e.Method)
	}
	want := []string{"request 1a", "result 2.0", "not a message ", "not a message ", "notification c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v, ok := m.At("/1/result/id"); !ok || v != json.Number("9") {
		t.Errorf("got %v %v", v, ok)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	m := frame.Read([]byte(`{"a/b":{"~":[10,{"":null}]},"x":1}`))
	for _, tt := range []struct {
		pointer string
		want    any
		ok      bool
	}{
		{"/x", json.Number("1"), true},
		{"/a~1b/~0/0", json.Number("10"), true},
		{"/a~1b/~0/1/", nil, true},
		{"/a~1b/~0/01", nil, false},
		{"/a~1b/~0/-", nil, false},
		{"/a~1b/~0/2", nil, false},
		{"/a~1b/~0/99999999999999999999", nil, false},
		{"/x/y", nil, false},
		{"x", nil, false},
		{"/X", nil, false},
	} {
		got, ok := m.At(tt.pointer)
		if ok != tt.ok || !cmp.Equal(got, tt.want) {
			t.Errorf("%s: got %v %v, want %v %v", tt.pointer, got, ok, tt.want, tt.ok)
		}
	}
	if v, ok := m.At(""); !ok || !cmp.Equal(v, m.Value) {
		t.Errorf("root: %v %v", v, ok)
	}
	if _, ok := frame.Read([]byte("x")).At(""); ok {
		t.Error("found something in what is not JSON")
	}
}

func TestInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"-32601": -32601, "-32601.0": -32601, "0": 0, "-0.0": 0, "1e2": 100, "1.50e1": 15, "9007199254740993.0": 9007199254740993,
	} {
		if got, ok := frame.Integer(text); !ok || got != want {
			t.Errorf("%s: %d %t, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1.5", "1e-1", `"1"`, "null", "1e999999999", "99999999999999999999", "1e99999999999999999999"} {
		if got, ok := frame.Integer(text); ok {
			t.Errorf("%s is %d, want no integer", text, got)
		}
	}
}

func TestSameID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1", "1", true}, {"1", "1.0", true}, {"1", "1e0", true}, {"100", "1e2", true}, {"0", "-0.0", true},
		{"1", `"1"`, false}, {"1", "-1", false}, {`"a"`, `"\u0061"`, true}, {`"a"`, `"A"`, false},
		{"9007199254740993", "9007199254740992", false}, {"9007199254740993", "9007199254740993.0", true},
		{"1e999999999", "1e999999998", false}, {"1e99999999999999999999", "1", false},
		{"null", "null", true}, {"null", "0", false}, {"", "1", false}, {"", "", true}, {"true", "1", false},
		{"0.1", "1e-1", true}, {"-15", "-1.5E1", true},
	} {
		if got := frame.SameID(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: got %v", tt.a, tt.b, got)
		}
		if got := frame.SameID(tt.b, tt.a); got != tt.want {
			t.Errorf("%s and %s: got %v", tt.b, tt.a, got)
		}
		if got := frame.IDKey(tt.a) == frame.IDKey(tt.b); got != tt.want {
			t.Errorf("%s and %s: the keys say %v", tt.a, tt.b, got)
		}
	}
}

func TestMessageIsReadOnceAndShared(t *testing.T) {
	t.Parallel()
	f := frame.New(frame.Received, frame.KindMessage, []byte(`{"id":1,"result":{"a":[1,2]}}`))
	var wg sync.WaitGroup
	for range 8 {
		copied := f
		wg.Go(func() {
			if m := copied.Message(); m.Class != frame.Result {
				t.Errorf("got %v", m.Class)
			}
		})
	}
	wg.Wait()
	before, after := f.Message().Members, f.Message().Members
	before["mark"] = true
	if _, same := after["mark"]; !same {
		t.Error("read twice")
	}
}

// Whatever the bytes are, the reading is the same each time, every place in it is a place in
// the bytes, and a reading without a problem holds what encoding/json reads.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`, `[{"id":"a"},2,[]]`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}",
		`"\ud800"`, `{"id":1e3}x`, "\xef\xbb\xbf{}", `{"id":`, ``, `[[[[[[`, `{"id" : {"x":"\u0000"} , "error":null}`,
		"\xef\xbb\xbf {\"id\":1, \"id\": 22 }", "\xef\xbb\xbf[{\"id\":3},{ \"id\" :\"x\"}]", `{"a~b/c":{"d":[1,{"d":1,"d":2}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		kept := bytes.Clone(raw)
		m := frame.Read(raw)
		if !bytes.Equal(kept, raw) {
			t.Fatal("the bytes were changed")
		}
		if diff := cmp.Diff(m, frame.Read(raw)); diff != "" {
			t.Fatalf("equal bytes are read in different ways:\n%s", diff)
		}
		if (m.Class == frame.NotJSON) && len(m.Problems) == 0 {
			t.Fatal("not JSON, and no problem says why")
		}
		for _, p := range m.Problems {
			if p.Offset < 0 || p.Offset > int64(len(raw)) {
				t.Fatalf("%v at %d of %d bytes", p.Kind, p.Offset, len(raw))
			}
		}
		for _, one := range append(m.Batch, m) {
			checkID(t, raw, one)
		}
		if len(m.Problems) > 0 {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil || !errors.Is(decoder.Decode(new(any)), io.EOF) {
			t.Fatalf("no problem in what is not one JSON value: %v", err)
		}
		if diff := cmp.Diff(want, m.Value); diff != "" {
			t.Fatalf("-encoding/json +frame:\n%s", diff)
		}
	})
}

func checkID(t *testing.T, raw []byte, m frame.Message) {
	t.Helper()
	switch {
	case m.HasID != (m.ID != "") || m.HasID && !json.Valid([]byte(m.ID)):
		t.Fatalf("id %q", m.ID)
	case m.HasID && (m.IDAt < 0 || m.IDAt > len(raw) || !bytes.HasPrefix(raw[m.IDAt:], []byte(m.ID))):
		t.Fatalf("the id %q is not at %d", m.ID, m.IDAt)
	}
}
