package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestEndsOverHTTP: over HTTP no case about the transport judges whether a server survives what
// is no message, so the cases about the message do.
func TestEndsOverHTTP(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"jsonrpc/parse-error-truncated", "jsonrpc/invalid-request-without-method"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Target.URL = fragile(t)
			report := proof.Judge(t, plan.Plan{Config: cfg, Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id }})
			for _, f := range report.Findings {
				if f.Case == id && f.Revision == requirements.R20251125 && (f.Status == reports.Pass || !strings.Contains(f.Problem, "the server ended after ")) {
					t.Errorf("%s %q, want a finding that says that the server ended", f.Status, f.Problem)
				}
			}
		})
	}
}

// fragile is the address of a server that ends at what is no request or notification.
func fragile(t *testing.T) string {
	t.Helper()
	inner := &fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true}}
	listening := fakeserver.Ending(inner.Handler(), func(body []byte) bool {
		var message struct{ Method string }
		return len(body) > 0 && (json.Unmarshal(body, &message) != nil || message.Method == "")
	})
	t.Cleanup(listening.Close)
	return listening.URL
}
