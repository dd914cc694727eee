package lifecycle

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func seen(dir frame.Direction, r requirements.Revision, answers, text string) probe.Seen {
	return probe.Seen{
		Frame: frame.New(dir, frame.KindMessage, []byte(text)), Revision: r, Request: probe.Asked{Method: answers},
	}
}

func TestExtensionIdentifiers(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"io.modelcontextprotocol/tasks": true,
		"example/a":                     true,
		"com.ex-ample.x9/a.b_c-d":       true,
		"com.example/":                  true,
		"tasks":                         false,
		"/tasks":                        false,
		"9com.example/tasks":            false,
		"com.example-/tasks":            false,
		"com..example/tasks":            false,
		"com.example/tasks/more":        false,
		"com.example/-tasks":            false,
		"com.example/täsks":             false,
	} {
		if got := identifier().MatchString(key); got != want {
			t.Errorf("%q fits: %v, want %v", key, got, want)
		}
	}
}

func TestVersionWatcher(t *testing.T) {
	t.Parallel()
	const audio = `{"jsonrpc":"2.0","id":1,"result":{"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/wav"}}]}}`
	const audioResult = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`
	const later = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"task":{}},` +
		`"resultType":"complete","ttlMs":0,"task":{}}}`
	const created = `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"1"}}}`
	const status = `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{}}`
	batch := `[` + later + `]`
	for name, c := range map[string]struct {
		r       requirements.Revision
		answers string
		text    string
		sent    string
		broken  bool
	}{
		"a prompt's audio is another's": {requirements.R20241105, "prompts/get", audio, "", false},
		"a call's audio is another's":   {requirements.R20241105, "tools/call", audioResult, "", false},
		"audio in somebody's own data":  {requirements.R20241105, "vendor/listen", audio, "", false},
		"properties of later revisions": {requirements.R20241105, "tools/call", later, "", false},
		"a task too early":              {requirements.R20250618, "tools/call", created, "", true},
		"a task":                        {requirements.R20251125, "tools/call", created, "", false},
		"a method too early":            {requirements.R20250326, "", `{"jsonrpc":"2.0","id":"a","method":"elicitation/create"}`, "", true},
		"a method of the client's":      {requirements.R20250326, "", `{"jsonrpc":"2.0","id":"a","method":"tasks/result"}`, "", true},
		"a vendor's method":             {requirements.R20250326, "", `{"jsonrpc":"2.0","id":"a","method":"vendor/ask"}`, "", false},
		"a task's status too early":     {requirements.R20250326, "", status, "", true},
		"an array, which others judge":  {requirements.R20250618, "tools/call", batch, "", false},
		"an array in answer to one":     {requirements.R20250618, "tools/call", batch, batch, false},
		"an array where there are any":  {requirements.R20250326, "tools/call", batch, "", false},
	} {
		w, view := &versionWatcher{}, &probe.Connection{}
		if c.sent != "" {
			w.See(view.See(seen(frame.Sent, c.r, "", c.sent)))
		}
		if v := w.See(view.See(seen(frame.Received, c.r, c.answers, c.text))).Violation(); (v != nil) != c.broken {
			t.Errorf("%s: %v, want broken %v", name, v, c.broken)
		}
	}
}

func TestRequestOfTheServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"a","method":"roots/list"}`:   "roots/list",
		`{"jsonrpc":"2.0","id":null,"method":"roots/list"}`:  "",
		`{"jsonrpc":"2.0","id":null,"method":"vendor/told"}`: "",
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`:         "",
		`{"jsonrpc":"2.0","method":"notifications/message"}`: "",
	} {
		if got := request(seen(frame.Received, requirements.R20251125, "", text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestCapabilityWatcher(t *testing.T) {
	t.Parallel()
	const r = requirements.R20251125
	open := func(client, server string) *capabilityWatcher {
		w := &capabilityWatcher{}
		opened := seen(frame.Received, r, "initialize", `{"jsonrpc":"2.0","id":1,"result":{"capabilities":`+server+`}}`)
		opened.Request.Frame = frame.New(frame.Sent, frame.KindMessage,
			[]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":`+client+`}}`))
		w.See((&probe.Connection{}).See(opened))
		return w
	}
	const roots = `{"jsonrpc":"2.0","id":"a","method":"roots/list"}`
	const changed = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
	const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	const logged = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`
	for name, c := range map[string]struct {
		client, server, text string
		judged, broken       bool
	}{
		"roots undeclared":    {`{}`, `{}`, roots, true, true},
		"roots declared":      {`{"roots":{}}`, `{}`, roots, true, false},
		"a ping":              {`{}`, `{}`, `{"jsonrpc":"2.0","id":"a","method":"ping"}`, false, false},
		"change undeclared":   {`{}`, `{"prompts":{}}`, changed, true, true},
		"change denied":       {`{}`, `{"prompts":{"listChanged":false}}`, changed, true, true},
		"change declared":     {`{}`, `{"prompts":{"listChanged":true}}`, changed, true, false},
		"another case's rule": {`{}`, `{"tools":{}}`, toolsChanged, false, false},
		"change of nothing":   {`{}`, `{}`, toolsChanged, true, true},
		"tools declared":      {`{}`, `{"tools":{"listChanged":true}}`, toolsChanged, true, false},
		"a log message":       {`{}`, `{}`, logged, false, false}, // logging/declared judges it
		"tasks undeclared":    {`{}`, `{}`, `{"jsonrpc":"2.0","id":"a","method":"tasks/get"}`, true, true},
		"vendor notification": {`{}`, `{}`, `{"jsonrpc":"2.0","method":"vendor/noticed"}`, false, false},
	} {
		said := open(c.client, c.server).See((&probe.Connection{}).See(seen(frame.Received, r, "", c.text)))
		if said.Judged() != c.judged || (said.Violation() != nil) != c.broken {
			t.Errorf("%s: %+v, want judged %v, broken %v", name, said, c.judged, c.broken)
		}
	}
	if said := (&capabilityWatcher{}).See((&probe.Connection{}).See(seen(frame.Received, r, "", roots))); said.Judged() {
		t.Error("something is judged before the handshake")
	}
}
