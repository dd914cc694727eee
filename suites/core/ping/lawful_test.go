package ping_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ping", []lawful.Row{
		{Name: "nothing declared", Server: &fakeserver.Server{}},
		{Name: "a tool that takes long", Over: requirements.Stdio, Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(3), Stdio: fakeserver.Stdio{Line: slowly},
		}},
	})
}

// slowly answers good calls of tool_0 after five seconds, and goes on reading meanwhile.
func slowly(line []byte, out io.Writer) bool {
	var r fakeserver.Request
	if json.Unmarshal(line, &r) != nil || r.Params["name"] != "tool_0" || !fakeserver.HasText(r) || r.Version != "2.0" || r.ID == nil {
		return false
	}
	time.AfterFunc(5*time.Second, func() {
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", r.ID)
	})
	return true
}
