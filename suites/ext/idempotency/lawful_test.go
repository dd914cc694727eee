package idempotency_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-idempotency", []lawful.Row{
		{Name: "claims idempotency, with no tool to show it", Server: &rigged.Server{
			Capabilities: rigged.Offers("tools", "ext:idempotency"), Tools: rigged.Tools(2),
		}},
	})
}
