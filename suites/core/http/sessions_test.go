package http_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A guest hands out session ids at one revision only, and serves requests with any id and
// without one. DELETE gets status 200 and has no effect.
func guest(server *fakeserver.Server, revision string) http.Handler {
	inner, numbers := server.Handler(), &atomic.Int64{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked fakeserver.Request
		if json.Unmarshal(body, &asked) == nil && asked.Method == "initialize" && asked.Params["protocolVersion"] == revision {
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("%032x", uint64(numbers.Add(1))*0x9E3779B97F4A7C15))
		}
		if r.Method == http.MethodDelete {
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// twoPrincipals is a configuration with two identities.
func twoPrincipals(t *testing.T) config.Config {
	t.Helper()
	cfg, err := config.Parse("mcp-conform.yaml", []byte("principals: {first: {token: berth-one}, second: {token: berth-two}}\n"),
		func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestSessionsOfOneRevision: a revision whose handshakes bring no session id has no
// sessions, whatever other revisions have.
func TestSessionsOfOneRevision(t *testing.T) {
	t.Parallel()
	cfg := twoPrincipals(t)
	cfg.Revisions = config.Revisions{All: true}
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		Revisions: []string{"2025-03-26", "2025-06-18", "2025-11-25"},
	}
	report := proof.Judged(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Handler: guest(server, "2025-03-26")}, Selected: lawful.Carriage,
	})
	seen := map[string]int{}
	for _, f := range report.Findings {
		about := strings.HasPrefix(f.Case, "http/session-") && f.Case != "http/session-not-minted"
		if about && f.Revision != "2025-03-26" && f.Status != reports.Skip {
			t.Errorf("%s %s at %s: %s", f.Status, f.Case, f.Revision, f.Problem)
		}
		if about && f.Status != reports.Skip {
			seen[string(f.Revision)]++
		}
	}
	if seen["2025-03-26"] == 0 {
		t.Error("the sessions of 2025-03-26 were not judged")
	}
}

// TestSessionsWithoutPurpose: a server that needs no session id and lets DELETE end
// nothing is warned, and the finding says what was done.
func TestSessionsWithoutPurpose(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	report := judgedHere(t, config.Default(), guest(server, "2025-11-25"), "http/session-ended", "http/version-header-delete")
	want(t, report, "http/session-ended", reports.Warn,
		"DELETE of the session got status 200, and tools/list with its id still got status 200")
	want(t, report, "http/version-header-delete", reports.Warn, "")
}

// TestSessionOfAnotherIsShown: the finding shows the requests of both principals with the
// id of the session.
func TestSessionOfAnotherIsShown(t *testing.T) {
	t.Parallel()
	cfg := twoPrincipals(t)
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true}}
	const id = "http/session-of-another-principal"
	report := judgedHere(t, cfg, server.Handler(), id)
	want(t, report, id, reports.Warn, "the Mcp-Session-Id of a session that principals.first opened serves tools/list to principals.second")
	shown := 0
	for _, f := range report.Findings {
		for _, frame := range f.Frames {
			if f.Case == id && frame.Dir == "sent" && strings.Contains(frame.Text, "Mcp-Session-Id: ") {
				shown++
			}
		}
	}
	if shown != 2 {
		t.Errorf("%d requests with a session id are shown, want 2", shown)
	}
}

// TestStreamOfAnEndedSession: GET is judged by itself where POST of an ended session is
// rejected with another status than 404.
func TestStreamOfAnEndedSession(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		HTTP: fakeserver.HTTP{Sessions: true, NotFound: http.StatusBadRequest}}
	inner := server.Handler()
	report := judgedHere(t, config.Default(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			listens(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	}), "http/session-ended", "http/session-ended-get")
	want(t, report, "http/session-ended", reports.Fail, "")
	want(t, report, "http/session-ended-get", reports.Fail, "GET with its id still got status 200")

	report = judgedHere(t, config.Default(), inner, "http/session-ended", "http/session-ended-get")
	want(t, report, "http/session-ended", reports.Fail, "")
	want(t, report, "http/session-ended-get", reports.Skip, "")
}

