package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Each row is a fault, a line that the fault changes and a line that it leaves alone.
func TestFaultsChangeWhatTheySay(t *testing.T) {
	t.Parallel()
	const r = "2025-11-25"
	for _, row := range []struct {
		name          string
		fault         fault.Fault
		line, want    string
		other, stands string
	}{
		{"hang", fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict { return fault.Verdict{Hang: x.Method == "ping"} }},
			"@ping {}", "", "@tools/list {}", "id 1 ok"},
		{"cursor", fault.Fault{Skip: []fault.Check{fault.CheckCursor}}, `@tools/list {"cursor":"x"}`, "id 1 ok", `@tools/list {"cursor":5}`,
			"id 1 -32602"},
		{"arguments", fault.Fault{Skip: []fault.Check{fault.CheckArguments}},
			`@tools/call {"name":"find_berth","arguments":{}}`, "id 1 ok", `@tools/call {"name":"x"}`, "id 1 -32602"},
		{"tool", fault.Fault{Skip: []fault.Check{fault.CheckTool}}, `@tools/call {"name":"x"}`, "id 1 tool error", `@tools/call {}`,
			"id 1 -32602"},
		{"prompt", fault.Fault{Skip: []fault.Check{fault.CheckPrompt}}, `@prompts/get {"name":"x"}`, "id 1 ok", `@prompts/get {}`, "id 1 -32602"},
		{"prompt arguments", fault.Fault{Skip: []fault.Check{fault.CheckPromptArguments}},
			`@prompts/get {"name":"berth_request"}`, "id 1 ok", `@prompts/get {"name":"x"}`, "id 1 -32602"},
		{"resource", fault.Fault{Skip: []fault.Check{fault.CheckResource}}, `@resources/read {"uri":"x://y"}`, "id 1 ok", `@resources/read {}`,
			"id 1 -32602"},
		{"log level", fault.Fault{Skip: []fault.Check{fault.CheckLogLevel}}, `@logging/setLevel {"level":"x"}`, "id 1 ok", `@logging/setLevel {}`,
			"id 1 -32602"},
		{"batch", fault.Fault{Skip: []fault.Check{fault.CheckBatchAllowed}}, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "[id 1 ok]", "[]",
			"no id -32600"},
		{"removed methods", fault.Fault{Skip: []fault.Check{fault.CheckRemoved}},
			`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://static-text",` + clause + `}}`, "id 1 ok", "@x {}",
			"id 1 -32601"},
		{"revision", fault.Fault{Skip: []fault.Check{fault.CheckRevision}},
			strings.ReplaceAll(request(modern, "1", "tools/list", ""), modern, "1900-01-01"), "id 1 ok", "@x {}", "id 1 -32601"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, step := range [][2]string{{row.line, row.want}, {row.other, row.stands}} {
				p := newPeer(t, made(t, server.Options{Fault: &row.fault}))
				p.open(r)
				wanted := 0
				if step[1] != "" {
					wanted = strings.Count(step[1], ",") + 1
				}
				if got := p.ask(spell(r, step[0]), barrier(r), wanted); got != step[1] {
					t.Errorf("%s: got %s, want %s", step[0], got, step[1])
				}
			}
		})
	}
}

func TestStartHook(t *testing.T) {
	t.Parallel()
	f := fault.Fault{Stdio: fault.Stdio{Start: func(out, _ io.Writer) { _, _ = io.WriteString(out, "Hello.\n") }}}
	p := newPeer(t, made(t, server.Options{Fault: &f}))
	if got := p.next(); got != "Hello." {
		t.Errorf("stdout begins with %q", got)
	}
	p.open("2025-11-25")
}

