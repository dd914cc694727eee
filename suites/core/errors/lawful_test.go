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
		{Name: "a message repeats what was asked for, line breaks and all", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("resources"), Resources: []map[string]any{{"uri": "test://one", "name": "one"}},
			Answer: fakeserver.Answers{"resources/read": func(r fakeserver.Request) any {
				uri, text := r.Params["uri"].(string)
				switch {
				case !text:
					return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
				case uri == "test://one":
					return map[string]any{"contents": []any{map[string]any{"uri": uri, "text": "1"}}}
				}
				return &fakeserver.Error{Code: -32002, Message: "there is no resource " + uri + " here", Data: map[string]any{"uri": uri}}
			}},
		}},
	})
}
