package http_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// TestOneRequestAtATime: a server that serves a request when the one before is served, whoever
// asks, keeps two sessions with the same id apart.
func TestOneRequestAtATime(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("roles: {slow-tool: {tool: hours, duration: 300ms}}\n"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	var made sync.Once
	var turn chan bool // no mutex: the time of the test goes on while a channel is waited for
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		HTTP: fakeserver.HTTP{Sessions: true, Around: func(inner http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				made.Do(func() { turn = make(chan bool, 1) })
				turn <- true
				defer func() { <-turn }()
				if fakeserver.MethodOf(r) == "tools/call" {
					time.Sleep(300 * time.Millisecond)
				}
				inner.ServeHTTP(w, r)
			})
		}},
	}
	want(t, judgedHere(t, cfg, server.Handler(), "http/session-ids-own"), "http/session-ids-own", reports.Pass, "")
}
