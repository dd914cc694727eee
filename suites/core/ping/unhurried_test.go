package ping_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server whose every answer takes its time answers a ping at about the moment when a call
// ends that was sent with it: the ping has not waited for the call.
func TestPingsAsSlowAsCalls(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("roles: {slow-tool: {tool: tool_0, arguments: {text: kit}, duration: 340ms}}\n"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1),
		HTTP: fakeserver.HTTP{Around: func(inner http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				time.Sleep(300 * time.Millisecond)
				if strings.Contains(string(body), `"tools/call"`) {
					time.Sleep(40 * time.Millisecond)
				}
				inner.ServeHTTP(w, r)
			})
		}},
	}
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Handler: server.Handler(), Path: "/mcp"}, Seed: 1,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "ping/while-busy" },
	})
	for _, f := range report.Findings {
		if f.Case == "ping/while-busy" && f.Status != reports.Pass {
			t.Errorf("%s at %s: %s %+v", f.Status, f.Revision, f.Problem, f.Reason)
		}
	}
}
