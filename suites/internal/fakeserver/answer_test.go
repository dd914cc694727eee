package fakeserver

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// An Answer that cannot be sent as a result is a mistake of a test: the message says what
// to return instead.
func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer any
		want   string // in the error; empty: the answer is good
	}{
		"an object":              {map[string]any{"content": []any{}}, ""},
		"an error":               {&Error{Code: -32602, Message: "no"}, ""},
		"written out":            {json.RawMessage(`{"content":[]}`), ""},
		"an error by value":      {Error{Code: -32602, Message: "no"}, "*Error"},
		"nil":                    {nil, "want an object"},
		"a text":                 {"done", "want an object"},
		"a list":                 {[]any{1}, "want an object"},
		"no JSON":                {json.RawMessage(`{"content":`), "unexpected end"},
		"an infinite number":     {map[string]any{"n": math.Inf(1)}, "unsupported value"},
		"a function of a result": {map[string]any{"f": func() {}}, "unsupported type"},
	} {
		_, err := body(row.answer)
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
}
