package connect_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Whatever address a server names, the kit asks only the server's own host, and
// this machine only if the server runs on it.
func TestNear(t *testing.T) {
	t.Parallel()
	const here, there = "http://127.0.0.1:8080/mcp", "https://mcp.example/mcp"
	hide := func(s string) string { return s }
	for _, row := range []struct {
		target, at     string
		near, external bool
	}{
		{here, "http://127.0.0.1:8080/.well-known/x", true, false},
		{here, "http://localhost:9090/token", true, false},
		{here, "http://[::1]:9090/token", true, false},
		{here, "https://login.example/token", false, false},
		{there, "https://MCP.example:8443/token", true, false},
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
		d := way.Documents("", row.external, func() func(probe.Seen) { return nil })
		if got := d.Near(row.at); got != row.near {
			t.Errorf("%s is near %s: %t", row.at, row.target, got)
		}
		if _, err := d.Visit(t.Context(), probe.Visit{At: row.at}); !row.near && err == nil {
			t.Errorf("%s was visited for %s", row.at, row.target)
		}
	}
}
