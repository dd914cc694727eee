package logging_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	const role = "roles: {logging-tool: {tool: hours}}"
	lawful.Servers(t, "logging", []lawful.Row{
		{Name: "neither declared nor served", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}},
		{ // the values that are no levels say nothing more of a method that is not there
			Name: "declared and not served", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "logging"), Tools: fakeserver.Reading()},
			Warned: []string{
				"logging/set-level-alert", "logging/set-level-critical", "logging/set-level-debug", "logging/set-level-emergency",
				"logging/set-level-error", "logging/set-level-info", "logging/set-level-notice", "logging/set-level-warning",
			},
		},
		{Name: "declared, and nothing is ever logged", Server: (&logger{}).server(), Config: role},
		{
			Name: "data of any type, without a logger", Over: requirements.Stdio, Config: role, Server: (&logger{said: []string{
				`"level":"debug","data":null`, `"level":"info","data":[{"a":[]}]`, `"level":"notice","data":1e3`,
				`"level":"alert","data":"","logger":"","thread":7`, `"level":"emergency","data":false,"_meta":{}`,
			}}).server(),
		},
		{
			Name: "only some of what there is to log, after the answer", Over: requirements.Stdio, Config: role,
			Server: (&logger{said: []string{`"level":"error","data":"a remark"`}, rarely: true, late: true}).server(),
		},
	})
}

// A logger logs what is said to who calls its tool hours.
type logger struct {
	said   []string
	rarely bool // only every other time
	late   bool
	levels sync.Map // by the standard output of the process that was told
	calls  atomic.Int64
}

func all() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

func (l *logger) server() *fakeserver.Server {
	s := &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "logging"), Tools: fakeserver.Reading(), Answer: fakeserver.Answers{
		"logging/setLevel": func(r fakeserver.Request) any {
			if level, _ := r.Params["level"].(string); !slices.Contains(all(), level) {
				return &fakeserver.Error{Code: -32602, Message: "there is no such level"}
			}
			return map[string]any{}
		},
	}}
	s.Stdio.Line = func(line []byte, out io.Writer) bool {
		var call struct {
			Method string
			Params struct{ Name, Level string }
		}
		if json.Unmarshal(line, &call) != nil {
			return false
		}
		if call.Method == "logging/setLevel" && slices.Contains(all(), call.Params.Level) {
			l.levels.Store(out, call.Params.Level)
		}
		if call.Method != "tools/call" || call.Params.Name != "hours" {
			return false
		}
		if l.late {
			_, _ = io.WriteString(out, s.Reply(line)+"\n")
		}
		l.log(out)
		return l.late
	}
	return s
}

func (l *logger) log(out io.Writer) {
	if l.calls.Add(1)%2 == 0 && l.rarely {
		return
	}
	told, _ := l.levels.Load(out)
	least, _ := told.(string)
	for _, params := range l.said {
		var message struct{ Level string }
		if json.Unmarshal([]byte("{"+params+"}"), &message) == nil && slices.Index(all(), message.Level) >= slices.Index(all(), least) {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{%s}}`+"\n", params)
		}
	}
}

// TestStateless: a log message is lawful for a request that asks for it, and in the older
// rules without that.
func TestStateless(t *testing.T) {
	t.Parallel()
	log := fault.Message{
		"jsonrpc": "2.0", "method": "notifications/message", "params": map[string]any{"level": "emergency", "data": "a remark"},
	}
	asks := fault.When(func(x fault.Exchange) bool { return fault.Meta(x.Params, "logLevel") != nil })
	lawful.Stateless(t, "logs where it is asked to", lawful.Prompt, &fault.Fault{Send: asks.Before(log)})
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "logging" }
	undeclared := fault.Drop("server/discover", "/result/capabilities/logging")
	silent := func(_ fault.Exchange, m fault.Message) []fault.Message {
		if m["method"] == "notifications/message" {
			return nil
		}
		return []fault.Message{m}
	}
	lawful.Stateless(t, "a log level means nothing", page, &fault.Fault{Reply: undeclared, Send: silent})
	lawful.Stateless(t, "calls with a log level are rejected", page, &fault.Fault{
		Reply: undeclared, Inbound: fault.On("tools/call").And(asks).Refuse(-32602, "nothing is logged here"),
	})
}
