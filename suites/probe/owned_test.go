package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A fault within a part of another case is left to that case; everything else is kept.
func TestUnowned(t *testing.T) {
	t.Parallel()
	const tools = "tools/list"
	for name, row := range map[string]struct {
		part    probe.Part
		result  string
		pointer string
		missing bool
		left    bool
	}{
		"the value itself":            {part: probe.Part{Of: tools, At: "/tools/*/title"}, pointer: "/tools/3/title"},
		"what the value holds":        {part: probe.Part{Of: tools, At: "/tools/*/icons"}, pointer: "/tools/3/icons/0/src"},
		"beside the value":            {part: probe.Part{Of: tools, At: "/tools/*/title"}, pointer: "/tools/3/titles", left: true},
		"above the value":             {part: probe.Part{Of: tools, At: "/tools/*/title"}, pointer: "/tools/3", left: true},
		"another method":              {part: probe.Part{Of: "prompts/list", At: "/tools"}, pointer: "/tools", left: true},
		"any method":                  {part: probe.Part{At: "/tools"}, pointer: "/tools"},
		"another class":               {part: probe.Part{Class: frame.Request, At: "/id"}, pointer: "/id", left: true},
		"the whole result":            {part: probe.Part{Of: tools}, pointer: "/any/thing"},
		"at any depth":                {part: probe.Part{At: "/**/_meta"}, pointer: "/tools/0/_meta"},
		"at no depth":                 {part: probe.Part{At: "/**/_meta"}, pointer: "/_meta"},
		"the value and no more":       {part: probe.Part{At: "/**/_meta", Depth: probe.Itself}, pointer: "/_meta/key", left: true},
		"missing":                     {part: probe.Part{At: "/tools"}, pointer: "/tools", missing: true},
		"missing, for others to say":  {part: probe.Part{At: "/tools", Given: true}, pointer: "/tools", missing: true, left: true},
		"something in it is missing":  {part: probe.Part{At: "/tools", Given: true}, pointer: "/tools/0/name", missing: true},
		"an object, and is one":       {part: probe.Part{At: "/a", Depth: probe.AsObject}, result: `{"a":{}}`, pointer: "/a", left: true},
		"an object, and is none":      {part: probe.Part{At: "/a", Depth: probe.AsObject}, result: `{"a":7}`, pointer: "/a"},
		"an object, and is missing":   {part: probe.Part{At: "/a", Depth: probe.AsObject}, result: `{}`, pointer: "/a", missing: true, left: true},
		"a result that is no object":  {part: probe.Part{Depth: probe.AsObject}, result: `[]`, pointer: ""},
		"an item of the type":         {part: probe.Part{At: "/c/*/x", Type: "t"}, result: `{"c":[{},{"type":"t"}]}`, pointer: "/c/1/x"},
		"an item of another type":     {part: probe.Part{At: "/c/*/x", Type: "t"}, result: `{"c":[{},{"type":"t"}]}`, pointer: "/c/0/x", left: true},
		"deeper in an item of a type": {part: probe.Part{At: "/c/*/x/y", Type: "t"}, result: `{"c":[{"type":"t"}]}`, pointer: "/c/0/x/y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := row.result
			if result == "" {
				result = `{"tools":[]}`
			}
			m := probe.Message{Message: frame.Read([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)), Request: probe.Asked{Method: tools}}
			m.Frame.Owned = []probe.Owned{{Part: row.part, Case: "other/case"}}
			fault := schemas.Fault{Pointer: row.pointer, Got: "7"}
			if row.missing {
				fault.Got = "missing"
			}
			if left := len(m.Unowned("schema/asks", []schemas.Fault{fault})) > 0; left != row.left {
				t.Errorf("the fault is left: %t, want %t", left, row.left)
			}
			if own := m.Unowned("other/case", []schemas.Fault{fault}); len(own) != 1 {
				t.Errorf("the owner is left %d faults of its own part, want 1", len(own))
			}
		})
	}
}
