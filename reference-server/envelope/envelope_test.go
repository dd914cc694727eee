package envelope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, raw, want string }{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "request id 1 ping"},
		{"request with params", `{"jsonrpc":"2.0","id":"a","method":"x","params":{"b":1}}`, `request id "a" x {"b":1}`},
		{"id beyond machine integers", `{"jsonrpc":"2.0","id":90071992547409931234567,"method":"x"}`, "request id 90071992547409931234567 x"},
		{"id with escapes", `{"jsonrpc":"2.0","id":"\u0061","method":"x"}`, `request id "\u0061" x`},
		{"empty id", `{"jsonrpc":"2.0","id":"","method":"x"}`, `request id "" x`},
		{"integer in other clothes", `{"jsonrpc":"2.0","id":1.0,"method":"x"}`, "request id 1.0 x"},
		{"surrounding blanks", " \t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\r\n", "request id 1 x"},
		{"notification", `{"jsonrpc":"2.0","method":"n"}`, "notification n"},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, "response id 1"},
		{"error response", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, "response id 1"},
		{"both result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, "response id 1 -32600"},
		{"broken notification", `{"jsonrpc":"1.0","method":"n"}`, "notification n -32600"},
		{"notification with a list", `{"jsonrpc":"2.0","method":"n","params":[]}`, "notification n -32602"},

		{"empty", ``, "unreadable -32700"},
		{"truncated", `{"jsonrpc":"2.0",`, "unreadable -32700"},
		{"two values", `{} {}`, "unreadable -32700"},
		{"bare text", `hello`, "unreadable -32700"},
		{"byte order mark", "\xef\xbb\xbf{}", "unreadable -32700"},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "unreadable -32700"},
		{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, "unreadable -32700"},
		{"duplicate before the end is cut", `{"a":1,"a":2`, "unreadable -32700"},
		{"string", `"ping"`, "unreadable -32600"},
		{"null", `null`, "unreadable -32600"},
		{"number", `5`, "unreadable -32600"},
		{"empty object", `{}`, "unreadable -32600"},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"x"}`, "unreadable id 1 -32600"},
		{"version as number", `{"jsonrpc":2.0,"id":1,"method":"x"}`, "unreadable id 1 -32600"},
		{"no version", `{"id":1,"method":"x"}`, "unreadable id 1 -32600"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "unreadable id 1 -32600"},
		{"empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, "unreadable id 1 -32600"},
		{"method as number", `{"jsonrpc":"2.0","id":1,"method":7}`, "unreadable id 1 -32600"},
		{"key in other case", `{"jsonrpc":"2.0","id":1,"METHOD":"x"}`, "unreadable id 1 -32600"},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"x"}`, "unreadable -32600"},
		{"true id", `{"jsonrpc":"2.0","id":true,"method":"x"}`, "unreadable -32600"},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"x"}`, "unreadable -32600"},
		{"list id", `{"jsonrpc":"2.0","id":[],"method":"x"}`, "unreadable -32600"},
		{"fraction id", `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, "unreadable -32600"},
		{"exponent id", `{"jsonrpc":"2.0","id":1e3,"method":"x"}`, "unreadable -32600"},
		{"duplicate member", `{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}`, "unreadable id 1 -32600"},
		{"duplicate id", `{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`, "unreadable -32600"},
		{"duplicate deep within", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{"b":1,"b":2}}}`, "unreadable id 1 -32600"},
		{"params as list", `{"jsonrpc":"2.0","id":1,"method":"x","params":[]}`, "request id 1 x -32602"},
		{"params as null", `{"jsonrpc":"2.0","id":1,"method":"x","params":null}`, "request id 1 x -32602"},

		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","method":"n"},1,[]]`,
			"batch [request id 1 x] [notification n] [unreadable -32600] [unreadable -32600]"},
		{"empty batch", `[]`, "batch"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := tell(envelope.Read([]byte(row.raw), nil)); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestReadLeavesOutChecks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		check     fault.Check
		raw, want string
	}{
		{fault.CheckVersionMember, `{"jsonrpc":"1.0","id":1,"method":"x"}`, "request id 1 x"},
		{fault.CheckIDType, `{"jsonrpc":"2.0","id":null,"method":"x"}`, "request id null x"},
		{fault.CheckIDType, `{"jsonrpc":"2.0","id":[],"method":"x"}`, "request id [] x"},
		{fault.CheckParamsObject, `{"jsonrpc":"2.0","id":1,"method":"x","params":[]}`, "request id 1 x"},
		{fault.CheckDuplicates, `{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}`, "request id 1 y"},
	} {
		got := tell(envelope.Read([]byte(row.raw), &fault.Fault{Skip: []fault.Check{row.check}}))
		if got != row.want {
			t.Errorf("without the check of %s: got %s, want %s", row.check, got, row.want)
		}
	}
}

func TestIDKeyTellsIDsApart(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{`5`, `5`, true}, {`5`, `"5"`, false}, {`"a"`, `"\u0061"`, true}, {`0`, `-0`, true}, {`1`, `1.0`, true}, {`1`, `2`, false},
	} {
		a, _ := envelope.IDKey([]byte(row.a))
		b, _ := envelope.IDKey([]byte(row.b))
		if (a == b) != row.same {
			t.Errorf("%s and %s: same is %t, want %t", row.a, row.b, a == b, row.same)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"x"},{}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := envelope.Read(raw, nil)
		if m.Kind == envelope.Unreadable && m.Problem == nil {
			t.Errorf("%q is unreadable without a reason", raw)
		}
		if m.Kind == envelope.Request && m.ID == nil {
			t.Errorf("%q is a request without an id", raw)
		}
		if diff := cmp.Diff(tell(m), tell(envelope.Read(raw, nil))); diff != "" {
			t.Errorf("%q, read twice:\n%s", raw, diff)
		}
		for name, part := range map[string][]byte{"id": m.ID, "params": m.Params} {
			if part != nil && (!bytes.Contains(raw, part) || !json.Valid(part)) {
				t.Errorf("the %s of %q is %q", name, raw, part)
			}
		}
	})
}

func tell(m envelope.Message) string {
	kinds := map[envelope.Kind]string{
		envelope.Unreadable: "unreadable", envelope.Request: "request", envelope.Notification: "notification",
		envelope.Response: "response", envelope.Batch: "batch",
	}
	words := []string{kinds[m.Kind]}
	if m.ID != nil {
		words = append(words, "id", string(m.ID))
	}
	if m.Method != "" {
		words = append(words, m.Method)
	}
	if m.Params != nil {
		words = append(words, string(m.Params))
	}
	for _, member := range m.Members {
		words = append(words, "["+tell(member)+"]")
	}
	if m.Problem != nil {
		words = append(words, fmt.Sprint(m.Problem.Code))
	}
	return strings.Join(words, " ")
}
