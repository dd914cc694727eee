package stdio_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "stdio", []lawful.Row{
		{Name: "pretty-printed ids and spaces", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Edit: func(text string) string {
			return " " + strings.Replace(text, `"jsonrpc":"2.0"`, `"jsonrpc" : "2.0"`, 1) + "\t\r"
		}}, Over: requirements.Stdio},
		{Name: "slow start", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1), Stdio: fakeserver.Stdio{
			Begin: func(io.Writer, io.Writer) { <-time.After(150 * time.Millisecond) },
		}}, Over: requirements.Stdio},
		{Name: "answers the last of two calls first", Server: lastFirst(),
			Over: requirements.Stdio, Judged: []string{"stdio/parallel-answers"}},
		{Name: "keeps running when its input is closed", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Stdio: fakeserver.Stdio{IgnoreEOF: true},
		}, Over: requirements.Stdio},
	})
}

// lastFirst has two read-only tools that answer with their names.
func lastFirst() *fakeserver.Server {
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		Stdio: fakeserver.Stdio{OutOfOrder: true}, Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			name, _ := r.Params["name"].(string)
			_, object := r.Params["arguments"].(map[string]any)
			switch {
			case name == "hours" && (object || r.Params["arguments"] == nil):
				return fakeserver.Text(name)
			case strings.HasPrefix(name, "tool_") && object && !fakeserver.HasText(r):
				return fakeserver.Flagged(r)
			}
			return fakeserver.ForText(r, fakeserver.Text(name))
		}}}
}
