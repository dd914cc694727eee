package roles_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func vars() roles.Vars {
	return roles.Vars{
		Nonce: "k7x2",
		Result: map[string]any{
			"n": json.Number("17"), "text": `a "b"`, "none": nil, "a/b": map[string]any{"~": []any{"zero", true}}, "": "empty key",
			"html": []any{"<&>"},
		},
		Given: map[string]any{"schema": map[string]any{"type": "object"}, "url": "http://h/?a=${nonce}"},
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want any }{
		"no placeholder":           {"a $b {c} $", "a $b {c} $"},
		"empty":                    {"", ""},
		"nonce":                    {"kit-${nonce}-${nonce}", "kit-k7x2-k7x2"},
		"literal":                  {"$${nonce} $${", "${nonce} ${"},
		"three dollars":            {"$$${nonce}", "$${nonce}"},
		"result alone":             {"${result:/n}", json.Number("17")},
		"result in a text":         {"n=${result:/n}", "n=17"},
		"text alone":               {"${result:/text}", `a "b"`},
		"text in a text":           {"<${result:/text}>", `<a "b">`},
		"null alone":               {"${result:/none}", nil},
		"null in a text":           {"is ${result:/none}", "is null"},
		"list alone":               {"${result:/a~1b/~0}", []any{"zero", true}},
		"list in a text":           {"${result:/html}!", `["<&>"]!`},
		"item":                     {"${result:/a~1b/~0/1}", true},
		"empty key":                {"${result:/}", "empty key"},
		"object alone":             {"${schema}", map[string]any{"type": "object"}},
		"object in a text":         {"s: ${schema}", `s: {"type":"object"}`},
		"a value is no template":   {"${url}", "http://h/?a=${nonce}"},
		"nor in a text":            {"u ${url}", "u http://h/?a=${nonce}"},
		"deep":                     {map[string]any{"a": []any{map[string]any{"b": "${nonce}"}, 1, nil}}, map[string]any{"a": []any{map[string]any{"b": "k7x2"}, 1, nil}}},
		"keys stay":                {map[string]any{"${nonce}": 1}, map[string]any{"${nonce}": 1}},
		"list of strings":          {[]string{"${nonce}", "a"}, []string{"k7x2", "a"}},
		"anything else":            {3.5, 3.5},
		"literal text, given back": {roles.Literal("${x} $${y} $"), "${x} $${y} $"},
	} {
		got, err := roles.Expand(row.in, vars())
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestExpandLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	in := map[string]any{"a": []any{"${nonce}"}, "b": map[string]any{"c": "${nonce}"}}
	got, err := roles.Expand(in, vars())
	if err != nil {
		t.Fatal(err)
	}
	got.(map[string]any)["b"].(map[string]any)["d"] = 1
	got.(map[string]any)["a"].([]any)[0] = "changed"
	want := map[string]any{"a": []any{"${nonce}"}, "b": map[string]any{"c": "${nonce}"}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
}

func TestExpandMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"${nonce":            `"${" without "}"; a literal "${" is written "$${"`,
		"${}":                `"${}" names nothing; a literal "${" is written "$${"`,
		"${unknown}":         "${unknown} has no value here",
		"${NAME}":            "${NAME} has no value here",
		"${nonce:x}":         "${nonce:x} has no value here",
		"${url:x}":           "${url:x} has no value here",
		"${result:n}":        `${result:n}: "n" is not a JSON pointer: it does not begin with /`,
		"${result:/x}":       "${result:/x}: the result has no /x",
		"${result:/n/x}":     "${result:/n/x}: the result has no /n/x",
		"${result:/html/1}":  "${result:/html/1}: the result has no /html/1",
		"${result:/html/00}": "${result:/html/00}: the result has no /html/00",
		"${result:/html/-}":  "${result:/html/-}: the result has no /html/-",
	} {
		for _, in := range []any{text, "in a text " + text, []any{text}, map[string]any{"a": text}, []string{text}} {
			if _, err := roles.Expand(in, vars()); err == nil || err.Error() != want {
				t.Errorf("%v: got %v, want %s", in, err, want)
			}
		}
	}
	if _, err := roles.Expand("${result:/x}", roles.Vars{}); err == nil || !strings.Contains(err.Error(), "no result") {
		t.Errorf("without a result: got %v", err)
	}
	if _, err := roles.Expand("${nonce}", roles.Vars{}); err == nil {
		t.Error("without a nonce: want an error")
	}
}

func TestCallsExpand(t *testing.T) {
	t.Parallel()
	call := roles.Call{Tool: "t", Arguments: map[string]any{"a": "${nonce}"}}
	action, err := roles.Action{Call: &call}.Expand(vars())
	if diff := cmp.Diff(&roles.Call{Tool: "t", Arguments: map[string]any{"a": "k7x2"}}, action.Call); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	command, err := roles.Action{Command: []string{"curl", "${url}", "${result:/n}"}}.Expand(vars())
	if diff := cmp.Diff([]string{"curl", "http://h/?a=${nonce}", "17"}, command.Command); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	observe := roles.Observe{Resource: "a://${nonce}", Mode: roles.ModeValue}
	if !observe.Private() {
		t.Error("an observation with a nonce is not private")
	}
	expanded, err := observe.Expand(vars())
	if expanded.Resource != "a://k7x2" || expanded.Mode != roles.ModeValue || err != nil || expanded.Private() {
		t.Errorf("got %+v, %v", expanded, err)
	}
	if _, err := (roles.Observe{Arguments: map[string]any{"a": "${x}"}}).Expand(vars()); err == nil {
		t.Error("a mistake in an observation passes")
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		value any
		want  bool
	}{
		"deep": {map[string]any{"a": []any{"x", "b-${nonce}"}}, true}, "texts": {[]string{"${nonce}"}, true},
		"another": {"${url}", false}, "literal": {"$${nonce}", false}, "broken": {"${nonce", false}, "a number": {1, false},
	} {
		if got := roles.Mentions(row.value, "nonce"); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"role:state-change.observe": "roles.state-change.observe", "content": "roles.content",
		"role:principals.second": "principals.second", "role:principals": "principals",
	} {
		if got := roles.Key(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{"", "a", "${nonce}", "$${", "$$${x}", "${result:/a}", "${"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := roles.Expand(roles.Literal(text), roles.Vars{})
		if err != nil || got != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
		if _, err := roles.Scan(text); err != nil && !strings.Contains(text, "${") {
			t.Errorf("%q: got %v", text, err)
		}
	})
}
