package gateways_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A gateway that refuses each opening once, since one of the servers behind it does not answer
// yet, hides no revision.
func TestOpeningsRefusedOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			revisions := []string{"2025-03-26", "2025-06-18", "2025-11-25"}
			behind := (&fakeserver.Server{Revisions: revisions, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2)}).Handler()
			var mu sync.Mutex
			asked := map[string]bool{}
			first := func(body []byte) bool {
				mu.Lock()
				defer mu.Unlock()
				for _, r := range revisions {
					if opening := []byte(`"protocolVersion":"` + r + `"`); bytes.Contains(body, opening) && !asked[r] {
						asked[r] = true
						return true
					}
				}
				return false
			}
			local := &suites.Local{Path: "/mcp", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if first(body) {
					http.Error(w, "no server", status)
					return
				}
				behind.ServeHTTP(w, r)
			})}
			cfg := config.Default()
			cfg.Revisions = config.Revisions{All: true}
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(_ suite.Suite, c suite.Case) bool {
				return c.ID == "ping/empty-result"
			}})
			var judged []string
			for _, f := range report.Findings {
				judged = append(judged, string(f.Revision))
			}
			if slices.Sort(judged); !slices.Equal(judged, revisions) {
				t.Errorf("judged at %q, want %q", judged, revisions)
			}
		})
	}
}