// TestEndedSessionBarred: a client that may open another session lacks no access, so that
// status 403 is about the session. A server that lets nobody in any more says nothing of it.
func TestEndedSessionBarred(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		all  bool // nobody is let in once a session was ended
		want reports.Status
	}{
		{"the ended session alone", false, reports.Fail},
		{"everybody", true, reports.Skip},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
				HTTP: fakeserver.HTTP{Sessions: true, NotFound: http.StatusForbidden}}
			inner, over := server.Handler(), atomic.Bool{}
			report := judgedHere(t, config.Default(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if over.Load() {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				inner.ServeHTTP(w, r)
				over.Store(row.all && r.Method == http.MethodDelete)
			}), "http/session-ended")
			want(t, report, "http/session-ended", row.want, "")
		})
	}
}

// TestGetWithoutStreams: a server that answers every GET with a document says nothing of the
// session, and breaks the rule on GET only.
func TestGetWithoutStreams(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true}}
	inner := server.Handler()
	report := judgedHere(t, config.Default(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"status":"ok"}`)
			return
		}
		inner.ServeHTTP(w, r)
	}), "http/get-stream-or-405", "http/session-ended-get")
	want(t, report, "http/get-stream-or-405", reports.Fail, "")
	want(t, report, "http/session-ended-get", reports.Skip, "")
}

// TestMissingSessionIDUnauthorized: status 401 answers the missing id where the same
// request is served with it.
func TestMissingSessionIDUnauthorized(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		HTTP: fakeserver.HTTP{Sessions: true, Missing: http.StatusUnauthorized}}
	want(t, judgedHere(t, config.Default(), server.Handler(), "http/session-id-missing"), "http/session-id-missing", reports.Pass, "")
}

// TestShortSessionIDs: no page gives a number of bits; 64 random bits are enough in every
// alphabet.
func TestShortSessionIDs(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]func(number uint64) string{
		"72 bits in base64url": func(n uint64) string { return base64url(n, 12) },
		"64 bits in base64url": func(n uint64) string { return base64url(n, 11) },
		"64 bits in hex":       func(n uint64) string { return fmt.Sprintf("%016x", n) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var numbers atomic.Uint64
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
				Before: func(w http.ResponseWriter, body []byte) bool {
					if strings.Contains(string(body), `"initialize"`) {
						w.Header().Set("Mcp-Session-Id", id(numbers.Add(1)*0x9E3779B97F4A7C15))
					}
					return false
				},
			}}
			want(t, judgedHere(t, config.Default(), server.Handler(), "http/session-id-unpredictable"),
				"http/session-id-unpredictable", reports.Pass, "")
		})
	}
}

// base64url spreads a number over an id of some length.
func base64url(n uint64, length int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	id := make([]byte, length)
	for i := range id {
		id[i] = alphabet[n>>(i*5)&63]
	}
	return string(id)
}

// judgedHere judges a server over HTTP by the named cases.
func judgedHere(t *testing.T, cfg config.Config, handler http.Handler, cases ...string) reports.Report {
	t.Helper()
	return proof.Judged(t, plan.Plan{Config: cfg, Local: &plan.Local{Handler: handler}, Selected: func(_ suite.Suite, c suite.Case) bool {
		for _, id := range cases {
			if c.ID == id {
				return true
			}
		}
		return false
	}})
}

// want checks the status of a case and a part of its problem.
func want(t *testing.T, report reports.Report, id string, status reports.Status, problem string) {
	t.Helper()
	for _, f := range report.Findings {
		if f.Case != id {
			continue
		}
		if f.Status != status || !strings.Contains(f.Problem, problem) {
			t.Errorf("%s: %s %q %s, want %s %q", id, f.Status, f.Problem, reason(f), status, problem)
		}
		return
	}
	t.Errorf("%s was not judged", id)
}
