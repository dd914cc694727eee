package logging_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

// TestLawful: a log message is lawful for a request that asks for it, and in the older
// rules without that.
func TestLawful(t *testing.T) {
	t.Parallel()
	log := fault.Message{
		"jsonrpc": "2.0", "method": "notifications/message", "params": map[string]any{"level": "error", "data": "a remark"},
	}
	lawful.Stateless(t, "logs where it is asked to", lawful.Prompt, &fault.Fault{
		Send: fault.When(func(x fault.Exchange) bool { return fault.Meta(x.Params, "logLevel") != nil }).Before(log),
	})
}
