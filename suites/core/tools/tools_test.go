package tools

import (
	"errors"
	"testing"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	o, ok := frame.Read([]byte(text)).Value.(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return o
}

func TestSwapCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tide_table": "TIDE_TABLE", "getUser": "GETuSER", "": "", "7-8": "7-8", "größe": "GRößE",
	} {
		if got := swapCase(name); got != want {
			t.Errorf("swapCase(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestSoundness(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, schema string
		want         bool // sound, or nothing that can be held against it
	}{
		{"plain", `{"type":"object"}`, true},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{}}`, true},
		{"tuple in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{}]}}}`, true},
		{"tuple as before, unnamed", `{"properties":{"a":{"items":[{}]}}}`, false},
		{"unknown type", `{"properties":{"a":{"type":"float"}}}`, false},
		{"required flag", `{"properties":{"a":{"required":true}}}`, false},
		{"unknown dialect", `{"$schema":"https://dialect.example/own","type":"object"}`, true},
		{"reference to nowhere", `{"properties":{"a":{"$ref":"#/$defs/none"}}}`, true},
		{"reference within a list", `{"anyOf":[{"$ref":"#/$defs/none"}]}`, true},
		{"reference that is a number", `{"properties":{"a":{"$ref":7}}}`, false},
		{"remote reference", `{"properties":{"a":{"$ref":"https://schemas.example/a"}}}`, true},
		{"pattern of another flavour", `{"properties":{"a":{"pattern":"(?P<year>[0-9]+)"}}}`, true},
		{"unknown keyword", `{"x-vendor":1,"type":"object"}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := schemas.Compile(object(t, row.schema))
			got := true
			if invalid := (*schemas.Invalid)(nil); errors.As(err, &invalid) {
				got = len(unsound(invalid.Faults)) == 0
			}
			if got != row.want {
				t.Errorf("sound is %t, want %t: %v", got, row.want, err)
			}
		})
	}
}

func TestExclusions(t *testing.T) {
	t.Parallel()
	schema := object(t, `{"type":"object","properties":{
		"level":{"type":"integer","x-mcp-header":"Level"},"name":{"type":"string"},"wide":{"type":"boolean"}},"required":["name"]}`)
	call := &probe.ToolCall{Tool: "t", Arguments: probe.Object{"name": "a"}}
	if without := withoutRequired(schema, call); without == nil || !excludes(schema, without.Arguments) {
		t.Errorf("without what is required: %v", without)
	}
	if len(call.Arguments) != 1 {
		t.Error("the good call was changed")
	}
	if with := withObject(schema, call); with == nil || !excludes(schema, with.Arguments) || with.Arguments["wide"] == nil {
		t.Errorf("with an object: %v", with)
	}
	if excludes(schema, call.Arguments) {
		t.Error("good arguments are excluded")
	}
	if excludes(object(t, `{"type":"object","properties":{"a":{"$ref":"https://schemas.example/a"}}}`), probe.Object{"a": 1}) {
		t.Error("a schema that cannot be applied excludes something")
	}
	open := object(t, `{"type":"object","properties":{"name":{"type":"string"}}}`)
	if withoutRequired(open, call) != nil {
		t.Error("something is left out that nobody requires")
	}
	if with := withObject(open, call); with == nil || !excludes(open, with.Arguments) {
		t.Errorf("with an object for a string: %v", with)
	}
	loose := object(t, `{"type":"object","properties":{"name":{},"both":{"type":["string","object"]},"in":{"type":"object"}}}`)
	if withObject(loose, call) != nil || withObjectInside(loose, call) != nil {
		t.Error("an object is put where none is wrong")
	}
}

func TestResultsOfCalls(t *testing.T) {
	t.Parallel()
	const early = `$.result.content[0].type is "audio", want one of text, image, resource`
	const later = `$.result.content[0].type is absent, want one of text, image, resource, audio, resource_link`
	const flag = "$.result.isError is 1, want true or false, or no such property"
	audio := `{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}`
	for _, row := range []struct {
		name, result string
		revision     requirements.Revision
		left         bool   // the watchers leave it out
		problem      string // by a row of resultRows
	}{
		{"empty content", `{"content":[]}`, requirements.R20241105, false, ""},
		{"no content", `{"structuredContent":{}}`, requirements.R20251125, false, "$.result.content is absent, want an array"},
		{"null content", `{"content":null}`, requirements.R20251125, false, "$.result.content is null, want an array"},
		{"flag", `{"content":[],"isError":1}`, requirements.R20251125, false, flag},
		{"input required", `{"resultType":"input_required","content":null}`, requirements.R20260728, true, ""},
		{"of an extension", `{"resultType":"task","taskId":"1"}`, requirements.R20260728, true, ""},
		{"task", `{"task":{"taskId":"1"}}`, requirements.R20251125, true, ""},
		{"audio too early", audio, requirements.R20241105, false, early},
		{"audio", audio, requirements.R20250326, false, ""},
		{"link", `{"content":[{"type":"resource_link","uri":"a:b","name":"b"}]}`, requirements.R20250618, false, ""},
		{"no type", `{"content":[{"text":"a"}]}`, requirements.R20250618, false, later},
		{"text that is a number", `{"content":[{"type":"text","text":"a"},{"type":"text","text":1}]}`, requirements.R20250618, false,
			"$.result.content[1].text is 1, want a string"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m := frame.Read([]byte(`{"jsonrpc":"2.0","id":1,"result":` + row.result + `}`))
			a := probe.Answer{Message: probe.Message{Message: m, Place: "$", Revision: row.revision}, Result: object(t, row.result)}
			if left := !final(a.Result); left != row.left {
				t.Fatalf("left out is %t, want %t", left, row.left)
			}
			if row.left {
				return
			}
			said := probe.Nothing()
			for _, r := range resultRows() {
				said = said.And(r.Says(a.Message))
			}
			problem := ""
			if v := said.Violation(); v != nil {
				problem = v.Problem
			}
			if problem != row.problem || !said.Judged() {
				t.Errorf("got %q, want %q", problem, row.problem)
			}
		})
	}
}

func TestDialect(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://json-schema.org/draft/2020-12/schema": true, "https://json-schema.org/draft/2020-12/schema#": true,
		"http://json-schema.org/draft-07/schema#": false, "https://json-schema.org/draft/2019-09/schema": false, "": false,
	} {
		if got := newest(address); got != want {
			t.Errorf("newest(%q) is %t, want %t", address, got, want)
		}
	}
}
