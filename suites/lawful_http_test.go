package suites_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// overStreams are servers whose ways with sessions, streams and statuses are open.
func overStreams() []lawful {
	at := func(name string, h rigged.HTTP) lawful {
		return lawful{name: name, server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: h}, over: requirements.HTTP}
	}
	var mixed atomic.Int64
	return []lawful{
		at("sessions that nobody has to name", rigged.HTTP{Sessions: true, Free: true}),
		at("sessions that clients cannot end", rigged.HTTP{Sessions: true, NoDelete: true}),
		at("an unknown session is a bad request", rigged.HTTP{Sessions: true, NoDelete: true, NotFound: http.StatusBadRequest}),
		at("notifications and responses are not accepted", rigged.HTTP{Before: refusing(http.StatusBadRequest,
			"notifications/cancelled", "notifications/progress", "notifications/x-unknown", "")}),
		at("JSON and event streams by turns", rigged.HTTP{Message: func(w http.ResponseWriter, text string) {
			if mixed.Add(1)%2 == 0 {
				asEvents(w, text)
				return
			}
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, text)
		}}),
		at("comments, empty events and events of its own", rigged.HTTP{Message: asEvents, Get: listens, Sessions: true}),
		at("chunks that end anywhere", rigged.HTTP{Message: func(w http.ResponseWriter, text string) {
			w.Header().Set("Content-Type", "application/json")
			for i := 0; i < len(text); i += 7 {
				_, _ = io.WriteString(w, text[i:min(i+7, len(text))])
				_ = http.NewResponseController(w).Flush()
			}
		}}),
		at("event ids, and nothing is replayed", rigged.HTTP{Sessions: true, Get: listens, Message: identified(&mixed)}),
		at("one stream by GET at a time", rigged.HTTP{Sessions: true, Get: single(), Events: true}),
	}
}

// asEvents answers by a stream with all that stands in streams beside messages.
func asEvents(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = fmt.Fprintf(w, ": hello\n\n:\n\nretry: 5000\n\nevent: ping\ndata: 1\n\ndata:\n\nevent: message\r\ndata: %s\r\n\r\n: bye\n\n", text)
}

// identified answers by streams whose events have ids, the first one with empty data.
func identified(numbers *atomic.Int64) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "id: e%d\ndata:\n\nid: e%d\ndata: %s\n\n", numbers.Add(1), numbers.Add(1), text)
	}
}

// listens opens a stream on which nothing comes but signs of life.
func listens(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ": listening\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// single has one such stream for all of its clients.
func single() func(http.ResponseWriter, *http.Request) {
	var busy atomic.Bool
	return func(w http.ResponseWriter, r *http.Request) {
		if !busy.CompareAndSwap(false, true) {
			w.Header().Set("Allow", "POST, DELETE")
			http.Error(w, "there is a stream already", http.StatusMethodNotAllowed)
			return
		}
		defer busy.Store(false)
		listens(w, r)
	}
}

// A server may have no sessions; then any of its instances serves any request.
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
			wantNothingSaid(t, report)
		})
	}
}

// A proxy that streams through may add headers, and say that it is there.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	wantNothingSaid(t, judgeHTTP(t, proxied(inprocess.Server(nil).Handler), requirements.R20251125))
}

// A gateway that answers for a server once does not tell how that server looks at
// origins: the server lets in everyone, which is one finding and no more.
func TestAwayForAMoment(t *testing.T) {
	t.Parallel()
	open := &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{Sessions: true, AnyOrigin: true}}
	var asked atomic.Int64
	server := open.Handler()
	report := judge(t, &suites.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" && asked.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		server.ServeHTTP(w, r)
	})}, carriage)
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

// A server that compares how origins begin is open to a name that was made for that,
// unless it looks at the header Host as well.
func TestOriginsThatBeginAlike(t *testing.T) {
	t.Parallel()
	open := &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{Sessions: true, AnyOrigin: true}}
	server := open.Handler()
	for _, hosts := range []bool{false, true} {
		report := judge(t, &suites.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, where, _ := strings.Cut(r.Header.Get("Origin"), "//")
			foreign := where != "" && !strings.HasPrefix(where, "localhost") && !strings.HasPrefix(where, "127.")
			if foreign || hosts && strings.HasSuffix(r.Host, ".example") {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			server.ServeHTTP(w, r)
		})}, carriage)
		want := map[bool]reports.Status{false: reports.Fail, true: reports.Warn}[hosts]
		for _, f := range report.Findings {
			if f.Case == "http/origin-lookalike" && f.Status != want {
				t.Errorf("where hosts are looked at is %t: got %s, want %s", hosts, f.Status, want)
			}
		}
	}
}

// judgeHTTP judges the reference server by the cases about HTTP alone.
func judgeHTTP(t *testing.T, handler http.Handler, revisions ...requirements.Revision) reports.Report {
	t.Helper()
	cfg := proof.Config(t)
	for _, r := range revisions {
		cfg.Revisions.Dates = append(cfg.Revisions.Dates, string(r))
	}
	return proof.Judged(t, suites.Plan{
		Config: cfg, Local: &suites.Local{Handler: handler, Path: inprocess.Path},
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "http" },
	})
}

// proxied adds headers to what passes through, and a comment to the begin of a stream.
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

// Unwrap lets what is written be flushed.
func (p *passing) Unwrap() http.ResponseWriter { return p.ResponseWriter }