func TestGarbageHook(t *testing.T) {
	t.Parallel()
	f := fault.Fault{Stdio: fault.Stdio{Garbage: func() fault.Verdict { return fault.Verdict{Exits: true, Exit: 1} }}}
	p := newPeer(t, made(t, server.Options{Fault: &f}))
	p.open("2025-11-25")
	p.send("garbage")
	if code := <-p.code; code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// Each hook does what its comment says.
func TestHooks(t *testing.T) {
	t.Parallel()
	const r = "2025-11-25"
	for _, row := range []struct {
		name, line, want string
		fault            fault.Fault
	}{
		{"inbound exits", "@ping {}", "end", fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
			return fault.Verdict{Exits: x.Method == "ping", Exit: 3}
		}}},
		{"inbound answers", "@ping {}", "id 1 -1", fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
			if x.Method != "ping" {
				return fault.Verdict{}
			}
			return fault.Verdict{Instead: true, Answer: []fault.Message{x.Refusal(-1, "no")}}
		}}},
		{"a notification is answered besides", "@ping {}", "id null -1, id 1 ok", fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
			if x.Method != "notifications/initialized" {
				return fault.Verdict{}
			}
			return fault.Verdict{Answer: []fault.Message{x.Refusal(-1, "no")}}
		}}},
		{"inbound delays", "@ping {}", "id 1 ok", fault.Fault{Inbound: func(fault.Exchange) fault.Verdict {
			return fault.Verdict{Delay: time.Nanosecond}
		}}},
		{"reply depends on the past", "@tools/list {}", "id 1 ok", fault.Fault{Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if x.Method == "tools/list" && x.Nth != 1 {
				return nil
			}
			return []fault.Message{m}
		}}},
		{"notification", `@tools/call {"name":"test_tool_with_progress","_meta":{"progressToken":1}}`, "id 1 ok", fault.Fault{
			Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
				if m["method"] != nil {
					return nil
				}
				return []fault.Message{m}
			},
		}},
		{"reply", `@tools/list {}`, "id 7 ok", fault.Fault{Reply: fault.Set("tools/list", "/id", 7)}},
		{"bytes", "@ping {}", `no JSON: <{"jsonrpc":"2.0","id":1,"result":{}}`, fault.Fault{Bytes: func(x fault.Exchange, b []byte) []byte {
			if x.Method == "ping" {
				return append([]byte("<"), b...)
			}
			return b
		}}},
		{"line", "@ping {}", "no JSON: bye, id 1 ok", fault.Fault{Stdio: fault.Stdio{Line: func(x fault.Exchange, line []byte) []byte {
			if x.Method == "ping" {
				return append([]byte("bye\n"), line...)
			}
			return line
		}}}},
		{"list", `@tools/list {}`, "id 1 ok",
			fault.Fault{List: func(_ fault.Exchange, items []fault.Message) []fault.Message { return items[:1] }}},
		{"domain", `@tools/call {"name":"extra"}`, "id 1 ok", fault.Fault{Domain: func(r fault.Registry) {
			r.RemoveTool("office_hours")
			r.AddTool(fault.Message{"name": "extra", "inputSchema": map[string]any{"type": "object"}}, func(map[string]any) string { return "x" })
			r.AddResource("extra:///x", "extra", "x")
			r.AddPrompt("extra", "x")
		}}},
		{"skips the opening", "@x {}", "id 1 ok", fault.Fault{Skip: []fault.Check{fault.CheckMethod}}},
		{"answers notifications", `{"jsonrpc":"2.0","method":"notifications/x"}`, "no id -32601",
			fault.Fault{Skip: []fault.Check{fault.CheckNotification}}},
		{"serial", "@ping {}", "id 1 ok", fault.Fault{Serial: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, made(t, server.Options{Fault: &row.fault}))
			p.open(r)
			if got := p.ask(spell(r, row.line), barrier(r), strings.Count(row.want, ",id")+strings.Count(row.want, ", id")+1); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestNegotiationFault(t *testing.T) {
	t.Parallel()
	f := fault.Fault{Negotiate: func(asked string, _ requirements.Revision) string { return asked }}
	p := newPeer(t, made(t, server.Options{Fault: &f}))
	p.send(hello("1900-01-01"))
	if got := result(t, p.next())["protocolVersion"]; got != "1900-01-01" {
		t.Errorf("got %v", got)
	}
}

func TestHTTPHooks(t *testing.T) {
	t.Parallel()
	list := request("2025-11-25", "1", "tools/list", "")
	for _, row := range []struct {
		name, want string
		fault      fault.Fault
	}{
		{"always a stream", "200 stream id 1 ok", fault.Fault{HTTP: fault.HTTP{AlwaysStream: true}}},
		{"two answers", "200 stream id 1 ok, id 1 ok", fault.Fault{Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if x.Method == "initialize" {
				return []fault.Message{m}
			}
			return []fault.Message{m, m}
		}}},
		{"head", "299 id 1 ok", fault.Fault{HTTP: fault.HTTP{Head: func(x fault.Exchange, status int, h http.Header) int {
			if x.Method == "tools/list" {
				h.Set("X-Seen", string(x.Revision))
				return 299
			}
			return status
		}}}},
		{"no session needed", "200 id 1 ok", fault.Fault{Skip: []fault.Check{fault.CheckSessionKnown}}},
		{"event", "200 stream no JSON: x", fault.Fault{HTTP: fault.HTTP{AlwaysStream: true, Event: func(_ fault.Exchange, text string) string {
			if strings.Contains(text, "data: {") {
				return "data: x\n\n"
			}
			return text
		}}}},
		{"served by the fault", "418", fault.Fault{HTTP: fault.HTTP{Serve: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("X-Fault") == "" {
				return false
			}
			w.WriteHeader(http.StatusTeapot)
			return true
		}}}},
	} {
		s := newSite(t, server.Options{Fault: &row.fault})
		session := s.open("2025-11-25")
		if row.name == "no session needed" {
			session = []string{"Mcp-Session-Id: x"}
		}
		if got := answer(s.do("POST", list, append(session, "X-Fault: yes")...)); got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
}

