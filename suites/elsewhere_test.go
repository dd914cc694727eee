package suites_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A busy server that listens everywhere may answer late at another address, or not at
// all: neither is taken for a server that does not listen there.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		want   reports.Status
	}{
		"late": {func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(50 * time.Millisecond)
			w.WriteHeader(http.StatusNotFound)
		}, reports.Warn},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, reports.Skip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			local, named := inprocess.Server(nil), make(chan string, 10)
			here := local.Handler
			rig := plan.RigOf(local)
			rig.Everywhere = true
			local = plan.Rigged(*local, rig)
			local.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.Host, "127.0.0.1:") {
					here.ServeHTTP(w, r)
					return
				}
				named <- r.Header.Get("Mcp-Session-Id")
				row.answer(w, r)
			})
			cfg := proof.Config(t)
			cfg.Transport, cfg.Wait.Event = config.HTTP, time.Millisecond
			wantOne(t, cfg, local, "http/localhost-bind", row.want)
			if len(named) == 0 {
				t.Error("no other address was asked")
			}
			for range len(named) {
				if session := <-named; session != "" {
					t.Errorf("the session %s is named to another address", session)
				}
			}
		})
	}
}
