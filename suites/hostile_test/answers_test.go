package hostile_test

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func number(n int) string { return strconv.Itoa(n) }

// answers are messages in JSON that are not proper answers.
func answers() []animal {
	return []animal{
		{name: "null instead of each result", rigged: edited(func(text string) string {
			if i := strings.Index(text, `"result":`); i >= 0 {
				return text[:i] + `"result":null}`
			}
			return text
		}), exit: []int{3}},
		{name: "null instead of each later result", serve: afterwards(func(r fakeserver.Request) string { return string(result(r, "null")) }), exit: []int{1}},
		{name: "result and error at once", rigged: edited(func(text string) string {
			return strings.Replace(text, `"result":`, `"error":{"code":1,"message":"no"},"result":`, 1)
		}), exit: []int{1, 3}},
		{name: "neither result nor error", serve: afterwards(func(r fakeserver.Request) string { return `{"jsonrpc":"2.0","id":` + id(r) + `}` }), exit: []int{1, 3}},
		{name: "nested batches", rigged: edited(func(text string) string { return strings.Repeat("[", 50) + text + strings.Repeat("]", 50) }), exit: []int{3}},
		{name: "duplicate properties", over: requirements.HTTP, rigged: edited(func(text string) string {
			return strings.Replace(text, `"jsonrpc":"2.0"`, `"jsonrpc":"2.0","jsonrpc":"1.0","id":99999,"jsonrpc":"2.0"`, 1)
		}), exit: []int{1}},
		{name: "the id of the request before", serve: swapping, exit: []int{1, 3}},
		{name: "ids as strings", over: requirements.Stdio, rigged: edited(func(text string) string {
			return digits.ReplaceAllString(text, `"id":"$1"`)
		}), exit: []int{1, 3}},
		{name: "ids in exponent form", serve: afterwards(func(r fakeserver.Request) string {
			if n, err := strconv.Atoi(id(r)); err == nil {
				r.ID = fmt.Appendf(nil, "%de-1", n*10)
			}
			return string(answer(r))
		}), exit: []int{0}},
		{name: "cancels every request before it answers", serve: afterwards(func(r fakeserver.Request) string {
			return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id(r) + `,"reason":"no"}}` + "\n" + string(answer(r))
		}), exit: []int{1}},
		{name: "jsonrpc is a number", over: requirements.HTTP, rigged: edited(func(text string) string { return strings.Replace(text, `"jsonrpc":"2.0"`, `"jsonrpc":2.0`, 1) }), exit: []int{1, 3}},
		{name: "error codes beyond any number", serve: afterwards(func(r fakeserver.Request) string {
			return `{"jsonrpc":"2.0","id":` + id(r) + `,"error":{"code":1e400,"message":null,"data":[[[[]]]]}}`
		}), exit: []int{1}},
		{name: "protocolVersion is an object", rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, strings.Replace(welcome(""), `"protocolVersion":"`, `"protocolVersion":{"a":1},"x":"`, 1))
		}), exit: []int{3}},
		{name: "capabilities is an array", over: requirements.Stdio, rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, strings.Replace(welcome(""), `{"tools":{}}`, `["tools"]`, 1))
		}), exit: []int{1}},
		{name: "everything in the handshake is an array", rigged: answering("initialize", func(r fakeserver.Request) any { return result(r, `[[],[],[]]`) }), exit: []int{3}},
		{name: "lists are objects", over: requirements.HTTP, rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":{"0":{"name":"look"}},"nextCursor":{"a":[]}}`)
		}), exit: []int{1}, says: "tools/list"},
		{name: "lists of lists and nulls", over: requirements.Stdio, rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":[null,[],1,"x",{"name":{}},{"name":"a","inputSchema":[]},{"inputSchema":null,"annotations":7}]}`)
		}), exit: []int{1}, says: "tools/"},
		{name: "properties of every object's prototype", over: requirements.HTTP, rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, `{"tools":[{"name":"constructor","inputSchema":{"type":"object","__proto__":{"a":1},"properties":{"__proto__":{"type":"string"}}}}],"__proto__":null}`)
		}), exit: []int{0}},
	}
}

// answer is the answer of a decent server, on one line.
func answer(r fakeserver.Request) fakeserver.Raw {
	switch r.Method {
	case "initialize":
		return result(r, welcome(""))
	case "ping":
		return result(r, "{}")
	case "tools/list":
		return result(r, `{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`)
	case "tools/call":
		return result(r, `{"content":[{"type":"text","text":"done"}]}`)
	default:
		return fakeserver.Raw(`{"jsonrpc":"2.0","id":` + id(r) + `,"error":{"code":-32601,"message":"unknown method"}}`)
	}
}

// afterwards completes the handshake and then answers every request with any text.
func afterwards(answers func(r fakeserver.Request) string) serve {
	return each(func(_ int, r fakeserver.Request) (string, bool) {
		switch {
		case r.ID == nil:
			return "", false
		case r.Method == "initialize":
			return string(answer(r)) + "\n", false
		case r.Method == "server/discover":
			return string(answer(r)) + "\n", false
		default:
			return answers(r) + "\n", false
		}
	})
}

// swapping answers each request under the id of the request before.
func swapping(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	before := []byte("0")
	return afterwards(func(r fakeserver.Request) string {
		r.ID, before = before, r.ID
		return string(answer(r))
	})(ctx, term, in, out, errw)
}
