package http_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// TestLaterClients: a server may show each client another part of what it has. That a client
// is shown nothing is told only where an earlier one was shown something.
func TestLaterClients(t *testing.T) {
	t.Parallel()
	tools := fakeserver.Reading()
	for name, row := range map[string]struct {
		first, later []map[string]any
		status       reports.Status
		problem      string
	}{
		"the same":       {tools, tools, reports.Pass, ""},
		"less":           {tools, tools[:1], reports.Pass, ""},
		"more":           {tools[:1], tools, reports.Pass, ""},
		"something else": {tools[:1], tools[1:], reports.Pass, ""},
		"nothing":        {tools[:1], nil, reports.Warn, "tools/list holds nothing for two clients that came later, and 1 tool for the first"},
		"never anything": {nil, nil, reports.Skip, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := judgedHere(t, config.Default(), inTurns(row.first, row.later), "http/later-clients-served")
			want(t, report, "http/later-clients-served", row.status, row.problem)
		})
	}
}

// inTurns is a server that shows some tools in its first session, and others in all later ones.
func inTurns(first, later []map[string]any) http.Handler {
	one := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: first, HTTP: fakeserver.HTTP{Sessions: true, SessionID: "first-"},
	}
	others := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: later, HTTP: fakeserver.HTTP{Sessions: true, SessionID: "later-"},
	}
	early, late := one.Handler(), others.Handler()
	var begun atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session := r.Header.Get("Mcp-Session-Id")
		if strings.HasPrefix(session, "later-") || session == "" && begun.Load() {
			late.ServeHTTP(w, r)
			return
		}
		if fakeserver.MethodOf(r) == "initialize" {
			begun.Store(true)
		}
		early.ServeHTTP(w, r)
	})
}