func onStanding(_ fault.Exchange, m fault.Message) []fault.Stream {
	if m["method"] == nil {
		return nil
	}
	return []fault.Stream{fault.Standing}
}

func TestForeignStream(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{Fault: &fault.Fault{HTTP: fault.HTTP{Route: onStanding}}})
	session := s.open("2025-06-18")
	standing := s.begin(t.Context(), "GET", "", session...)
	call := request("2025-06-18", "1", "tools/call", `"name":"test_tool_with_progress","_meta":{"progressToken":1}`)
	if got := answer(s.do("POST", call, session...)); got != "200 id 1 ok" {
		t.Errorf("the answer is %s", got)
	}
	raw := make([]byte, 4096)
	n, err := io.ReadAtLeast(standing.Body, raw, 10)
	if err != nil || !strings.Contains(string(raw[:n]), "notifications/progress") {
		t.Errorf("the standing stream brings %s, %v", raw[:n], err)
	}
}

// The server starts and stops with every fault of the list.
func TestEveryFaultServes(t *testing.T) {
	t.Parallel()
	for _, f := range faults.All() {
		if f.Stdio.IgnoreEOF {
			continue // this server would not stop
		}
		s := made(t, server.Options{Fault: &f})
		var out strings.Builder
		code := s.ServeStdio(t.Context(), nil, strings.NewReader(hello("2025-11-25")+"\n"), &out, io.Discard)
		if code != f.Stdio.ExitCode && f.Stdio.ExitCode != 0 {
			t.Errorf("%s: exit code %d", f.Name, code)
		}
		if out.Len() == 0 {
			t.Logf("%s: initialize is not answered", f.Name)
		}
	}
}

func TestConfigIsThere(t *testing.T) {
	t.Parallel()
	if !strings.Contains(string(referenceserver.Config), "state-change:") {
		t.Errorf("the configuration is %d bytes", len(referenceserver.Config))
	}
	if requirements.R20260728 != modern {
		t.Error("the tests know another newest revision")
	}
}
