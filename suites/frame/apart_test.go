package frame_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// The bytes beside the id are equal only where the rest of the message is repeated.
func TestApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`{"jsonrpc":"2.0","id":17,"result":{}}`:                 {`{"jsonrpc":"2.0","id":`, `,"result":{}}`},
		`{"result":{"id":3},"id" : 4 }`:                         {`{"result":{"id":3},"id" : `, ` }`},
		`{"jsonrpc":"2.0","id":"17","result":{}}`:               {`{"jsonrpc":"2.0","id":"17","result":{}}`, ""},
		`{"jsonrpc":"2.0","id":1e1,"result":{}}`:                {`{"jsonrpc":"2.0","id":1e1,"result":{}}`, ""},
		`{"jsonrpc":"2.0","id":null,"error":{}}`:                {`{"jsonrpc":"2.0","id":null,"error":{}}`, ""},
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`:           {`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`, ""},
		`{"jsonrpc":"2.0","method":"n","params":{"id":1}}`:      {`{"jsonrpc":"2.0","method":"n","params":{"id":1}}`, ""},
		`[{"jsonrpc":"2.0","id":1,"result":{}}]`:                {`[{"jsonrpc":"2.0","id":1,"result":{}}]`, ""},
		"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":""}`: {"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":""}`, ""},
		"no JSON": {"no JSON", ""},
		"":        {"", ""},
	} {
		before, behind := frame.New(frame.Received, frame.KindMessage, []byte(text)).Apart()
		if got := [2]string{string(before), string(behind)}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
