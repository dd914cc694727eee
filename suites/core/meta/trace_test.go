package meta_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/core/meta"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestTraceContext(t *testing.T) {
	t.Parallel()
	const id = "0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7"
	for _, row := range []struct {
		name string
		key  string
		text string
		want bool
	}{
		{"traceparent", "traceparent", "00-" + id + "-01", true},
		{"traceparent of a later version", "traceparent", "01-" + id + "-01-more", true},
		{"traceparent that goes on", "traceparent", "00-" + id + "-01-more", false},
		{"traceparent in capitals", "traceparent", "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01", false},
		{"traceparent without a trace", "traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
		{"traceparent without a parent", "traceparent", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
		{"traceparent of version ff", "traceparent", "ff-" + id + "-01", false},
		{"traceparent, empty", "traceparent", "", false},
		{"tracestate", "tracestate", "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE,", true},
		{"tracestate of a tenant", "tracestate", "fw529a3039@dt=FfffffffZ:w1", true},
		{"tracestate, empty", "tracestate", "", true},
		{"tracestate without a value", "tracestate", "rojo", false},
		{"tracestate in capitals", "tracestate", "Rojo=1", false},
		{"baggage", "baggage", "userId=alice,serverNode=DF%2028 ; ttl=1;p , isProduction=false", true},
		{"baggage with an empty value", "baggage", "a=", true},
		{"baggage with a space in the value", "baggage", "a=b c", false},
		{"baggage without a value", "baggage", "alice", false},
	} {
		result := map[string]any{"_meta": map[string]any{row.key: row.text}}
		said := proof.Said(t, meta.Suite(), "meta/trace-context", "tools/call", result)
		if got := said.Violation() == nil; got != row.want || !said.Judged() {
			t.Errorf("%s: %q: got %t, want %t", row.name, row.text, got, row.want)
		}
	}
}
