package server_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// Each row is one line of a client and the server's answer, by revision where
// revisions differ.
func TestStdioAnswersEveryLine(t *testing.T) {
	t.Parallel()
	old := []string{"2024-11-05", "2025-03-26", "2025-06-18"}
	handshake := append(old, "2025-11-25")
	for _, row := range []struct {
		name, line string
		want       string
		at         map[string]string // the answers that differ from want
	}{
		{name: "no JSON", line: "garbage", want: "no id -32700", at: each(old, "id null -32700")},
		{name: "empty line", line: "", want: ""},
		{name: "invalid UTF-8", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", want: "no id -32700",
			at: each(old, "id null -32700")},
		{name: "two messages on a line", line: `{} {}`, want: "no id -32700", at: each(old, "id null -32700")},
		{name: "string", line: `"x"`, want: "no id -32600", at: each(old, "id null -32600")},
		{name: "empty object", line: `{}`, want: "no id -32600", at: each(old, "id null -32600")},
		{name: "wrong version member", line: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, want: "id 1 -32600"},
		{name: "no method", line: `{"jsonrpc":"2.0","id":1}`, want: "id 1 -32600"},
		{name: "numeric method", line: `{"jsonrpc":"2.0","id":1,"method":2}`, want: "id 1 -32600"},
		{name: "null id", line: `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, want: "no id -32600", at: each(old, "id null -32600")},
		{name: "true id", line: `{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, want: "no id -32600", at: each(old, "id null -32600")},
		{name: "capital key", line: `{"jsonrpc":"2.0","id":1,"METHOD":"tools/list"}`, want: "id 1 -32600"},
		{name: "list as params", line: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, want: "id 1 -32602"},
		{name: "unknown notification", line: `{"jsonrpc":"2.0","method":"notifications/x"}`, want: ""},
		{name: "malformed notification", line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, want: ""},
		{name: "broken notification", line: `{"jsonrpc":"1.0","method":"notifications/cancelled"}`, want: ""},
		{name: "cancelling nothing", line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, want: ""},
		{name: "cancelling without id", line: `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, want: ""},
		{name: "stray result", line: `{"jsonrpc":"2.0","id":1,"result":{}}`, want: ""},
		{name: "stray error", line: `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, want: ""},
		{name: "batch",
			line: `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},7,{"jsonrpc":"2.0","id":2,` +
				`"method":"tools/list"}]`,
			want: "no id -32600",
			at: map[string]string{"2024-11-05": "id null -32600", "2025-06-18": "id null -32600",
				"2025-03-26": "[id 1 ok, id null -32600, id 2 ok]"}},
		{name: "empty batch", line: `[]`, want: "no id -32600", at: each(old, "id null -32600")},
		{name: "batch of notifications", line: `[{"jsonrpc":"2.0","method":"notifications/x"}]`, want: "no id -32600",
			at: map[string]string{"2024-11-05": "id null -32600", "2025-06-18": "id null -32600", "2025-03-26": ""}},
		{name: "batched initialize", line: "[" + hello("2025-03-26") + "]", want: "no id -32600",
			at: map[string]string{"2024-11-05": "id null -32600", "2025-06-18": "id null -32600", "2025-03-26": `[id "hello" -32600]`}},
		{name: "second initialize", line: hello("2025-06-18"), want: `id "hello" -32600`, at: map[string]string{modern: `id "hello" ok`}},
		{name: "ping", line: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, want: "id 1 ok"},
		{name: "unknown method", line: "@no/such {}", want: "id 1 -32601"},
		{name: "tasks method", line: `@tasks/pause {}`, want: "id 1 -32601"},
		{name: "discover", line: "@server/discover {}", want: "id 1 ok", at: each(handshake, "id 1 -32601")},
		{name: "listen", line: `@subscriptions/listen {"notifications":"all"}`, want: "id 1 -32602", at: each(handshake, "id 1 -32601")},
		{name: "modern ping", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + clause + `}}`, want: "id 1 -32601"},
		{name: "set level", line: `@logging/setLevel {"level":"error"}`, want: "id 1 ok", at: map[string]string{modern: "id 1 -32601"}},
		{name: "bad level", line: `@logging/setLevel {"level":"WARNING"}`, want: "id 1 -32602", at: map[string]string{modern: "id 1 -32601"}},
		{name: "numeric level", line: `@logging/setLevel {"level":3}`, want: "id 1 -32602", at: map[string]string{modern: "id 1 -32601"}},
		{name: "subscribe", line: `@resources/subscribe {"uri":"test://watched-resource"}`, want: "id 1 ok",
			at: map[string]string{modern: "id 1 -32601"}},
		{name: "unsubscribe", line: `@resources/unsubscribe {"uri":"test://watched-resource"}`, want: "id 1 ok",
			at: map[string]string{modern: "id 1 -32601"}},
		{name: "numeric cursor", line: `@tools/list {"cursor":5}`, want: "id 1 -32602"},
		{name: "unknown cursor", line: `@tools/list {"cursor":"bmV2ZXI"}`, want: "id 1 -32602"},
		{name: "empty cursor", line: `@tools/list {"cursor":""}`, want: "id 1 -32602"},
		{name: "call without name", line: `@tools/call {}`, want: "id 1 -32602"},
		{name: "call of a number", line: `@tools/call {"name":5}`, want: "id 1 -32602"},
		{name: "arguments as list", line: `@tools/call {"name":"office_hours","arguments":[]}`, want: "id 1 -32602"},
		{name: "unknown tool", line: `@tools/call {"name":"OFFICE_HOURS"}`, want: "id 1 -32602"},
		{name: "no arguments", line: `@tools/call {"name":"office_hours"}`, want: "id 1 ok"},
		{name: "missing argument", line: `@tools/call {"name":"find_berth","arguments":{}}`, want: "id 1 tool error",
			at: each(old, "id 1 -32602")},
		{name: "argument of another type", line: `@tools/call {"name":"find_berth","arguments":{"length":{}}}`, want: "id 1 tool error",
			at: each(old, "id 1 -32602")},
		{name: "dependent argument", line: `@tools/call {"name":"mooring_fee","arguments":{"length":1,"nights":1,"discount":5}}`,
			want: "id 1 tool error", at: each(old, "id 1 -32602")},
		{name: "failing tool", line: `@tools/call {"name":"test_error_handling"}`, want: "id 1 tool error"},
		{name: "read without uri", line: `@resources/read {}`, want: "id 1 -32602"},
		{name: "relative uri", line: `@resources/read {"uri":"../x"}`, want: "id 1 -32602"},
		{name: "missing resource", line: `@resources/read {"uri":"other://x"}`, want: "id 1 -32002",
			at: map[string]string{modern: "id 1 -32602"}},
		{name: "missing berth", line: `@resources/read {"uri":"harbour://berths/Z9/depth"}`, want: "id 1 -32002",
			at: map[string]string{modern: "id 1 -32602"}},
		{name: "template", line: `@resources/read {"uri":"test://template/123/data"}`, want: "id 1 ok"},
		{name: "prompt without name", line: `@prompts/get {}`, want: "id 1 -32602"},
		{name: "unknown prompt", line: `@prompts/get {"name":"x"}`, want: "id 1 -32602"},
		{name: "prompt without arguments", line: `@prompts/get {"name":"berth_request"}`, want: "id 1 -32602"},
		{name: "prompt with a number", line: `@prompts/get {"name":"berth_request","arguments":{"vessel":1,"berth":"A1"}}`, want: "id 1 -32602"},
		{name: "completion without ref", line: `@completion/complete {"argument":{"name":"a","value":""}}`, want: "id 1 -32602"},
		{name: "completion of another kind", line: `@completion/complete {"ref":{"type":"ref/x"},"argument":{"name":"a","value":""}}`,
			want: "id 1 -32602"},
		{name: "completion of an unknown prompt",
			line: `@completion/complete {"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}`, want: "id 1 -32602"},
		{name: "completion",
			line: `@completion/complete {"ref":{"type":"ref/resource","uri":"harbour://berths/{berth}/depth"},"argument":{"name":"berth",` +
				`"value":"A"}}`, want: "id 1 ok"},
		{name: "meta as list", line: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}`, want: "id 1 -32602",
			at: map[string]string{modern: "id 1 -32602"}},
		{name: "foreign meta", line: `@tools/list {"_meta":{"com.example/x":1,"io.modelcontextprotocol/unknown":[]}}`, want: "id 1 ok"},
		{name: "no capabilities",
			line: `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			want: "id 1 -32602"},
		{name: "unserved revision",
			line: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01",` +
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`, want: "id 1 -32022"},
		{name: "handshake revision without a handshake",
			line: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` +
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`, want: "id 1 -32022"},
		{name: "unknown log level",
			line: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"verbose"}}}`, want: "id 1 -32602"},
		{name: "progress without token", line: `@tools/call {"name":"test_tool_with_progress"}`, want: "id 1 ok"},
	} {
		for _, revision := range revisions() {
			t.Run(row.name+" at "+revision, func(t *testing.T) {
				t.Parallel()
				p := newPeer(t, made(t, server.Options{}))
				p.open(revision)
				want, differs := row.at[revision]
				if !differs {
					want = row.want
				}
				if got := p.ask(spell(revision, row.line), barrier(revision), min(len(want), 1)); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
	}
}

func each(revisions []string, want string) map[string]string {
	all := map[string]string{}
	for _, r := range revisions {
		all[r] = want
	}
	return all
}

// spell turns "@method {params}" into a valid request of the revision.
func spell(revision, line string) string {
	short, ok := strings.CutPrefix(line, "@")
	if !ok {
		return line
	}
	method, params, _ := strings.Cut(short, " ")
	params = params[1 : len(params)-1]
	if revision == modern {
		if before, after, found := strings.Cut(params, `"_meta":{`); found {
			open := strings.TrimSuffix(clause, "}")
			if after[0] == '}' {
				after = `"com.example/none":0` + after
			}
			return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + before + open + "," + after + "}}"
		}
	}
	return request(revision, "1", method, params)
}
