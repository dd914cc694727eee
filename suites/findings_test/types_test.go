package findings_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A typer gives event streams another Content-Type.
type typer struct {
	http.ResponseWriter
	as    string
	begun bool
}

func (t *typer) WriteHeader(status int) {
	t.begin()
	t.ResponseWriter.WriteHeader(status)
}

func (t *typer) Write(b []byte) (int, error) {
	t.begin()
	return t.ResponseWriter.Write(b)
}

func (t *typer) Flush() {
	t.begin()
	_ = http.NewResponseController(t.ResponseWriter).Flush()
}

func (t *typer) begin() {
	if !t.begun && t.Header().Get("Content-Type") == "text/event-stream" {
		t.Header()["Content-Type"] = []string{t.as}
	}
	t.begun = true
}

// Where the streams of requests have another type, no client reads what comes on them: the
// finding is about the type, and tools whose questions never arrive cost a few waits, not one
// for each case about their answers.
func TestStreamsOfAnotherType(t *testing.T) {
	t.Parallel()
	for revision, want := range map[requirements.Revision][]string{
		requirements.R20251125: {"http/get-stream-or-405", "http/response-type"}, // GET and POST
		requirements.R20260728: {"http/response-type"},
	} {
		t.Run(string(revision), func(t *testing.T) {
			t.Parallel()
			local := inprocess.Server(&fault.Fault{Without: server.Extensions()})
			typed := local.Handler
			local.Serve = nil
			local.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				typed.ServeHTTP(&typer{ResponseWriter: w, as: "text/plain"}, r)
			})
			cfg := proof.Config(t)
			cfg.Revisions = config.Revisions{Dates: []string{string(revision)}}
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(s suite.Suite, c suite.Case) bool {
				return lawful.Prompt(s, c) && c.ID != "tools/access-control" // everybody is served here
			}})
			if diff := cmp.Diff(want, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
			took := time.Duration(report.Run.DurationMs) * time.Millisecond
			if revision == requirements.R20251125 && took > 90*time.Second {
				t.Errorf("the run took %s, want a few waits of %s", took, cfg.Wait.Event)
			}
		})
	}
}
