package schemas_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// kindOf names the type of an error of Compile.
func kindOf(err error) string {
	var invalid *schemas.Invalid
	var costly *schemas.TooComplex
	var dialect *schemas.UnknownDialect
	var unresolved *schemas.Unresolved
	switch {
	case err == nil:
		return ""
	case errors.As(err, &invalid):
		return "invalid at " + invalid.Faults[0].Pointer
	case errors.As(err, &costly):
		return "too complex"
	case errors.As(err, &dialect):
		return "unknown dialect " + dialect.Dialect
	case errors.As(err, &unresolved):
		return "unresolved " + unresolved.Reference
	}
	return "untyped: " + err.Error()
}

func nested(open, inner, shut string, levels int) string {
	return strings.Repeat(open, levels) + inner + strings.Repeat(shut, levels)
}

// chained doubles the work with every level.
func chained(levels int) string {
	definitions := []string{fmt.Sprintf(`"a%d":{"type":"string"}`, levels)}
	for i := range levels {
		definitions = append(definitions, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	return `{"$ref":"#/$defs/a0","$defs":{` + strings.Join(definitions, ",") + `}}`
}

func listOf(item string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

func TestCompileTellsRefusalsApart(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{
		{"plain", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, ""},
		{"true", `true`, ""},
		{"nested within bounds", nested(`{"not":`, "true", "}", 60), ""},
		{"nested too deep", nested(`{"not":`, "true", "}", 65), "too complex"},
		{"nested far too deep", nested(`{"not":`, "true", "}", 3000), "too complex"},
		{"too many values", `{"enum":` + listOf("1", 10_001) + `}`, "too complex"},
		{"too many bytes", `{"description":"` + strings.Repeat("x", 300<<10) + `"}`, "too complex"},
		{"too many references", `{"$defs":{"a":true},"allOf":` + listOf(`{"$ref":"#/$defs/a"}`, 1001) + `}`, "too complex"},
		{"too many dynamic references", `{"$dynamicAnchor":"a","items":{"allOf":` + listOf(`{"$dynamicRef":"#a"}`, 9) + `}}`, "too complex"},
		{"four chained allOf", chained(4), ""},
		{"twenty-two chained allOf", chained(22), "too complex"},
		{"reference to itself", `{"$ref":"#"}`, "too complex"},
		{"two references in a ring", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "too complex"},
		{"recursion into the value", `{"properties":{"next":{"$ref":"#"}}}`, ""},
		{"monstrous number", `{"minimum":1e9999999}`, "too complex"},
		{"file", `{"properties":{"a":{"$ref":"file:///harbour/schema.json"}}}`, "unresolved file:///harbour/schema.json"},
		{"http", `{"$ref":"http://127.0.0.1:9/schema.json#/a"}`, "unresolved http://127.0.0.1:9/schema.json"},
		{"relative", `{"$ref":"other.json"}`, "unresolved other.json"},
		{"ours", `{"$ref":"https://mcp-conform.example/schemas/core/2025-11-25.json"}`, "unresolved https://mcp-conform.example/schemas/core/2025-11-25.json"},
		{"the dialect itself", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, ""},
		{"draft 3", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, "unknown dialect http://json-schema.org/draft-03/schema"},
		{"vendor dialect", `{"$schema":"https://harbour.example/dialect"}`, "unknown dialect https://harbour.example/dialect"},
		{"unreadable dialect", `{"$schema":"%%%"}`, "unknown dialect %%%"},
		{"vendor dialect inside", `{"$defs":{"a":{"$id":"b","$schema":"https://harbour.example/dialect"}}}`, "unknown dialect https://harbour.example/dialect"},
		{"draft 2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}]}`, ""},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}}}`, ""},
		{"draft 6", `{"$schema":"http://json-schema.org/draft-06/schema#","exclusiveMinimum":1}`, ""},
		{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, ""},
		{"draft 7 by https", `{"$schema":"https://json-schema.org/draft-07/schema"}`, ""},
		{"null", `null`, "invalid at "},
		{"number", `7`, "invalid at "},
		{"misspelt type", `{"properties":{"a":{"type":"strnig"}}}`, "invalid at /properties/a/type"},
		{"required by flag", `{"properties":{"a":{"type":"string","required":true}}}`, "invalid at /properties/a/required"},
		{"list of items in 2020-12", `{"items":[{"type":"string"}]}`, "invalid at /items"},
		{"dialect no text", `{"$schema":5}`, "invalid at /$schema"},
		{"reference to nothing", `{"properties":{"a":{"$ref":"#/$defs/nothing"}}}`, "invalid at /properties/a/$ref"},
		{"fault behind a reference", `{"$ref":"#/parts/a","parts":{"a":{"type":5}}}`, "invalid at /parts/a/type"},
		{"one name twice", `{"$defs":{"a":{"$id":"https://harbour.example/x"},"b":{"$id":"https://harbour.example/x"}}}`, "invalid at "},
		{"unreadable pattern", `{"pattern":"("}`, ""},
		{"lookahead", `{"pattern":"^(?=a)"}`, ""},
		{"named property class", `{"pattern":"^\\p{Letter}$"}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := schemas.Compile(decode(t, test.schema))
			if got := kindOf(err); got != test.want {
				t.Errorf("%q, want %q (%v)", got, test.want, err)
			}
		})
	}
}

func TestPublishedSchemasJudgeValues(t *testing.T) {
	t.Parallel()
	rope := strings.Repeat("a", 60) + "b"
	tests := []struct {
		name, schema, value string
		want                []schemas.Fault
		undecided           bool
	}{
		{name: "fits", schema: `{"type":"object","required":["a"]}`, value: `{"a":1,"b":2}`},
		{name: "2020-12 without a word", schema: `{"prefixItems":[{"type":"string"}]}`, value: `[5]`, want: []schemas.Fault{{"/0", "a string", "5"}}},
		{name: "missing member", schema: `{"required":["a"],"properties":{"a":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":["string","null"]}}}`, value: `{}`,
			want: []schemas.Fault{{"/a", "a string or null", "missing"}}},
		{name: "closed object", schema: `{"additionalProperties":false}`, value: `{"b":{"c":1}}`, want: []schemas.Fault{{"/b", "nothing here", `{"c":1}`}}},
		{name: "formats are advice", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`, value: `"nobody"`},
		{name: "bad member name", schema: `{"propertyNames":{"maxLength":1}}`, value: `{"ab":1}`, want: []schemas.Fault{{"/ab", "a member name that the schema allows", `"ab"`}}},
		{name: "alternatives by constant", schema: `{"anyOf":[{"properties":{"type":{"const":"a"},"n":{"type":"string"}}},{"properties":{"type":{"const":"b"},"n":{"type":"number"}}}]}`,
			value: `{"type":"b","n":true}`, want: []schemas.Fault{{"/n", "a number", "true"}}},
		{name: "no such alternative", schema: `{"oneOf":[{"properties":{"type":{"const":"a"}}},{"properties":{"type":{"const":"b"}}}]}`,
			value: `{"type":"c"}`, want: []schemas.Fault{{"/type", `"a" or "b"`, `"c"`}}},
		{name: "alternatives by type", schema: `{"anyOf":[{"type":"string"},{"type":"null"}]}`, value: `5`, want: []schemas.Fault{{"", "a string or null", "5"}}},
		{name: "two alternatives at once", schema: `{"oneOf":[{"type":"integer"},{"minimum":0}]}`, value: `5`,
			want: []schemas.Fault{{"", "a value that fits only one of the alternatives", "5"}}},
		{name: "lookahead", schema: `{"pattern":"^(?=a)"}`, value: `"b"`, want: []schemas.Fault{{"", "a string that matches ^(?=a)", `"b"`}}},
		{name: "pattern with a name", schema: `{"pattern":"^[0-9A-Fa-f]{7,}$"}`, value: `"b"`,
			want: []schemas.Fault{{"", "a commit of at least 7 hexadecimal digits", `"b"`}}},
		{name: "ASCII digits", schema: `{"pattern":"^\\d$"}`, value: `"٣"`, want: []schemas.Fault{{"", `a string that matches ^\d$`, `"٣"`}}},
		{name: "code point escape", schema: `{"pattern":"^\\u{1F6A2}$"}`, value: `"🚢"`},
		{name: "unknown class", schema: `{"pattern":"^\\p{Letter}$"}`, value: `"b"`, undecided: true},
		{name: "unknown class beside a sure fault", schema: `{"pattern":"^\\p{Letter}$","maxLength":1}`, value: `"bb"`,
			want: []schemas.Fault{{"", "a string of at most 1 character", `"bb"`}}},
		{name: "unknown class not asked", schema: `{"pattern":"^\\p{Letter}$"}`, value: `5`},
		{name: "unknown class ruled out", schema: `{"not":{"pattern":"^\\p{Letter}$"}}`, value: `"b"`, undecided: true},
		{name: "unknown member pattern", schema: `{"patternProperties":{"^\\p{Letter}$":{"type":"string"}},"additionalProperties":false}`, value: `{"a":5}`, undecided: true},
		{name: "catastrophic pattern", schema: `{"pattern":"^(a+)+$"}`, value: `"` + rope + `"`, undecided: true},
		{name: "exponential recursion", schema: `{"items":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}`, value: nested("[", "1", "]", 40), undecided: true},
		{name: "monstrous number", schema: `{"multipleOf":3}`, value: `1e9999999`, undecided: true},
		{name: "schema against its dialect", schema: `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, value: `{"properties":{"a":5}}`,
			want: []schemas.Fault{{"/properties/a", "a boolean or an object", "5"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			schema, err := schemas.Compile(decode(t, test.schema))
			if err != nil {
				t.Fatal(err)
			}
			faults, undecided := schema.Validate(decode(t, test.value))
			if undecided != test.undecided {
				t.Errorf("undecided is %v, want %v", undecided, test.undecided)
			}
			if diff := cmp.Diff(test.want, faults); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSchemaServesManyAtOnce(t *testing.T) {
	t.Parallel()
	schema, err := schemas.Compile(decode(t, `{"anyOf":[{"pattern":"^\\p{Letter}$"},{"type":"number"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			value, want := any("b"), true
			if i%2 == 0 {
				value, want = 5.0, false
			}
			if _, undecided := schema.Validate(value); undecided != want {
				t.Errorf("%v: undecided is %v, want %v", value, undecided, want)
			}
		})
	}
	group.Wait()
}

// A published schema must not break the kit, whatever it holds.
func FuzzCompile(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"pattern":"^a+$"}}}`, `{"a":"b"}`)
	f.Add(`{"$id":"a","$defs":{"b":{"$anchor":"c"}},"$ref":"#c","multipleOf":0.1}`, `1e999999`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#a","dependencies":{"a":["b"]}}`, `{"a":null}`)
	f.Add(`{"unevaluatedItems":false,"contains":{"type":"null"},"minContains":2,"uniqueItems":true}`, `[null,1,1]`)
	f.Fuzz(func(t *testing.T, schemaText, valueText string) {
		schemaTree, ok := tryDecode(schemaText)
		if !ok {
			return
		}
		schema, err := schemas.Compile(schemaTree)
		if kind := kindOf(err); strings.HasPrefix(kind, "untyped") {
			t.Errorf("%s: %s", schemaText, kind)
		}
		again, errAgain := schemas.Compile(schemaTree)
		if kindOf(err) != kindOf(errAgain) {
			t.Errorf("%s: %s, then %s", schemaText, kindOf(err), kindOf(errAgain))
		}
		if value, ok := tryDecode(valueText); ok && err == nil && errAgain == nil {
			faults, undecided := schema.Validate(value)
			faultsAgain, undecidedAgain := again.Validate(value)
			if diff := cmp.Diff(faults, faultsAgain); diff != "" || undecided != undecidedAgain || undecided && len(faults) > 0 {
				t.Errorf("%s judges %s in two ways, undecided %v and %v:\n%s", schemaText, valueText, undecided, undecidedAgain, diff)
			}
		}
	})
}
