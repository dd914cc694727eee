package http_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestNoSessions: a server may have no sessions; then any of its instances serves any
// request.
func TestNoSessions(t *testing.T) {
	t.Parallel()
	sessionless := func() http.Handler {
		return inprocess.Server(&fault.Fault{HTTP: fault.HTTP{Sessionless: true}}).Handler
	}
	var turn atomic.Int64
	one, other := sessionless(), sessionless()
	byTurns := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if turn.Add(1)%2 == 0 {
			one.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
	for _, row := range []struct {
		name    string
		handler http.Handler
	}{{"one instance", sessionless()}, {"two instances", byTurns}, {"behind a proxy", proxied(sessionless())}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			report := judgeHTTP(t, row.handler, requirements.R20250326, requirements.R20250618, requirements.R20251125)
			lawful.NothingSaid(t, report)
		})
	}
}

// TestBehindAProxy: a proxy that streams may add headers and name itself.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	lawful.NothingSaid(t, judgeHTTP(t, proxied(inprocess.Server(nil).Handler), requirements.R20251125))
}

// TestAwayForAMoment: a gateway that once answers in place of the server does not change
// the verdict: the server accepts every origin, which is one finding and no more.
func TestAwayForAMoment(t *testing.T) {
	t.Parallel()
	open := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true, AnyOrigin: true}}
	var asked atomic.Int64
	server := open.Handler()
	report := lawful.Judge(t, &plan.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" && asked.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		server.ServeHTTP(w, r)
	})}, lawful.Carriage)
	var failed []string
	for _, f := range report.Findings {
		if f.Status == reports.Fail {
			failed = append(failed, f.Case)
		}
	}
	if want := []string{"http/origin-foreign"}; !slices.Equal(failed, want) {
		t.Errorf("failed are %q, want %q", failed, want)
	}
}

// TestOriginsThatBeginAlike: a server that compares only the beginning of origins accepts
// a lookalike, which is a warning if it checks the header Host.
func TestOriginsThatBeginAlike(t *testing.T) {
	t.Parallel()
	open := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true, AnyOrigin: true}}
	server := open.Handler()
	for _, hosts := range []bool{false, true} {
		report := lawful.Judge(t, &plan.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, where, _ := strings.Cut(r.Header.Get("Origin"), "//")
			foreign := where != "" && !strings.HasPrefix(where, "localhost") && !strings.HasPrefix(where, "127.")
			if foreign || hosts && strings.HasSuffix(r.Host, ".example") {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			server.ServeHTTP(w, r)
		})}, lawful.Carriage)
		want := map[bool]reports.Status{false: reports.Fail, true: reports.Warn}[hosts]
		for _, f := range report.Findings {
			if f.Case == "http/origin-lookalike" && f.Status != want {
				t.Errorf("where hosts are looked at is %t: got %s, want %s", hosts, f.Status, want)
			}
		}
	}
}

// judgeHTTP judges a server by the cases about HTTP only.
func judgeHTTP(t *testing.T, handler http.Handler, revisions ...requirements.Revision) reports.Report {
	t.Helper()
	cfg := proof.Config(t)
	for _, r := range revisions {
		cfg.Revisions.Dates = append(cfg.Revisions.Dates, string(r))
	}
	return proof.Judged(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Handler: handler, Path: inprocess.Path},
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "http" },
	})
}

// proxied adds headers to requests and responses, and a comment at the beginning of a
// stream.
func proxied(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		r.Header.Set("Via", "1.1 gateway.example")
		server.ServeHTTP(&passing{ResponseWriter: w}, r)
	})
}

// passing changes the head of a response.
type passing struct {
	http.ResponseWriter
	begun bool
}

func (p *passing) WriteHeader(status int) {
	h := p.Header()
	h.Set("Via", "1.1 gateway.example")
	h.Set("Strict-Transport-Security", "max-age=1")
	h.Set("Access-Control-Allow-Origin", "https://app.example")
	p.ResponseWriter.WriteHeader(status)
}

func (p *passing) Write(b []byte) (int, error) {
	if !p.begun && strings.HasPrefix(p.Header().Get("Content-Type"), "text/event-stream") {
		p.begun = true
		if _, err := io.WriteString(p.ResponseWriter, ": gateway\n\n"); err != nil {
			return 0, err
		}
	}
	return p.ResponseWriter.Write(b)
}

// Unwrap lets the handler flush the response.
func (p *passing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// TestElsewhere: a busy server that listens on all addresses may answer late or never at
// another address. That does not prove that the server does not listen there.
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
