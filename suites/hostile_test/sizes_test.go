package hostile_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

var digits = regexp.MustCompile(`"id":(\d+)`)

// wide lets frames through up to the default limit.
func wide(cfg *config.Config) { cfg.Limits.Frame = config.Default().Limits.Frame }

// sizes are messages that are too deep, too wide or too long.
func sizes() []animal {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) // twice what the reader nests
	inPing := func(value string) *fakeserver.Server {
		return answering("ping", func(r fakeserver.Request) any { return result(r, `{"_meta":{"example.com/x":`+value+`}}`) })
	}
	inTool := func(value string) *fakeserver.Server {
		return answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":[{"name":"look","inputSchema":{"type":"object"},"_meta":{"example.com/x":`+value+`}}]}`)
		})
	}
	long := strings.Repeat("x", 64<<10) // more than the kit may send, less than it may read
	return []animal{
		{name: "JSON nested 20,000 deep", rigged: inPing(deep), exit: []int{0, 3}},
		{name: "JSON nested 20,000 deep in the handshake", rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, welcome(`,"_meta":{"example.com/x":`+deep+`}`))
		}), exit: []int{3}},
		{name: "JSON nested 5,000 deep", over: requirements.HTTP, rigged: inTool(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)), exit: []int{0}},
		{name: "an object of 100,000 properties", serve: once("ping", wideObject(100_000)), set: wide, exit: []int{0}},
		{name: "numbers of 10,000 digits", over: requirements.Stdio, rigged: inTool(strings.Repeat("7", 10_000)), exit: []int{0}},
		{name: "numbers that are infinite as floats", over: requirements.HTTP, rigged: inTool(`[1e400,-1e400,1e-400,0e999999999,1e999999999]`), exit: []int{0}},
		{name: "limits of a schema that are infinite as floats", over: requirements.Stdio, rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":[{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"type":"number","minimum":-1e400,"maximum":1e400,"multipleOf":1e-400}},"required":["n"]}}]}`)
		}), exit: []int{0}},
		{name: "limits of a schema that take all memory", over: requirements.HTTP, rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":[{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","minProperties":1000000000,"properties":{"s":{"type":"string","minLength":4000000000},"a":{"type":"array","minItems":4000000000,"items":{"type":"string","minLength":10000000}},"n":{"type":"integer","minimum":1e999999999}},"required":["s","a","n"]}}]}`)
		}), exit: []int{0}},
		{name: "ids of 64 KiB", serve: before("ping", `{"jsonrpc":"2.0","id":"`+long+`","method":"ping"}`+"\n"+`{"jsonrpc":"2.0","id":"`+long+`","result":{}}`+"\n"),
			set: wide, exit: []int{0, 1}}, // a stray response shows nothing after malformed messages, and pings may come there
		{name: "protocolVersion of 64 KiB", rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, `{"protocolVersion":"`+long+`","capabilities":{},"serverInfo":{"name":"zoo","version":"1"}}`)
		}), set: wide, exit: []int{3}},
		{name: "names of 64 KiB in the handshake", serve: answering("initialize", func(r fakeserver.Request) any {
			return result(r, strings.Replace(welcome(`,"instructions":"`+long+`"`), `"zoo","version":"1"`, `"`+long+`","version":"`+long+`"`, 1))
		}).Serve, set: wide, exit: []int{0}},
		{name: "tool names of 64 KiB", rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":[{"name":"`+long+`","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`)
		}), set: wide, exit: []int{0}, says: "tools/name-length"},
		{name: "error messages of 64 KiB", serve: afterwards(func(r fakeserver.Request) string {
			return `{"jsonrpc":"2.0","id":` + id(r) + `,"error":{"code":-32603,"message":"` + long + `"}}`
		}), set: wide, exit: []int{1}},
		{name: "frames longer than the limit", rigged: answering("ping", func(r fakeserver.Request) any {
			return result(r, `{"_meta":{"example.com/x":"`+strings.Repeat("x", 512<<10)+`"}}`)
		}), exit: []int{0, 3}},
		{name: "methods of 64 KiB", serve: before("ping", `{"jsonrpc":"2.0","method":"`+long+`"}`+"\n"+`{"jsonrpc":"2.0","id":1,"method":"`+long+`"}`+"\n"),
			set: wide, exit: []int{1}},
		{name: "65,536 empty objects in an array", serve: once("ping", `[`+strings.Repeat("{},", 1<<16)+`{}]`), exit: []int{0}},
	}
}

func wideObject(n int) string {
	var b strings.Builder
	b.WriteString(`{"p":0`)
	for i := range n {
		fmt.Fprintf(&b, `,"p%d":0`, i)
	}
	b.WriteByte('}')
	return b.String()
}

// once is a decent server that puts a value into the _meta of its first answer to a
// method.
func once(method, value string) serve {
	var came atomic.Bool
	return afterwards(func(r fakeserver.Request) string {
		if r.Method == method && !came.Swap(true) {
			return string(result(r, `{"_meta":{"example.com/x":`+value+`}}`))
		}
		return string(answer(r))
	})
}

// before is a decent server that sends another message before its first answer to a
// method.
func before(method, other string) serve {
	var came atomic.Bool
	return afterwards(func(r fakeserver.Request) string {
		if r.Method == method && !came.Swap(true) {
			return other + string(answer(r))
		}
		return string(answer(r))
	})
}
