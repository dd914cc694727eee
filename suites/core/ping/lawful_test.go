package ping_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ping", []lawful.Row{
		{Name: "nothing declared", Server: &fakeserver.Server{}},
	})
}
