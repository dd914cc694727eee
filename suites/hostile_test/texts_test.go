package hostile_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// evil acts on a medium that shows it raw: terminals, XML, HTML, Markdown and the logs
// of build servers. It is UTF-8, so a server may send it.
const evil = "\x1b]0;owned\x07\x1b[2J\u009b31m \u202etxt\u2066 \u200b\ufeff \x00\x08\x7f\u0085\u2028 ]]> <script>alert(1)</script><img src=x onerror=alert(1)>" +
	" &lt; \"'` | [x](javascript:alert(1)) <!-- -- --> <![CDATA[ \ufffe\uffff\r\n::error::owned\n##[error]owned\n##teamcity[buildStop]\n  ##vso[task.complete]\n" +
	"::stop-commands::x\n  FAIL  forged/line    MUST\n e\u0301\u0301\u0301\u0301\u0301\u0301\u0301 ${HOME} %0A {{7*7}}"

func parsed(line string) fakeserver.Request {
	r := fakeserver.Request{Text: line}
	_ = json.Unmarshal([]byte(line), &r) // a line without a message has no members
	return r
}

// evilTool is a tool with evil in each of its texts.
func evilTool(name string) string {
	return `{"name":` + literal(name) + `,"title":` + literal(evil) + `,"description":` + literal(evil) +
		`,"inputSchema":{"type":"object","title":` + literal(evil) + `,"properties":{` + literal(evil) + `:{"type":"string","description":` + literal(evil) + `}},"required":[` + literal(evil) +
		`]},"annotations":{"title":` + literal(evil) + `,"readOnlyHint":true}}`
}

// texts are attacks on the reader of the report.
func texts() []animal {
	evilList := func(name string) *fakeserver.Server {
		return answering("tools/list", func(r fakeserver.Request) any { return result(r, `{"tools":[`+evilTool(name)+`]}`) })
	}
	replaced := func(with string) *fakeserver.Server {
		return edited(func(text string) string { return strings.ReplaceAll(text, `"rigged"`, with) })
	}
	return []animal{
		{name: "attacks in titles and descriptions", over: requirements.Stdio, rigged: evilList("look"), exit: []int{0}},
		{name: "attacks in tool names", rigged: evilList(evil), exit: []int{0}, says: "tools/name"},
		{name: "attacks in the name of the server", over: requirements.HTTP, rigged: replaced(literal(evil)), exit: []int{0}},
		{name: "attacks in instructions", over: requirements.Stdio, rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, welcome(`,"instructions":`+literal(evil)))
		}), exit: []int{0}},
		{name: "attacks in error messages", over: requirements.HTTP, rigged: answering("tools/call", func(fakeserver.Request) any {
			return &fakeserver.Error{Code: -32602, Message: evil, Data: evil}
		}), exit: []int{0}},
		{name: "attacks in everything that fails", serve: afterwards(func(r fakeserver.Request) string {
			return `{"jsonrpc":"2.0","id":` + id(r) + `,"error":{"code":` + literal(evil) + `,"message":` + literal(evil) + `,"data":` + literal(evil) + `,` + literal(evil) + `:1},` + literal(evil) + `:1}`
		}), exit: []int{1}},
		{name: "attacks in the revision", rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, strings.Replace(welcome(""), `"protocolVersion":"`, `"protocolVersion":`+literal(evil)+`,"x":"`, 1))
		}), exit: []int{3}, says: "the server offers"},
		{name: "attacks in capabilities", over: requirements.Stdio, rigged: answering("initialize", func(r fakeserver.Request) any {
			return result(r, strings.Replace(welcome(""), `{"tools":{}}`, `{"tools":{},"extensions":{`+literal(evil)+`:{}},"experimental":{`+literal(evil)+`:{}}}`, 1))
		}), exit: []int{0}},
		{name: "attacks in methods of notifications", serve: afterwards(func(r fakeserver.Request) string {
			return `{"jsonrpc":"2.0","method":` + literal(evil) + `}` + "\n" + string(answer(r))
		}), exit: []int{0}},
		{name: "attacks on stderr", serve: beside(func(_ context.Context, _, errw io.Writer) { _, _ = io.WriteString(errw, evil) }), exit: []int{0}},
		{name: "attacks in place of JSON", serve: each(func(_ int, r fakeserver.Request) (string, bool) { return evil + "\n", false }), exit: []int{3}},
		{name: "attacks between messages", serve: altered(func(line string) string { return evil + "\n" + line }), exit: []int{1}},
		{name: "bytes that are no UTF-8", rigged: replaced("\"\xff\xfe\xc0\x80\xed\xa0\x80\xf5\x1b[31m\""), exit: []int{1, 3}},
		{name: "bytes that are no UTF-8 in a list", rigged: answering("tools/list", func(r fakeserver.Request) any {
			return result(r, "{\"tools\":[{\"name\":\"\xff\xc0\xaf\",\"inputSchema\":{\"type\":\"object\"}}]}")
		}), exit: []int{1}},
		{name: "halves of surrogate pairs", over: requirements.HTTP, rigged: replaced(`"\ud800 \udc00\ud800"`), exit: []int{0}},
		{name: "ten thousand marks on one letter", over: requirements.Stdio, rigged: replaced(`"e` + strings.Repeat("\u0301", 10_000) + `"`), exit: []int{0}},
		{name: "a name of line breaks", over: requirements.HTTP, rigged: replaced(literal(strings.Repeat("\r\n", 10_000))), exit: []int{0}},
	}
}
