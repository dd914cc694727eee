package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

func TestOpening(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, line, want string }{
		{"no version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
			"id 1 -32602"},
		{"no client", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
			"id 1 -32602"},
		{"no name", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"version":"1"}}}`, "id 1 -32602"},
		{"capabilities as text",
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":"","clientInfo":{"name":"a",` +
				`"version":"1"}}}`, "id 1 -32602"},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, "id 1 -32602"},
		{"list first", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "id 1 -32600"},
		{"unknown method first", `{"jsonrpc":"2.0","id":1,"method":"x"}`, "id 1 -32600"},
		{"ping first", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "id 1 ok"},
		{"garbage first", `x`, "no id -32700"},
		{"batch first", `[` + hello("2025-03-26") + `]`, "no id -32600"},
		{"discover without metadata", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, "id 1 -32602"},
		{"only capabilities",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}`, "id 1 -32602"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, made(t, server.Options{}))
			if got := p.ask(row.line, request("2025-11-25", `"barrier"`, "ping", ""), 1); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
			p.open("2025-11-25") // a valid handshake succeeds after any line
		})
	}
}

func TestNegotiation(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		modern: "2025-11-25", "1900-01-01": "2025-11-25", "2099-12-31": "2025-11-25", "x": "2025-11-25", "": "2025-11-25",
	} {
		p := newPeer(t, made(t, server.Options{}))
		p.send(hello(asked))
		if got := result(t, p.next())["protocolVersion"]; got != want {
			t.Errorf("%q leads to %v, want %s", asked, got, want)
		}
	}
}

func TestIDsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.open("2025-11-25")
	for _, id := range []string{`0`, `-7`, `2147483648`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"a"`, `"\u0061<&>"`,
		`1.0`} {
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
		if got := p.next(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.send(request(modern, "1", "server/discover", ""))
	got := result(t, p.next())
	if versions := fmt.Sprint(got["supportedVersions"]); versions != fmt.Sprint(revisions()) {
		t.Errorf("the versions are %s", versions)
	}
	for _, member := range []string{"capabilities", "resultType", "ttlMs", "cacheScope", "instructions", "_meta"} {
		if got[member] == nil {
			t.Errorf("%s is missing", member)
		}
	}
	extensions, _ := got["capabilities"].(map[string]any)["extensions"].(map[string]any)
	if _, claimed := extensions["io.github.mcp-extension-proposals/idempotency"].(map[string]any); !claimed {
		t.Errorf("the extensions are %v", extensions)
	}
}

func TestUnsupportedRevisionNamesTheOthers(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.send(strings.ReplaceAll(request(modern, "1", "tools/list", ""), modern, "2025-06-18"))
	var m struct {
		Error struct {
			Code int `json:"code"`
			Data struct {
				Supported []string `json:"supported"`
				Requested string   `json:"requested"`
			} `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(p.next()), &m); err != nil {
		t.Fatal(err)
	}
	if m.Error.Code != -32022 || m.Error.Data.Requested != "2025-06-18" || slices.Contains(m.Error.Data.Supported, "2025-06-18") ||
		!slices.Contains(m.Error.Data.Supported, modern) {
		t.Errorf("got %+v", m.Error)
	}
}

func TestEndOfInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, made(t, server.Options{}))
		p.open("2025-11-25")
		p.send(request("2025-11-25", "1", "tools/call", `"name":"test_tool_with_progress"`))
		p.send(request(modern, "2", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
		if got := tell(p.next()); got != "notifications/subscriptions/acknowledged" {
			t.Errorf("listening was answered by %s", got)
		}
		_ = p.in.Close()
		// Requests that are nearly done are answered, subscriptions end, then the
		// process ends.
		got := []string{tell(p.next()), tell(p.next())}
		slices.Sort(got)
		if fmt.Sprint(got) != "[id 1 ok id 2 ok]" {
			t.Errorf("got %v", got)
		}
		if got := p.next(); got != "" {
			t.Errorf("got %s after the end", got)
		}
		if code := <-p.code; code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestSlowWorkDoesNotOutliveTheInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, made(t, server.Options{}))
		p.open("2025-11-25")
		p.send(request("2025-11-25", "1", "tools/call", `"name":"export_log","arguments":{"seconds":60}`))
		_ = p.in.Close()
		if got := tell(p.next()); got != "id 1 tool error" {
			t.Errorf("got %s", got)
		}
		if code := <-p.code; code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestSigterm(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.open("2025-11-25")
	close(p.term)
	if code := <-p.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestLongLineIsRefused(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.open("2025-11-25")
	go func() {
		chunk := strings.Repeat("x", 1<<20)
		for range 17 {
			_, _ = io.WriteString(p.in, chunk)
		}
		_, _ = io.WriteString(p.in, "\n"+request("2025-11-25", "2", "ping", "")+"\n")
	}()
	if got := tell(p.next()); got != "no id -32600" {
		t.Errorf("got %s", got)
	}
	if got := tell(p.next()); got != "id 2 ok" {
		t.Errorf("got %s", got)
	}
}
