package connect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Whatever address a server names, the kit asks only the server's own origin, other ports
// of its host only for metadata, and this machine only if the server runs on it.
func TestNear(t *testing.T) {
	t.Parallel()
	const here, there = "http://127.0.0.1:8080/mcp", "https://mcp.example/mcp"
	hide := func(s string) string { return s }
	for _, row := range []struct {
		target, at     string
		near, external bool
	}{
		{here, "http://127.0.0.1:8080/.well-known/x", true, false},
		{here, "http://localhost:8080/token?a=b", true, false},
		{here, "http://localhost:9090/.well-known/oauth-authorization-server/tenant", true, false},
		{here, "http://[::1]:9090/realms/x/.well-known/openid-configuration", true, false},
		{here, "https://127.0.0.1:9090/.well-known/openid-configuration", true, false},
		{here, "http://127.0.0.1:9090/admin?delete=1", false, false},
		{here, "http://127.0.0.1:9090/.well-known/x?delete=1", false, false},
		{here, "http://127.0.0.1:9090/.well-known/../admin", false, false},
		{here, "http://127.0.0.1:9090/.well-known/%2e%2e/admin", false, false},
		{here, "http://127.0.0.1:9090/.well-known/..%5cadmin", false, false},
		{here, "http://127.0.0.1:9090/admin%3f/.well-known/openid-configuration", false, false},
		{here, "http://user@127.0.0.1:9090/.well-known/x", false, false},
		{here, "http://127.0.0.2:8080/.well-known/x", false, false},
		{here, "http://localhost:9090/token", false, false},
		{here, "http://localhost:9090/token", true, true},
		{here, "https://login.example/token", false, false},
		{there, "https://MCP.example/token", true, false},
		{there, "https://mcp.example:443/token", true, false},
		{there, "https://mcp.example:8443/token", false, false},
		{there, "https://mcp.example:8443/.well-known/openid-configuration", true, false},
		{there, "http://127.0.0.1:8080/", false, false},
		{there, "http://localhost/", false, false},
		{there, "http://169.254.1.1/", false, false},
		{there, "https://login.example/", false, false},
		{there, "https://mcp.example@login.example/", false, false},
		{there, "https://login.mcp.example/", false, false},
		{there, "file:///etc/hosts", false, false},
		{there, "/relative", false, false},
		{there, "https://login.example/", true, true},
	} {
		way := connect.New(connect.Way{Transport: requirements.HTTP, URL: row.target}, 1<<20, hide)
		d := way.Documents(config.Config{External: row.external}, func() func(probe.Seen) { return nil })
		if got := d.Near(row.at); got != row.near {
			t.Errorf("%s is near %s: %t", row.at, row.target, got)
		}
		if _, err := d.Visit(t.Context(), probe.Visit{At: row.at}); !row.near && err == nil {
			t.Errorf("%s was visited for %s", row.at, row.target)
		}
	}
}

// A finding shows only the beginning of a document that is no JSON: it may be anything. A
// case still reads all of it.
func TestForeignDocument(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("meta-data\n", 100)
	for body, shown := range map[string]int{long: 200, `"` + strings.Repeat("x", 998) + `"`: 1000, "short": 5} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		defer server.Close()
		way := connect.Way{Transport: requirements.HTTP, URL: server.URL + "/mcp", Pool: wire.NewPool(wire.Limits{})}
		var traced []probe.Seen
		docs := connect.New(way, 1<<20, func(s string) string { return s }).Documents(config.Config{}, func() func(probe.Seen) {
			return func(s probe.Seen) { traced = append(traced, s) }
		})
		got, err := docs.Visit(t.Context(), probe.Visit{At: server.URL + "/.well-known/x"})
		if err != nil || string(got.Body) != body || !got.Whole {
			t.Fatalf("%d bytes, whole: %t, %v", len(got.Body), got.Whole, err)
		}
		for _, frames := range [][]frame.Frame{got.Frames, {traced[0].Frame, traced[1].Frame, traced[2].Frame}} {
			f := frames[2]
			if len(f.Raw()) != shown || f.Size != len(body) || f.Truncated != (shown < len(body)) || frames[1].HTTP.Status != http.StatusOK {
				t.Errorf("%d of %d bytes are shown, cut: %t", len(f.Raw()), f.Size, f.Truncated)
			}
		}
	}
}
