package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	meta := func(key string) map[string]any { return map[string]any{"name": "a", "_meta": map[string]any{key: "1"}} }
	for _, row := range []struct {
		params map[string]any
		want   bool
	}{
		{nil, true},
		{map[string]any{"name": "a", "arguments": map[string]any{"b": 1}, "task": map[string]any{}}, true},
		{meta(protocol.MetaVersion), true},
		{meta("progressToken"), true},
		{meta(protocol.ProposalPrefix + "idempotency_key"), false},
		{map[string]any{"name": "a", "idempotency_key": "1"}, false},
	} {
		if got := probe.AskedWith("tools/call", row.params).Plain(); got != row.want {
			t.Errorf("%v: plain is %t, want %t", row.params, got, row.want)
		}
	}
}
