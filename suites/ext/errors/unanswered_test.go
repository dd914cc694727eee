package errors_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/core/tools"
	"github.com/mcp-conform/mcp-conform/suites/ext/errors"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// One cause is one finding: that calls are not answered is for the tools to say.
func TestUnansweredCalls(t *testing.T) {
	t.Parallel()
	shared, err := server.New(server.Options{Extensions: []string{"structured-errors"}})
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fakeserver.MethodOf(r) == "tools/call" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>The harbour is closed.</html>")
			return
		}
		shared.Handler().ServeHTTP(w, r)
	})
	cfg := proof.Config(t)
	cfg.Transport = config.HTTP
	report := proof.Judged(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Path: "/mcp", Handler: handler}, Suites: []suite.Suite{tools.Suite(), errors.Suite()},
	})
	broken, blocked := map[string]bool{}, false
	for _, f := range report.Findings {
		switch {
		case f.Status == reports.Fail || f.Status == reports.Warn:
			broken[string(f.Requirements[0])+" "+f.Suite] = true
		case f.Case == "ext-structured-errors/invalid-arguments-category":
			blocked = f.Reason != nil && f.Reason.BlockedBy == "tools/call-answered"
		}
	}
	if diff := cmp.Diff(map[string]bool{"jsonrpc-single-response tools": true}, broken); diff != "" || !blocked {
		t.Errorf("blocked %v, broken rules (-want +got):\n%s", blocked, diff)
	}
}
