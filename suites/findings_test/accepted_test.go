package findings_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// wordy writes the word for status 202 as its body, as res.sendStatus of Express does.
type wordy struct{ http.ResponseWriter }

func (w wordy) WriteHeader(status int) {
	if status != http.StatusAccepted {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
	_, _ = io.WriteString(w.ResponseWriter, http.StatusText(status))
}

func (w wordy) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w wordy) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Status 202 with a body is one finding, whether a notification or a response is accepted by it.
func TestAcceptedWithABody(t *testing.T) {
	t.Parallel()
	for at, want := range map[requirements.Revision]string{
		requirements.R20251125: "http/notification-accepted",
		requirements.R20260728: "http/notification-accepted-stateless",
	} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			local := inprocess.Server(&fault.Fault{})
			server := local.Handler
			local.Serve, local.Handler = nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.ServeHTTP(wordy{w}, r) })
			cfg := config.Default()
			cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(at)}}, config.HTTP
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(_ suite.Suite, c suite.Case) bool {
				return strings.HasPrefix(c.ID, "http/notification-accepted") || c.ID == "http/response-accepted"
			}})
			if diff := cmp.Diff([]string{want}, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}
