package server_test

import (
	"bufio"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

const reconnect = `"name":"test_reconnection","arguments":{}`

// At revisions that allow it, the server closes a connection and answers the client
// when it comes back. At other revisions the stream stays open.
func TestClientComesBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	session := s.open("2025-11-25")
	first := bufio.NewScanner(s.begin(t.Context(), "POST", request("2025-11-25", "1", "tools/call", reconnect), session...).Body)
	primed, _ := nextEvent(first)
	if primed.id == "" || primed.data != "" || !primed.retry {
		t.Errorf("the stream begins with %+v", primed)
	}
	if more, ok := nextEvent(first); ok {
		t.Errorf("the connection is not closed, but brings %+v", more)
	}
	rest := bufio.NewScanner(s.begin(t.Context(), "GET", "", append(session, "Last-Event-ID: "+primed.id)...).Body)
	if answered, _ := nextEvent(rest); tell(answered.data) != "id 1 ok" {
		t.Errorf("the stream goes on with %+v", answered)
	}
	older := s.open("2025-06-18")
	if got := answer(s.do("POST", request("2025-06-18", "1", "tools/call", reconnect), older...)); got != "200 stream id 1 ok" {
		t.Errorf("in an older revision: %s", got)
	}
}

// A session serves the principal that opened it, and no other.
func TestSessionHasAnOwner(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	session := s.open("2025-11-25")
	ping := request("2025-11-25", "1", "ping", "")
	if got := answer(s.do("POST", ping, append(session, "Authorization: Bearer other")...)); got != "403 no id -32600" {
		t.Errorf("another principal: %s", got)
	}
	if got := answer(s.do("POST", ping, session...)); got != "200 id 1 ok" {
		t.Errorf("who opened it: %s", got)
	}
}

// Without sessions each request is served on its own, at the revision of its header.
func TestSessionless(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{Fault: &fault.Fault{HTTP: fault.HTTP{Sessionless: true}}})
	if id := s.do("POST", hello("2025-11-25")).Header.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("there is a session %s", id)
	}
	for _, row := range []struct {
		name, method, version, want string
	}{
		{"without a header", "POST", "", "200 id 1 ok"},
		{"with a header", "POST", "2025-06-18", "200 id 1 ok"},
		{"with a wrong one", "POST", "1900-01-01", "400 no id -32600"},
		{"GET", "GET", "", "405"},
		{"DELETE", "DELETE", "", "405"},
	} {
		if got := answer(s.do(row.method, request("2025-06-18", "1", "ping", ""), "Mcp-Protocol-Version: "+row.version)); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}
