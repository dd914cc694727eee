package http_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// A teller reports progress three times on the stream of each call that asks for it. One
// that strays also reports progress of the call before in the session.
type teller struct {
	strays bool
	times  int
	mu     sync.Mutex
	before map[string]any // the token of the last call, by session
}

func (s *teller) handler() http.Handler {
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true}}
	inner := server.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked fakeserver.Request
		meta := map[string]any(nil)
		if json.Unmarshal(body, &asked) == nil {
			meta, _ = asked.Params["_meta"].(map[string]any)
		}
		token := meta["progressToken"]
		if asked.Method != "tools/call" || asked.Params["name"] != "hours" || token == nil || r.Header.Get("Origin") != "" {
			inner.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		session := r.Header.Get("Mcp-Session-Id")
		if s.before == nil {
			s.before = map[string]any{}
		}
		before := s.before[session]
		s.before[session] = token
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		tell := func(of any, progress int) {
			text, _ := json.Marshal(of)
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","+
				"\"params\":{\"progressToken\":%s,\"progress\":%d}}\n\n", text, progress)
		}
		if s.strays && before != nil {
			tell(before, 99)
		}
		for i := range s.times {
			tell(token, i+1)
		}
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", asked.ID)
	})
}

// TestProgressOfAReadOnlyTool: a read-only tool that reports progress stands in for the
// role that nobody has filled.
func TestProgressOfAReadOnlyTool(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		server         *teller
		related, ended reports.Status
	}{
		"on its own stream":  {&teller{times: 3}, reports.Pass, reports.Pass},
		"and that of others": {&teller{times: 3, strays: true}, reports.Warn, reports.Pass},
		"never":              {&teller{}, reports.Skip, reports.Skip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := judgedHere(t, config.Default(), row.server.handler(),
				"http/stream-messages-related", "http/message-on-one-stream", "http/stream-closed-after-messages", "http/session-isolation")
			want(t, report, "http/stream-messages-related", row.related, "")
			want(t, report, "http/message-on-one-stream", row.ended, "")
			want(t, report, "http/stream-closed-after-messages", row.ended, "")
			want(t, report, "http/session-isolation", row.ended, "")
			for _, f := range report.Findings {
				if f.Reason != nil && (f.Reason.Kind != reports.NoRole || f.Reason.Role != "roles.progress-tool") {
					t.Errorf("%s: %+v", f.Case, f.Reason)
				}
			}
		})
	}
}
