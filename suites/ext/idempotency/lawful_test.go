package idempotency_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-idempotency", []lawful.Row{
		{Name: "claims idempotency, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:idempotency"), Tools: fakeserver.Tools(2),
		}},
	})
}
