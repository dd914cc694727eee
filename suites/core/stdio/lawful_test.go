package stdio_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "stdio", []lawful.Row{
		{Name: "pretty-printed ids and spaces", Server: &rigged.Server{Capabilities: rigged.Offers("tools"), Tools: rigged.Tools(2), Edit: func(text string) string {
			return " " + strings.Replace(text, `"jsonrpc":"2.0"`, `"jsonrpc" : "2.0"`, 1) + "\t\r"
		}}, Over: requirements.Stdio},
		{Name: "slow start", Server: &rigged.Server{Capabilities: rigged.Offers("tools"), Tools: rigged.Tools(1), Stdio: rigged.Stdio{
			Begin: func(io.Writer, io.Writer) { <-time.After(150 * time.Millisecond) },
		}}, Over: requirements.Stdio},
		{Name: "keeps running when its input is closed", Server: &rigged.Server{
			Capabilities: rigged.Offers("tools"), Stdio: rigged.Stdio{IgnoreEOF: true},
		}, Over: requirements.Stdio},
	})
}
