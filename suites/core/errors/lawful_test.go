package errors_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "errors", []lawful.Row{
		{Name: "every call fails inside the server", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Answer: fakeserver.Answers{
			"tools/call": func(r fakeserver.Request) any {
				if _, ok := r.Params["arguments"].(map[string]any); ok && strings.HasPrefix(fmt.Sprint(r.Params["name"]), "tool_") && !fakeserver.HasText(r) {
					return fakeserver.Flagged(r)
				}
				return fakeserver.ForText(r, &fakeserver.Error{Code: -32603, Message: "out of service"})
			},
		}}},
	})
}
