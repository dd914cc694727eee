package cancellation_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	offers := fakeserver.Offers("tools")
	lawful.Servers(t, "cancellation", []lawful.Row{
		{Name: "cancellations mean nothing to it", Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading()}},
		{
			Name: "a slow tool that cannot be cancelled", Over: requirements.Stdio, Config: "roles: {slow-tool: {tool: hours, duration: 50ms}}",
			Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading()},
		},
	})
}

// TestStateless: a server may end a subscription in both ways, and may go on with a call that it
// cannot cancel.
func TestStateless(t *testing.T) {
	t.Parallel()
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "cancellation" }
	lawful.Stateless(t, "subscriptions end by a cancellation and a response", page, &fault.Fault{
		Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if x.Method != "subscriptions/listen" || m["result"] == nil {
				return []fault.Message{m}
			}
			told := fault.Message{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": x.ID}}
			return []fault.Message{told, m}
		},
	})
}
