package tasks_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// polling closes the stream of each tasks/result at once, and brings the response on the stream that
// the client resumes.
func polling(plain http.Handler) http.Handler {
	var number atomic.Int64
	var results sync.Map // by event id
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result, resumed := results.Load(r.Header.Get("Last-Event-ID"))
		switch {
		case r.Method == http.MethodPost && fakeserver.MethodOf(r) == "tasks/result":
			body, _ := io.ReadAll(r.Body)
			answer, event := make(chan string, 1), fmt.Sprintf("poll-%d", number.Add(1))
			results.Store(event, answer)
			later := r.Clone(context.WithoutCancel(r.Context()))
			later.Body = io.NopCloser(bytes.NewReader(body))
			go func() {
				kept := httptest.NewRecorder()
				plain.ServeHTTP(kept, later)
				answer <- kept.Body.String()
			}()
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: "+event+"\nretry: 50\ndata: \n\n")
		case resumed:
			w.Header().Set("Content-Type", "text/event-stream")
			select {
			case text := <-result.(chan string):
				if strings.HasPrefix(text, "{") {
					text = "data: " + text + "\n\n"
				}
				_, _ = io.WriteString(w, text)
			case <-r.Context().Done():
			}
		default:
			plain.ServeHTTP(w, r)
		}
	})
}

func TestResultOnResumedStream(t *testing.T) {
	t.Parallel()
	const id = "tasks/result-awaits-cancel"
	local := *inprocess.Server(nil)
	local.Handler = polling(local.Handler)
	cfg := proof.Config(t)
	cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(requirements.R20251125)}}, config.HTTP
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &local, Seed: 1, Timeout: 20 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
	})
	if len(report.Findings) != 1 || report.Findings[0].Status != reports.Pass {
		t.Errorf("got %+v, want pass", report.Findings)
	}
}
