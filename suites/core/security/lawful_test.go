package security_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "security", []lawful.Row{
		{Name: "chatty stderr", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Stdio: fakeserver.Stdio{
			Begin: func(_, errw io.Writer) {
				for i := range 2000 { // more than the kit keeps of stderr
					_, _ = fmt.Fprintf(errw, "ERROR line %d of nothing that matters\n", i)
				}
			},
		}}, Over: requirements.Stdio},
	})
}
