package proposal_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Discovery may be told to come back later, and then cases that run beside one another
// ask for the manifest: each of them gets it, and none writes where another one reads.
func TestManifestBesideOthers(t *testing.T) {
	t.Parallel()
	var open atomic.Bool
	server := &fakeserver.Server{Answer: fakeserver.Answers{"get_manifest": func(fakeserver.Request) any {
		return map[string]any{"manifest_version": "0.1.0", "server": map[string]any{}, "tools": []any{}}
	}}}
	server.HTTP.Before = func(w http.ResponseWriter, body []byte) bool {
		other := bytes.Contains(body, []byte(`"method":"initialize"`)) || bytes.Contains(body, []byte(`"method":"notifications/`))
		busy := !open.Load() && !other
		if busy {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return busy
	}
	asks := suite.Suite{Name: "asks", Title: "manifests are read", Extension: proposal.Extension("manifest")}
	for i := range 8 {
		asks.Cases = append(asks.Cases, suite.Case{
			ID: fmt.Sprintf("asks/%d", i), Title: "the manifest is read", Fix: "read it", Checks: []requirements.ID{"ping-empty-result"},
			Lane: suite.Fresh, Run: func(c *probe.Client) error {
				open.Store(true)
				if proposal.Manifest(c) == nil || c.Survey().Manifest.Load() == nil {
					t.Error("a case got no manifest")
				}
				return nil
			},
		})
	}
	cfg := config.Default()
	cfg.Claims.Forced = []string{"manifest"}
	report, err := judge.Judge(t.Context(), plan.Plan{
		Config: cfg, Jobs: 8, Local: &plan.Local{Handler: server.Handler(), Path: "/mcp"}, Suites: []suite.Suite{asks},
	}, nil)
	if err != nil || report.Verdict.ExitCode != 0 {
		t.Fatal(err, report.Verdict, report.Findings)
	}
}
