package jsonrpc

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

func TestCollect(t *testing.T) {
	t.Parallel()
	conversation := func(turns ...turn) []probe.Seen {
		var all []probe.Seen
		for _, tell := range turns {
			var s probe.Seen
			tell(&s)
			all = append(all, s)
		}
		return all
	}
	array := bent(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	behind := sent(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	for _, row := range []struct {
		name                   string
		turns                  []turn
		answers, extra, served int
		refused, silent, array bool
	}{
		{name: "one by one", turns: []turn{
			array, got(`{"jsonrpc":"2.0","id":2,"result":{}}`), got(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`),
		}, answers: 2, served: 1},
		{name: "as an array", turns: []turn{
			array, got(`[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`),
		}, answers: 2, served: 2, array: true},
		{name: "refused", turns: []turn{array, got(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`)}, extra: 1, refused: true},
		{name: "the request behind is none of it", turns: []turn{array, behind, got(`{"jsonrpc":"2.0","id":"5","result":{}}`)}, silent: true},
		{name: "an empty array", turns: []turn{array, got(`[]`)}, array: true},
		{name: "another exchange", turns: []turn{
			in(1, array), in(1, head(400, "")), in(2, got(`{"jsonrpc":"2.0","id":1,"result":{}}`)),
		}, refused: true},
	} {
		seen := conversation(row.turns...)
		v := collect(seen, askedIDs(seen), []string{"1", "2"})
		if len(v.answers) != row.answers || len(v.extra) != row.extra || v.served() != row.served ||
			v.refused() != row.refused || v.silent() != row.silent || v.array != row.array {
			t.Errorf("%s: got %d answers, %d extra, %d served, refused %v, silent %v, array %v", row.name,
				len(v.answers), len(v.extra), v.served(), v.refused(), v.silent(), v.array)
		}
	}
}
