package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server that finds the client of an answer by the id of the request alone sends what one
// client asks for to the call of another. A server that takes as long for its calls and keeps
// clients apart is left alone.
func TestCrossedAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		sender func(*http.Request) string // what pending calls are kept by, beside their id
		busy   bool                       // other clients ask for lists under small ids all the time
		want   reports.Status
	}{
		"by id alone":                    {func(*http.Request) string { return "" }, false, reports.Fail},
		"by id alone, with more clients": {func(*http.Request) string { return "" }, true, reports.Fail},
		"by session and id":              {func(r *http.Request) string { return r.Header.Get("Mcp-Session-Id") }, false, reports.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Revisions: []string{"2025-06-18"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
				HTTP: fakeserver.HTTP{Sessions: true, Around: func(inner http.Handler) http.Handler {
					return &switchboard{inner: inner, sender: row.sender, busy: row.busy}
				}},
			}
			report := proof.Judged(t, plan.Plan{
				Config: config.Default(), Local: &plan.Local{Handler: server.Handler(), Path: "/mcp"},
				Selected: func(_ suite.Suite, c suite.Case) bool {
					return c.ID == "jsonrpc/ids-scoped-to-sender" || c.ID == "tools/call-result"
				},
			})
			var f reports.Finding
			for _, found := range report.Findings {
				switch {
				case found.Case == "jsonrpc/ids-scoped-to-sender":
					f = found
				case found.Status == reports.Fail: // a list is no result of a call, which is the same defect
					t.Errorf("%s is told of too: %s", found.Case, found.Problem)
				}
			}
			if f.Status != row.want {
				t.Errorf("%s: %s %+v, want %s", f.Status, f.Problem, f.Reason, row.want)
			}
			if row.want == reports.Fail && !strings.Contains(f.Problem, "900711") {
				t.Errorf("%q tells of another request than the call", f.Problem)
			}
		})
	}
}

// A switchboard lets calls take some time, and gives a call the answer to a request of the
// same key that comes meanwhile.
type switchboard struct {
	inner  http.Handler
	sender func(*http.Request) string
	busy   bool // a list that another client asks for meets each call with a small id

	mu   sync.Mutex
	open map[string]chan *httptest.ResponseRecorder
}

func (s *switchboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var asked struct {
		Method string
		ID     json.RawMessage
	}
	if err != nil || json.Unmarshal(body, &asked) != nil || asked.ID == nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.inner.ServeHTTP(w, r)
		return
	}
	key := s.sender(r) + " " + string(asked.ID)
	r.Body = io.NopCloser(bytes.NewReader(body))
	own := httptest.NewRecorder()
	if asked.Method != "tools/call" {
		s.inner.ServeHTTP(own, r)
		s.mu.Lock()
		if call := s.open[key]; call != nil {
			call <- own
			delete(s.open, key)
		}
		s.mu.Unlock()
		write(w, own)
		return
	}
	call := make(chan *httptest.ResponseRecorder, 1)
	s.mu.Lock()
	if s.open == nil {
		s.open = map[string]chan *httptest.ResponseRecorder{}
	}
	s.open[key] = call
	s.mu.Unlock()
	s.inner.ServeHTTP(own, r)
	if id, err := strconv.Atoi(string(asked.ID)); s.busy && err == nil && id < 900700 {
		call <- listed(own)
	}
	select {
	case crossed := <-call:
		write(w, crossed)
	case <-time.After(100 * time.Millisecond):
		write(w, own)
	}
}

// listed is the answer to a list that was asked for under the id of the call.
func listed(called *httptest.ResponseRecorder) *httptest.ResponseRecorder {
	crossed := httptest.NewRecorder()
	crossed.Code = called.Code
	maps.Copy(crossed.Header(), called.Header())
	crossed.Header().Del("Content-Length")
	_, _ = crossed.WriteString(strings.Replace(called.Body.String(), `"content"`, `"tools":[],"content"`, 1))
	return crossed
}

func write(w http.ResponseWriter, recorded *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), recorded.Header())
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}
