package probe

import (
	"net/http"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

func replyOf(method, text string, status int) *Reply {
	r := &Reply{client: &Client{}, Method: method}
	if status != 0 {
		f := frame.New(frame.Received, frame.KindHead, nil)
		f.HTTP = &frame.HTTP{Status: status}
		r.head = &Seen{Frame: f}
	}
	if text != "" {
		f := frame.New(frame.Received, frame.KindMessage, []byte(text))
		r.got = &Seen{Frame: f}
	}
	return r
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	const record = `{"code":"RATE","category":"transient"}`
	for _, row := range []struct {
		name, method, text string
		status             int
		want               bool
		place              string // of the record
	}{
		{name: "silence", method: "tools/call"},
		{name: "invalid params", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, want: true},
		{name: "invalid params with status 500", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, status: 500, want: true},
		{name: "internal error", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`},
		{name: "internal error with status 400", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, status: 400},
		{name: "unknown method", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, status: 404},
		{name: "status 422 alone", method: "tools/call", status: http.StatusUnprocessableEntity, want: true},
		{name: "status 405 alone", method: "tools/call", status: http.StatusMethodNotAllowed},
		{name: "status 500 alone", method: "tools/call", status: http.StatusInternalServerError},
		{name: "tool error", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`, want: true},
		{name: "result", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}`},
		{name: "a tool's own status", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"status":"failed"}}`},
		{name: "a step that failed", method: "transaction/step", text: `{"jsonrpc":"2.0","id":1,"result":{"status":"failed"}}`, want: true},
		{name: "a wish that was not allowed", method: "permissions/check", text: `{"jsonrpc":"2.0","id":1,"result":{"allowed":false}}`, want: true},
		{name: "record in metadata", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"error":` + record + `}}}`, want: true, place: "_meta.error"},
		{
			name: "record under the prefix", method: "tools/call", want: true, place: "_meta[" + ExtensionPrefix + "error]",
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"` + ExtensionPrefix + `error":` + record + `}}}`,
		},
		{name: "record in a success", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"error":` + record + `}}`, want: true, place: "result.error"},
		{name: "record as answer", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":` + record + `}}`, want: true, place: "structuredContent"},
		{
			name: "record as text", method: "tools/call", want: true, place: "the JSON of the first text block, error",
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"error\":{\"code\":\"RATE\",\"category\":\"transient\"}}"}]}}`,
		},
		{
			name: "record in error data", method: "transaction/commit", want: true, place: "error.data.error",
			text: `{"jsonrpc":"2.0","id":1,"error":{"code":1000,"message":"no","data":{"error":` + record + `}}}`,
		},
		{name: "an error member without a category", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"error":{"code":"A3"}}}`},
	} {
		reply := replyOf(row.method, row.text, row.status)
		if got := reply.Declined(); got != row.want {
			t.Errorf("%s: declined is %t, want %t", row.name, got, row.want)
		}
		if got := reply.WantDeclined() == nil; got != row.want {
			t.Errorf("%s: wanting a refusal succeeds: %t, want %t", row.name, got, row.want)
		}
		if _, place, _ := reply.Record(); place != row.place {
			t.Errorf("%s: the record is found in %q, want %q", row.name, place, row.place)
		}
		_, isResult := reply.Result()
		if got, want := reply.WantDone() == nil, isResult && !row.want; got != want {
			t.Errorf("%s: wanting a result succeeds: %t, want %t", row.name, got, want)
		}
	}
}
