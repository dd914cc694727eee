package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// The internet has no names below corp and home: they are those of companies and homes.
func TestPublic(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"login.example.com": true, "Login.Example.COM.": true, "203.0.113.7": true, "2001:db8::7": true, "corp.example": true,
		"localhost": false, "keycloak": false, "login.localhost": false, "login.corp": false, "login.home": false, "login.home.arpa": false,
		"127.0.0.1": false, "10.1.2.3": false, "169.254.1.1": false, "::1": false, "0.0.0.0": false, "": false,
	} {
		if got := probe.Public(host); got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
	}
}
