package operations_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	served "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/streaming"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const sessionID = "Mcp-Session-Id"

// oneForAll hands out no session ids: all requests of a revision are of the session that
// was begun last with it.
func oneForAll(behind http.Handler) http.Handler {
	latest := &counts{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked struct {
			Params struct {
				Revision string `json:"protocolVersion"`
			} `json:"params"`
		}
		_ = json.Unmarshal(body, &asked)
		id, begun := latest.get(r.Header.Get("Mcp-Protocol-Version")).(string)
		if begun && asked.Params.Revision == "" {
			r.Header.Set(sessionID, id)
		}
		behind.ServeHTTP(&unnamed{ResponseWriter: w, begun: func(id string) { latest.put(asked.Params.Revision, id) }}, r)
	})
}

type unnamed struct {
	http.ResponseWriter
	begun func(id string)
}

func (u *unnamed) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func (u *unnamed) WriteHeader(status int) {
	if id := u.Header().Get(sessionID); id != "" {
		u.begun(id)
		u.Header().Del(sessionID)
	}
	u.ResponseWriter.WriteHeader(status)
}

// A server that keeps nothing between requests cannot know what a client declared in
// its handshake, so that it may go by what a call asks for.
func TestDeclarationsForgotten(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		by   func(http.Handler) http.Handler
		want reports.Status
	}{
		{"with sessions", func(h http.Handler) http.Handler { return h }, reports.Warn},
		{"without sessions", oneForAll, reports.Pass},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg, local := proof.Config(t), inprocess.Server(&fault.Fault{Ext: served.Switches{Undeclared: true}})
			cfg.Transport, cfg.Revisions = config.HTTP, config.Revisions{Dates: []string{"2025-11-25"}}
			local.Serve, local.SSE, local.Handler = nil, "", row.by(local.Handler)
			report := proof.Judged(t, suites.Plan{
				Config: cfg, Local: local, Suites: []suite.Suite{streaming.Suite()},
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "ext-streaming/not-forced" },
			})
			for _, f := range report.Findings {
				if f.Case == "ext-streaming/not-forced" && f.Status != row.want {
					t.Errorf("%s, want %s: %s %+v", f.Status, row.want, f.Problem, f.Reason)
				}
			}
		})
	}
}
