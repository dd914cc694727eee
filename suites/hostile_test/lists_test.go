package hostile_test

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const tool = `{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

// listing is a decent server with its own tools/list; over HTTP and stdio.
func listing(list func(r fakeserver.Request) string) *fakeserver.Server {
	return answering("tools/list", func(r fakeserver.Request) any { return result(r, list(r)) })
}

func withTool(schema string) *fakeserver.Server {
	return listing(func(fakeserver.Request) string {
		return `{"tools":[{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":` + schema + `}]}`
	})
}

// lists are endless or very long lists.
func lists() []animal {
	var page atomic.Int64
	return []animal{
		{name: "endless pages with new cursors", over: requirements.Stdio, rigged: listing(func(fakeserver.Request) string {
			n := page.Add(1)
			return fmt.Sprintf(`{"tools":[{"name":"look%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"}`, n, n)
		}), exit: []int{0}},
		{name: "endless empty pages", over: requirements.HTTP, rigged: listing(func(fakeserver.Request) string {
			return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, page.Add(1))
		}), exit: []int{0}},
		{name: "one cursor for ever", over: requirements.Stdio, rigged: listing(func(fakeserver.Request) string { return `{"tools":[` + tool + `],"nextCursor":"again"}` }), exit: []int{0}},
		{name: "cursors in a circle", over: requirements.HTTP, rigged: listing(func(r fakeserver.Request) string {
			next := map[any]string{nil: "a", "a": "b", "b": "a"}[r.Params["cursor"]]
			return `{"tools":[` + tool + `],"nextCursor":` + literal(next) + `}`
		}), exit: []int{0}},
		{name: "cursors of 64 KiB, each longer", over: requirements.Stdio, rigged: listing(func(fakeserver.Request) string {
			return `{"tools":[],"nextCursor":"` + strings.Repeat("c", 64<<10+int(page.Add(1))) + `"}`
		}), exit: []int{0}},
		{name: "cursors that are attacks", rigged: listing(func(r fakeserver.Request) string {
			if r.Params["cursor"] != nil {
				return `{"tools":[` + tool + `]}`
			}
			return `{"tools":[],"nextCursor":` + literal(evil) + `}`
		}), exit: []int{0, 1}},
		{name: "10,000 tools", serve: many(10_000).Serve, set: wide, exit: []int{0}},
		{name: "2,000 tools of one name", serve: listing(func(fakeserver.Request) string {
			return `{"tools":[` + strings.Repeat(tool+",", 1_999) + tool + `]}`
		}).Serve, set: wide, exit: []int{0}, says: "tools/names-unique"},
		{name: "other tools each time", over: requirements.HTTP, rigged: listing(func(fakeserver.Request) string {
			return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`, page.Add(1))
		}), exit: []int{0}},
	}
}

func many(n int) *fakeserver.Server {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","inputSchema":{"type":"object"}}`, i)
	}
	b.WriteString(`]}`)
	text := b.String()
	return listing(func(fakeserver.Request) string { return text })
}

// schemas are input schemas that are costly to use.
func schemas(strange func(name string) string) []animal {
	nested := strings.Repeat(`{"type":"object","properties":{"a":`, 5_000) + "true" + strings.Repeat("}}", 5_000)
	return []animal{
		{name: "a schema that refers to itself", over: requirements.Stdio, rigged: withTool(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/b"}},"required":["a"]}`), exit: []int{0}},
		{name: "schemas elsewhere", over: requirements.HTTP, rigged: withTool(`{"$schema":"` + strange("dialect") + `","$id":"` + strange("id") + `","type":"object","properties":{"a":{"$ref":"` +
			strange("ref") + `"},"b":{"$ref":"other.json"},"c":{"$dynamicRef":"` + strange("dynamic") + `"}},"required":["a"]}`), exit: []int{0}},
		{name: "schemas in files", over: requirements.Stdio, rigged: withTool(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"},"b":{"$ref":"../../../etc/passwd"}}}`), exit: []int{0}},
		{name: "patterns that never end", over: requirements.HTTP, rigged: withTool(`{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$","minLength":64,"default":"` +
			strings.Repeat("a", 64) + `!"}},"patternProperties":{"^((a|a)*)*$":{}},"required":["a"]}`), exit: []int{0}},
		{name: "a pattern of 100,000 groups", over: requirements.Stdio, rigged: withTool(`{"type":"object","properties":{"a":{"type":"string","pattern":"` +
			strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000) + `"}}}`), exit: []int{0}},
		{name: "a pattern that counts to a thousand millions", over: requirements.HTTP, rigged: withTool(`{"type":"object","properties":{"a":{"type":"string","pattern":"((a{1,1000}){1,1000}){1,1000}"}},"required":["a"]}`), exit: []int{0}},
		{name: "a schema of 5,000 levels", over: requirements.Stdio, rigged: withTool(nested), exit: []int{3}},
		{name: "a schema that doubles thirty times", over: requirements.HTTP, rigged: withTool(doubling(30)), exit: []int{0}},
		{name: "a choice among 50,000 values", serve: withTool(`{"type":"object","properties":{"a":{"enum":[` + strings.Repeat(`"v",`, 49_999) + `"w"]}},"required":["a"]}`).Serve, exit: []int{0}},
		{name: "30 schemas of 8 KB", over: requirements.Stdio, rigged: listing(func(fakeserver.Request) string {
			var all []string
			for i := range 30 {
				all = append(all, fmt.Sprintf(`{"name":"t%d","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{%s"z":{}}}}`, i, properties(300)))
			}
			return `{"tools":[` + strings.Join(all, ",") + `]}`
		}), exit: []int{0}},
		{name: "schemas that are no schemas", over: requirements.HTTP, rigged: withTool(`{"type":["object","object"],"properties":[],"required":{"a":1},"$ref":7,"allOf":{},"pattern":{}}`), exit: []int{1}},
	}
}

func properties(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{"type":"string"},`, i)
	}
	return b.String()
}

// doubling is a schema of n steps that each apply the next one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/s0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"s%d":{}}}`, n)
	return b.String()
}
