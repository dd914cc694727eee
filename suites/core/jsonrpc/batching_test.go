package jsonrpc_test

import (
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestReadsNoArrays: a process that refuses each line that it cannot read, or ends there, does not
// serve batches, whichever case is judged first.
func TestReadsNoArrays(t *testing.T) {
	t.Parallel()
	t.Run("the end", func(t *testing.T) {
		t.Parallel()
		readsNone(t, fakeserver.Stdio{Exit: func(r fakeserver.Request) bool { return r.Method == "" }})
	})
	t.Run("a parse error", func(t *testing.T) {
		t.Parallel()
		readsNone(t, fakeserver.Stdio{Line: func(line []byte, out io.Writer) bool {
			if line[0] == '[' {
				_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not a message"}}`+"\n")
			}
			return line[0] == '['
		}})
	})
}

func readsNone(t *testing.T, how fakeserver.Stdio) {
	t.Helper()
	for id, want := range map[string]string{
		"jsonrpc/batch-received":           "fail",
		"jsonrpc/batch-coverage":           "not-applicable",
		"jsonrpc/batch-notifications-only": "not-applicable",
		"jsonrpc/batch-empty-array":        "not-applicable",
		"jsonrpc/batch-invalid-members":    "not-applicable",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Revisions: []string{"2025-03-26"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1),
				Stdio: how,
			}
			report := proof.Judge(t, plan.Plan{
				Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Seed: 1, Timeout: time.Second,
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
			})
			got := map[string]string{}
			for _, f := range report.Findings {
				got[f.Case] = string(f.Status)
				if f.Reason != nil {
					got[f.Case] = string(f.Reason.Kind)
				}
			}
			if diff := cmp.Diff(map[string]string{id: want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
