package discover_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
)

// object reads a schema as it comes from a server.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	o, ok := frame.Read([]byte(text)).Value.(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return o
}

// required is a schema with one required member x.
func required(property string) string {
	return `{"type":"object","required":["x"],"properties":{"x":` + property + `}}`
}

// Arguments fit the schema they were made from, or none are made.
func TestArguments(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ schema, want string }{
		"nothing demanded":         {`{"type":"object","properties":{"x":{"type":"string"}}}`, `{}`},
		"no schema to speak of":    {`{}`, `{}`},
		"text":                     {required(`{"type":"string"}`), `{"x":"example"}`},
		"a default":                {required(`{"type":"string","default":"d","enum":["e","d"]}`), `{"x":"d"}`},
		"a default of null":        {required(`{"type":["string","null"],"default":null}`), `{"x":null}`},
		"a constant":               {required(`{"const":3}`), `{"x":3}`},
		"a choice":                 {required(`{"enum":["a","b"]}`), `{"x":"a"}`},
		"an example":               {required(`{"type":"string","pattern":"^b","examples":["b1"]}`), `{"x":"b1"}`},
		"anything":                 {required(`{}`), `{"x":"example"}`},
		"true":                     {required(`true`), `{"x":"example"}`},
		"not declared":             {`{"required":["x"]}`, `{"x":"example"}`},
		"long text":                {required(`{"type":"string","minLength":10}`), `{"x":"exampleeee"}`},
		"short text":               {required(`{"type":"string","maxLength":3}`), `{"x":"exa"}`},
		"a date":                   {required(`{"type":"string","format":"date"}`), `{"x":"2026-01-01"}`},
		"a moment":                 {required(`{"type":"string","format":"date-time"}`), `{"x":"2026-01-01T00:00:00Z"}`},
		"an address":               {required(`{"type":"string","format":"uri"}`), `{"x":"https://example.com/"}`},
		"a mail address":           {required(`{"type":"string","format":"email"}`), `{"x":"someone@example.com"}`},
		"a number":                 {required(`{"type":"number"}`), `{"x":1}`},
		"from below":               {required(`{"type":"integer","minimum":5}`), `{"x":5}`},
		"from above":               {required(`{"type":"integer","maximum":-2}`), `{"x":-2}`},
		"beyond":                   {required(`{"type":"integer","exclusiveMinimum":1}`), `{"x":2}`},
		"below":                    {required(`{"type":"integer","exclusiveMaximum":1}`), `{"x":0}`},
		"between":                  {required(`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`), `{"x":0.9990234375}`},
		"a fraction as bound":      {required(`{"type":"integer","minimum":1.5}`), `{"x":2}`},
		"a multiple":               {required(`{"type":"integer","multipleOf":3,"minimum":10}`), `{"x":12}`},
		"a multiple below":         {required(`{"type":"integer","multipleOf":5,"maximum":-3}`), `{"x":-5}`},
		"a broken step":            {required(`{"type":"number","multipleOf":0.25}`), `{"x":1}`},
		"a flag":                   {required(`{"type":"boolean"}`), `{"x":false}`},
		"null":                     {required(`{"type":"null"}`), `{"x":null}`},
		"one of two types":         {required(`{"type":["integer","string"]}`), `{"x":1}`},
		"a list":                   {required(`{"type":"array","items":{"type":"string"}}`), `{"x":[]}`},
		"a list of two":            {required(`{"type":"array","minItems":2,"items":{"type":"boolean"}}`), `{"x":[false,false]}`},
		"an object":                {required(required(`{"type":"integer"}`)), `{"x":{"x":1}}`},
		"a pattern":                {required(`{"type":"string","pattern":"^b"}`), ""},
		"an unknown format":        {required(`{"type":"string","format":"uuid"}`), ""},
		"very long text":           {required(`{"type":"string","minLength":5000}`), ""},
		"text of no length":        {required(`{"type":"string","minLength":5,"maxLength":3}`), ""},
		"no number between":        {required(`{"type":"integer","minimum":4,"maximum":3}`), ""},
		"no multiple between":      {required(`{"type":"integer","multipleOf":10,"minimum":1,"maximum":9}`), ""},
		"a fraction as step":       {required(`{"type":"integer","multipleOf":1.5}`), ""},
		"an older dialect":         {required(`{"type":"integer","minimum":1,"exclusiveMinimum":true}`), ""},
		"many items":               {required(`{"type":"array","minItems":17,"items":true}`), ""},
		"different items":          {required(`{"type":"array","minItems":2,"uniqueItems":true,"items":true}`), ""},
		"contained items":          {required(`{"type":"array","contains":{"const":1}}`), ""},
		"never":                    {required(`false`), ""},
		"an unknown type":          {required(`{"type":"date"}`), ""},
		"a reference":              {required(`{"$ref":"#/$defs/x"}`), ""},
		"alternatives":             {required(`{"anyOf":[{"type":"string"}]}`), ""},
		"a type and alternatives":  {required(`{"type":"string","oneOf":[{"const":"a"},{"const":"b"}]}`), ""},
		"alternatives at the top":  {`{"type":"object","oneOf":[{"required":["x"]}]}`, ""},
		"a required number":        {`{"required":[7]}`, ""},
		"not declared and closed":  {`{"required":["x"],"additionalProperties":false}`, ""},
		"not declared and typed":   {`{"required":["x"],"additionalProperties":{"type":"integer"}}`, ""},
		"more than it demands":     {`{"type":"object","minProperties":1}`, ""},
		"properties by pattern":    {`{"required":["x"],"patternProperties":{"^x":{"type":"integer"}}}`, ""},
		"deeper than anybody asks": {deep(12), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := discover.Arguments(object(t, row.schema))
			if ok != (row.want != "") {
				t.Fatalf("got %v, %v", got, ok)
			}
			if !ok {
				return
			}
			text, err := json.Marshal(got)
			if diff := cmp.Diff(row.want, string(text)); diff != "" || err != nil {
				t.Error(err, diff)
			}
			fits(t, row.schema, string(text))
		})
	}
}

func deep(levels int) string {
	schema := `{"type":"string"}`
	for range levels {
		schema = required(schema)
	}
	return schema
}

func fits(t *testing.T, schema, value string) {
	t.Helper()
	compiled, err := schemas.Compile(object(t, schema))
	if err != nil {
		t.Fatal(err)
	}
	if faults, undecided := compiled.Validate(frame.Read([]byte(value)).Value); len(faults) > 0 || undecided {
		t.Errorf("%s does not fit %s: %v, undecided %v", value, schema, faults, undecided)
	}
}
