package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

func TestSlowToolBlocksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, made(t, server.Options{}))
		p.open("2025-11-25")
		p.send(request("2025-11-25", "1", "tools/call", `"name":"export_log","arguments":{"seconds":5},"_meta":{"progressToken":"t"}`))
		p.send(request("2025-11-25", "2", "tools/call", `"name":"office_hours"`))
		p.send(request("2025-11-25", "3", "ping", ""))
		var got []string
		for range 9 {
			got = append(got, tell(p.next()))
		}
		told := strings.Join(got, ", ")
		if !strings.HasSuffix(told, "notifications/progress, id 1 ok") || strings.Count(told, "notifications/progress") != 6 {
			t.Errorf("got %s", told)
		}
	})
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPeer(t, made(t, server.Options{}))
				p.open(revision)
				p.send(request(revision, "1", "tools/call", `"name":"export_log","arguments":{"seconds":5,"label":"x"}`))
				p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`) // another id
				p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
				p.send(request(revision, "2", "tools/call", `"name":"export_log","arguments":{"seconds":10,"label":"y"}`))
				if got := tell(p.next()); got != "id 2 ok" {
					t.Errorf("got %s", got)
				}
				p.send(request(revision, "3", "tools/call", `"name":"count_exports","arguments":{"label":"x"}`))
				if got := p.next(); !strings.Contains(got, `"text":"0"`) {
					t.Errorf("the effect was had: %s", got)
				}
			})
		})
	}
}

func TestIDInUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, made(t, server.Options{}))
		p.open("2025-11-25")
		p.send(request("2025-11-25", "1", "tools/call", `"name":"export_log","arguments":{"seconds":5}`))
		p.send(request("2025-11-25", "1", "ping", ""))
		p.send(request("2025-11-25", `"1"`, "ping", ""))
		for _, want := range []string{"id 1 -32600", `id "1" ok`, "id 1 ok"} {
			if got := tell(p.next()); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		p.send(request("2025-11-25", "1", "ping", ""))
		if got := tell(p.next()); got != "id 1 ok" {
			t.Errorf("an id is not free after its answer: %s", got)
		}
	})
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	listen := func(id, filter string) {
		p.send(request(modern, id, "subscriptions/listen", `"notifications":{`+filter+`}`))
		if got := p.next(); !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":`+id) ||
			!strings.Contains(got, `"notifications":{`+filter+`}`) {
			t.Errorf("the acknowledgement is %s", got)
		}
	}
	listen(`1`, `"toolsListChanged":true`)
	listen(`"two"`, `"resourceSubscriptions":["test://watched-resource"]`)
	listen(`3`, ``)
	trigger := func(tool, want string) {
		t.Helper()
		if got := p.ask(request(modern, "9", "tools/call", fmt.Sprintf(`"name":%q`, tool)), barrier(modern),
			strings.Count(want, ",")+1); got != want {
			t.Errorf("%s leads to %s, want %s", tool, got, want)
		}
	}
	trigger("test_trigger_tool_change", "notifications/tools/list_changed, id 9 ok")
	trigger("test_trigger_prompt_change", "id 9 ok")
	trigger("test_trigger_resource_change", "id 9 ok")
	trigger("test_trigger_resource_update", "notifications/resources/updated, id 9 ok")
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	trigger("test_trigger_tool_change", "id 9 ok")
}

func TestChangesOfTheHandshakeEra(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.open("2025-11-25")
	trigger := func(tool, want string) {
		t.Helper()
		if got := p.ask(request("2025-11-25", "9", "tools/call", fmt.Sprintf(`"name":%q`, tool)), barrier("2025-11-25"),
			strings.Count(want, ",")+1); got != want {
			t.Errorf("%s leads to %s, want %s", tool, got, want)
		}
	}
	trigger("test_trigger_prompt_change", "notifications/prompts/list_changed, id 9 ok")
	trigger("test_trigger_resource_update", "id 9 ok")
	for _, step := range []struct{ method, want string }{
		{"resources/subscribe", "notifications/resources/updated, id 9 ok"},
		{"resources/unsubscribe", "id 9 ok"},
	} {
		p.send(request("2025-11-25", "5", step.method, `"uri":"test://watched-resource"`))
		if got := tell(p.next()); got != "id 5 ok" {
			t.Fatalf("%s was answered by %s", step.method, got)
		}
		trigger("test_trigger_resource_update", step.want)
	}
}

func TestLogThreshold(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		p := newPeer(t, made(t, server.Options{}))
		p.open(revision)
		call := request(revision, "9", "tools/call", `"name":"test_logging_tool"`)
		if revision == modern {
			if got := p.ask(call, barrier(revision), 1); got != "id 9 ok" {
				t.Errorf("logs come unasked: %s", got)
			}
			call = strings.Replace(call, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"error",`, 1)
		} else {
			p.send(request(revision, "5", "logging/setLevel", `"level":"error"`))
			p.next()
		}
		want := strings.Repeat("notifications/message, ", 4) + "id 9 ok"
		if got := p.ask(call, barrier(revision), 5); got != want {
			t.Errorf("%s: got %s, want %s", revision, got, want)
		}
	}
}
