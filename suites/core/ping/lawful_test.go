package ping_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ping", []lawful.Row{
		{Name: "nothing declared", Server: &rigged.Server{}},
	})
}
