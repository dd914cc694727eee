package elicitation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A desk is a server over stdio that has a form filled in for each call.
type desk struct {
	oneByOne bool   // it asks for a call once the call before is answered
	shared   bool   // an answer answers all calls
	knows    string // the only name that it takes; empty: it takes all

	mu      sync.Mutex
	clients map[io.Writer]*visitor
}

// A visitor is a client of the desk.
type visitor struct {
	able  bool // it takes forms
	asked int
	calls []json.RawMessage // ids, the oldest first
	forms []string          // ids of the forms that are open, one for each call that was asked for
}

type letter struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name         string         `json:"name"`
		Capabilities map[string]any `json:"capabilities"`
	} `json:"params"`
	Result struct {
		Action  string `json:"action"`
		Content struct {
			Name string `json:"name"`
		} `json:"content"`
	} `json:"result"`
}

func (d *desk) line(line []byte, out io.Writer) bool {
	var m letter
	if json.Unmarshal(line, &m) != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.clients == nil {
		d.clients = map[io.Writer]*visitor{}
	}
	v := d.clients[out]
	if v == nil {
		v = &visitor{}
		d.clients[out] = v
	}
	switch {
	case m.Method == "initialize":
		modes, able := m.Params.Capabilities["elicitation"].(map[string]any)
		v.able = able && (modes["form"] != nil || modes["url"] == nil)
		return false
	case m.Method == "tools/call" && m.Params.Name == "test_elicitation" && v.able:
		v.calls = append(v.calls, m.ID)
		d.ask(v, out)
		return true
	case m.Method == "" && len(v.forms) > 0:
		d.take(v, m, out)
		return true
	}
	return false
}

func (d *desk) ask(v *visitor, out io.Writer) {
	if len(v.forms) == len(v.calls) || d.oneByOne && len(v.forms) > 0 {
		return
	}
	v.asked++
	id := fmt.Sprintf(`"form-%d"`, v.asked)
	v.forms = append(v.forms, id)
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{"message":"Who are you?",`+
		`"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`+"\n", id)
}

func (d *desk) take(v *visitor, m letter, out io.Writer) {
	at := slices.Index(v.forms, string(m.ID))
	if at < 0 {
		return
	}
	answered := v.calls[at : at+1]
	if d.shared {
		answered = v.calls
	}
	greeting := "Hello"
	if m.Result.Action == "accept" {
		greeting += " " + m.Result.Content.Name
	}
	name := m.Result.Content.Name
	failed := d.knows != "" && m.Result.Action == "accept" && name != d.knows
	text, _ := json.Marshal(greeting)
	for _, id := range slices.Clone(answered) {
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"isError":%t}}`+"\n", id, text, failed)
	}
	if d.shared {
		v.calls, v.forms = nil, nil
		return
	}
	v.calls, v.forms = slices.Delete(v.calls, at, at+1), slices.Delete(v.forms, at, at+1)
	if len(v.calls) > 0 {
		d.ask(v, out)
	}
}

// TestManyForms: a server may ask for one call after the other, take one answer for all calls
// that ask the same, and take no name that it does not know.
func TestManyForms(t *testing.T) {
	row := func(name string, d *desk, judged ...string) lawful.Row {
		return lawful.Row{
			Name: name, Over: requirements.Stdio, Judged: judged,
			Server: &fakeserver.Server{
				Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{fakeserver.Tool("test_elicitation", true)},
				Stdio: fakeserver.Stdio{Line: d.line},
			},
			Config: "roles: {client-request: {elicitation: {tool: test_elicitation, arguments: {text: a}, content: {name: Ann}}}}",
		}
	}
	lawful.Servers(t, "elicitation", []lawful.Row{
		row("a form for each call", &desk{}, "elicitation/answers-by-id"),
		row("a form for one call after the other", &desk{oneByOne: true}, "elicitation/accepted"),
		row("a form that takes one name", &desk{knows: "Ann"}, "elicitation/accepted"),
		row("one answer for all calls that wait for the same", &desk{shared: true}, "elicitation/answers-by-id"),
	})
}
