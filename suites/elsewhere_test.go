package suites_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Where something takes connections at another address of the machine and does not
// answer in time, a busy server may have got them: nothing is said of it.
func TestSilentElsewhere(t *testing.T) {
	t.Parallel()
	local := inprocess.Server(nil)
	answers, named := local.Handler, make(chan string, 1)
	local.Everywhere = true
	local.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "127.0.0.1:") {
			answers.ServeHTTP(w, r)
			return
		}
		named <- r.Header.Get("Mcp-Session-Id")
		<-r.Context().Done()
	})
	cfg := proof.Config(t)
	cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{"2025-11-25"}}, config.HTTP
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: local, Timeout: 300 * time.Millisecond,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "http/localhost-bind" },
	})
	for _, f := range report.Findings {
		if f.Status != reports.Skip || f.Reason.Kind != reports.Undecided || len(f.Notes) > 0 {
			t.Errorf("%s: %s %v %v", f.Case, f.Status, f.Reason, f.Notes)
		}
	}
	select {
	case session := <-named:
		if session != "" || len(report.Findings) != 1 {
			t.Errorf("%d findings, want one; the session %q was named to another address", len(report.Findings), session)
		}
	default:
		t.Error("no other address was asked")
	}
}
