package errors_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "errors", []lawful.Row{
		{Name: "every call fails inside the server", Server: &rigged.Server{Capabilities: rigged.Offers("tools"), Tools: rigged.Tools(2), Answer: rigged.Answers{
			"tools/call": func(r rigged.Request) any {
				if _, ok := r.Params["arguments"].(map[string]any); ok && strings.HasPrefix(fmt.Sprint(r.Params["name"]), "tool_") && !rigged.HasText(r) {
					return rigged.Flagged(r)
				}
				return rigged.ForText(r, &rigged.Error{Code: -32603, Message: "out of service"})
			},
		}}},
	})
}
