package findings_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Longer or deeper messages than the kit reads are no fault of the server: the cases
// that needed them say so and end in an error.
func TestOwnLimitsDoNotBlame(t *testing.T) {
	t.Parallel()
	const levels = 12_000
	deep := func(r fakeserver.Request) any {
		return fakeserver.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"deep","inputSchema":{"type":"object","default":%s%s}}]}}`,
			r.ID, strings.Repeat("[", levels), strings.Repeat("]", levels)))
	}
	for _, row := range []struct {
		name   string
		server *fakeserver.Server
		says   string
	}{
		{"a long list", &fakeserver.Server{Tools: append(fakeserver.Tools(2), fakeserver.Tool(strings.Repeat("long", 1<<16), true))}, "longer than limits.frame; raise it"},
		{"a deep list", &fakeserver.Server{Answer: fakeserver.Answers{"tools/list": deep}}, "nested deeper"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Limits.Frame = 64 << 10
			cfg.Wait.Event = time.Second
			server := row.server
			server.Capabilities = fakeserver.Offers("tools")
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: &suites.Local{Serve: server.Serve, Handler: server.Handler()}, Seed: 1, Timeout: 20 * time.Second,
			})
			unread := map[string]bool{}
			for _, f := range report.Findings {
				switch f.Status {
				case reports.Fail, reports.Warn:
					t.Errorf("%s %s over %s: %s", f.Status, f.Case, f.Transport, f.Problem)
				case reports.Error:
					if !strings.Contains(f.Problem, row.says) {
						t.Errorf("%s over %s: %s", f.Case, f.Transport, f.Problem)
					}
					unread[f.Case+" over "+string(f.Transport)] = true
				case reports.Pass, reports.Skip:
				}
			}
			for _, id := range []string{"tools/list-answered over stdio", "tools/list-answered over http"} {
				if !unread[id] {
					t.Errorf("%s is no error", id)
				}
			}
		})
	}
}

// A server that answers only the opening gives one finding, and the kit stops waiting
// for it.
func TestMuteServer(t *testing.T) {
	t.Parallel()
	report := unanswering(t, func(method string) bool { return method != "initialize" }, func(suite.Suite, suite.Case) bool { return true })
	blocked := 0
	for _, f := range report.Findings {
		complains := f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error
		if complains != (f.Case == "ping/empty-result") {
			t.Errorf("%s: %s %s %v", f.Case, f.Status, f.Problem, f.Reason)
		}
		if f.Reason != nil && f.Reason.BlockedBy == "ping/empty-result" {
			blocked++
		}
	}
	if blocked < 50 {
		t.Errorf("%d cases are blocked by ping/empty-result, want nearly all", blocked)
	}
}

// A ping with something in its result is one finding. The cases that need no more than an
// answer to it are judged.
func TestPingWithContent(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1),
		Answer: fakeserver.Answers{"ping": func(fakeserver.Request) any { return map[string]any{"status": "ok"} }}}
	report := proof.Judge(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 20 * time.Second})
	if len(report.Findings) < 100 {
		t.Errorf("%d findings", len(report.Findings))
	}
	for _, f := range report.Findings {
		if f.Reason != nil && f.Reason.BlockedBy == "ping/empty-result" {
			t.Errorf("%s: %s", f.Case, f.Reason.Text)
		}
		if complains := f.Status == reports.Fail || f.Status == reports.Warn; complains != (f.Case == "ping/empty-result") {
			t.Errorf("%s: %s %s", f.Case, f.Status, f.Problem)
		}
	}
}

// A server without ping is judged like any other, except for the cases about ids, which
// send pings.
func TestServerWithoutPing(t *testing.T) {
	t.Parallel()
	asked := []string{"ping/empty-result", "jsonrpc/id-zero", "jsonrpc/id-one", "jsonrpc/ids-scoped-to-sender", "jsonrpc/method-not-found"}
	report := unanswering(t, func(method string) bool { return method == "ping" },
		func(_ suite.Suite, c suite.Case) bool { return slices.Contains(asked, c.ID) })
	got := map[string]reports.Status{}
	for _, f := range report.Findings {
		got[f.Case] = f.Status
		if strings.HasPrefix(f.Case, "jsonrpc/id") && (f.Reason == nil || f.Reason.BlockedBy != "ping/empty-result") {
			t.Errorf("%s: %s %v, want it blocked by ping/empty-result", f.Case, f.Status, f.Reason)
		}
	}
	if got["ping/empty-result"] != reports.Fail || got["jsonrpc/method-not-found"] != reports.Pass || len(got) != len(asked) {
		t.Errorf("got %v", got)
	}
}

// unanswering is the report on a server over stdio that never answers some methods.
func unanswering(t *testing.T, which func(method string) bool, selected func(suite.Suite, suite.Case) bool) reports.Report {
	t.Helper()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2)}
	server.Stdio.Line = func(line []byte, _ io.Writer) bool {
		var r fakeserver.Request
		return json.Unmarshal(line, &r) == nil && which(r.Method)
	}
	cfg := config.Default()
	cfg.Wait.Event = 300 * time.Millisecond
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 500 * time.Millisecond, Selected: selected,
	})
	return report
}
