package progress_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	const role = "roles: {progress-tool: {tool: hours}}"
	reports := func(params ...string) *fakeserver.Server {
		return &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Stdio: fakeserver.Stdio{Line: reporting(params)},
		}
	}
	lawful.Servers(t, "progress", []lawful.Row{
		{Name: "no progress at all", Server: reports(), Over: requirements.Stdio, Config: role},
		{Name: "progress of every second call", Server: everySecond(reports(`"progress":1`)), Over: requirements.Stdio, Config: role},
		{Name: "refusal of one of the calls at the same time", Server: refusing(reports(`"progress":1`)), Over: requirements.Stdio, Config: role},
		{Name: "progress once, of no known total", Server: reports(`"progress":0.25`), Over: requirements.Stdio, Config: role},
		{
			Name: "progress beyond the total, below zero, and in leaps", Over: requirements.Stdio, Config: role,
			Server: reports(`"progress":-5,"total":3`, `"progress":-4.5,"total":2.5`, `"progress":1e3,"total":0`),
		},
		{
			Name: "a message that is a number, and members of the server's own", Over: requirements.Stdio,
			Server: reports(`"progress":1,"message":"7","phase":["a"],"_meta":{"com.example/a":1}`, `"progress":2,"message":"⏳"`, `"progress":3,"message":"%"`),
		},
	})
}

// everySecond reports to every second call that asks for it.
func everySecond(server *fakeserver.Server) *fakeserver.Server {
	report := server.Stdio.Line
	var calls atomic.Int64
	server.Stdio.Line = func(line []byte, out io.Writer) bool {
		if bytes.Contains(line, []byte("progressToken")) && calls.Add(1)%2 == 0 {
			return false
		}
		return report(line, out)
	}
	return server
}

// refusing refuses a call that comes right after one of another token, as a server does that bears one call at a time.
func refusing(server *fakeserver.Server) *fakeserver.Server {
	report, token := server.Stdio.Line, regexp.MustCompile(`"progressToken":("?[^",}]*)`)
	var before atomic.Value
	server.Stdio.Line = func(line []byte, out io.Writer) bool {
		now := string(token.Find(line))
		if now == "" {
			return report(line, out)
		}
		var call struct{ ID json.RawMessage }
		last, _ := before.Swap(now).(string)
		if !strings.HasPrefix(last, `"progressToken":"kit-`) || json.Unmarshal(line, &call) != nil || call.ID == nil {
			return report(line, out)
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"busy"}}`+"\n", call.ID)
		return true
	}
	return server
}

// reporting reports to each call that asks for it, before the call is answered.
func reporting(params []string) func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		var call struct {
			Method string
			Params struct {
				Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &call) != nil || call.Method != "tools/call" || call.Params.Meta.ProgressToken == nil {
			return false
		}
		for _, each := range params {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,%s}}`+"\n",
				call.Params.Meta.ProgressToken, each)
		}
		return false
	}
}
