package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A value means the same everywhere: in block style, in flow lists and maps,
// and nested.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for spelling, want := range map[string]any{
		"lab:read": "lab:read", "a::b": "a::b", "::1": "::1", "--port:80": "--port:80", `c:\x`: `c:\x`, "12:30:45": "12:30:45",
		"http://h:80/x?y=z#part": "http://h:80/x?y=z#part", "urn:a:b:c": "urn:a:b:c", "x y:z w": "x y:z w", "x#y": "x#y", "-x": "-x", "?x": "?x",
		"a'b": "a'b", `c"d`: `c"d`, "e&f*g!h|i>j%k@l`m": "e&f*g!h|i>j%k@l`m", "2027-03-01": "2027-03-01", "yes": "yes", "No": "No", "on": "on",
		`"lab:read"`: "lab:read", `'it''s'`: "it's", `"a\tb\u00e9\x41"`: "a\tb\u00e9A", `"a, b"`: "a, b", `'{a: b}'`: "{a: b}", `"1"`: "1", `''`: "",
		"1": uint64(1), "-1": int64(-1), "+1": uint64(1), "1_000": uint64(1000), "0x10": uint64(16), "0o10": uint64(8), "1.5": 1.5, ".5": 0.5, "1e3": 1000.0,
		"18446744073709551615": uint64(18446744073709551615), "true": true, "False": false, "~": nil, "null": nil,
		"[]": []any{}, "{}": map[string]any{}, "[lab:read, lab:write]": []any{"lab:read", "lab:write"}, "[lab:read,lab:write]": []any{"lab:read", "lab:write"},
		"[lab:read, ]": []any{"lab:read"}, "[\n            lab:read,\n            x: 1\n            ]": []any{"lab:read", map[string]any{"x": uint64(1)}}, "[[lab:read]]": []any{[]any{"lab:read"}},
		"{x:y: 1}": map[string]any{"x:y": uint64(1)}, "{lab: read}": map[string]any{"lab": "read"}, `{"lab":read}`: map[string]any{"lab": "read"},
		"{a, b: }": map[string]any{"a": nil, "b": nil}, "{a: {b: [c:d, {e: f:g}]}}": map[string]any{"a": map[string]any{"b": []any{"c:d", map[string]any{"e": "f:g"}}}},
		`{"a":"b:c","d":[1,true,null]}`: map[string]any{"a": "b:c", "d": []any{uint64(1), true, nil}},
	} {
		for place, wrap := range map[string]struct{ yaml, path string }{
			"block":       {"roles:\n  session-state:\n    expect:\n      value:\n        %s\n", "value"},
			"block list":  {"roles:\n  session-state:\n    expect:\n      - %s\n", "0"},
			"flow":        {"roles: {session-state: {expect: {value: %s}}}", "value"},
			"flow list":   {"roles: {session-state: {expect: [a, %s ]}}", "1"},
			"deeper list": {"roles: {session-state: {expect: {value: [{k: [%s , b]}]}}}", "value/0/k/0"},
			"list alone":  {"roles:\n  session-state:\n    expect: [[%s ]]\n", "0/0"},
		} {
			c, err := config.Parse("c.yaml", fmt.Appendf(nil, wrap.yaml, spelling), environment, known())
			if err != nil {
				t.Errorf("%s, %s: %v", spelling, place, err)
				continue
			}
			filled, _ := c.Roles.Role(roles.SessionState)
			got := filled.Fields["expect"]
			for step := range strings.SplitSeq(wrap.path, "/") {
				switch v := got.(type) {
				case map[string]any:
					got = v[step]
				case []any:
					got = v[step[0]-'0']
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", spelling, place, diff)
			}
		}
	}
}

// The memory that a file takes before it is understood is limited.
func TestTheParserIsNotAskedForTooMuch(t *testing.T) { // alone, since it looks at the memory of the process
	for name, yaml := range map[string]string{
		"brackets": strings.Repeat("[", 200_000), "braces": strings.Repeat("{a: ", 10_000), "dashes": strings.Repeat("- ", 10_000), "questions": strings.Repeat("? ", 10_000),
		"few brackets": "roles: " + strings.Repeat("[", 70), "pairs": "[" + strings.Repeat("[],", 200_000), "lines": strings.Repeat("a:\n", 200_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := config.Parse("c.yaml", []byte(yaml), environment, known())
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "too deep or too large for a configuration") {
			t.Errorf("%s: got %v", name, err)
		}
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 64<<20 {
			t.Errorf("%s: %d bytes are used to refuse it", name, bytes)
		}
	}
	text := "secrets:\n  - " + strings.Repeat("letters ", 100_000) + "\n"
	if _, err := config.Parse("c.yaml", []byte(text), environment, known()); err != nil {
		t.Errorf("a long text: %v", err)
	}
}

func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, []byte(strings.Repeat("#", 1<<20+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(path, environment, known())
	_, err2 := config.LoadBaseline(path, environment, known())
	for _, err := range []error{err, err2} {
		if err == nil || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
			t.Errorf("got %v", err)
		}
	}
}
