// Package sessions_test shows that servers with one session, or few, are judged as far
// as possible, and not blamed.
package sessions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestMain(m *testing.M) { proof.Main(m) }

// The kit does not blame a server for having only one session.
func TestLawful(t *testing.T) {
	one := func(before func(http.ResponseWriter, []byte) bool) *fakeserver.Server {
		return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
			Sessions: true, OneSession: before == nil, Before: before,
		}}
	}
	older := one(initializedOnce(http.StatusBadRequest))
	older.Revisions = []string{"2025-06-18"}
	lawful.Servers(t, "http", []lawful.Row{
		{Name: "one session at a time", Server: one(nil), Over: requirements.HTTP},
		{Name: "one session and no other beside it", Server: one(initializedOnce(http.StatusBadRequest)), Over: requirements.HTTP},
		{Name: "one session, and an error for others", Server: one(initializedOnce(http.StatusOK)), Over: requirements.HTTP},
		{Name: "one session, of a revision that is offered instead", Server: older, Over: requirements.HTTP},
		{Name: "one session, and not for long", Server: one(endedAfter(30, initializedOnce(http.StatusBadRequest))), Over: requirements.HTTP},
	})
}

// initializedOnce refuses every handshake but the first, like SDKs that use one
// transport object for all clients.
func initializedOnce(status int) func(http.ResponseWriter, []byte) bool {
	var done atomic.Bool
	return func(w http.ResponseWriter, body []byte) bool {
		var r fakeserver.Request
		if json.Unmarshal(body, &r) != nil || r.Method != "initialize" || r.ID == nil || !done.Swap(true) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}}`, r.ID)
		return true
	}
}

// endedAfter ends the session after a number of messages.
func endedAfter(messages int64, before func(http.ResponseWriter, []byte) bool) func(http.ResponseWriter, []byte) bool {
	var came atomic.Int64
	return func(w http.ResponseWriter, body []byte) bool {
		if before(w, body) {
			return true
		}
		var r fakeserver.Request
		if came.Add(1) <= messages || json.Unmarshal(body, &r) != nil || r.ID == nil {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Session not found"}}`, r.ID)
		return true
	}
}

// The only session has the newest revision of the server, and cases that need no other
// session are judged in it.
func TestOneSessionForGood(t *testing.T) {
	t.Parallel()
	for newest, spoken := range map[string][]string{"2025-11-25": nil, "2025-06-18": {"2024-11-05", "2025-03-26", "2025-06-18"}} {
		server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Revisions: spoken, Tools: fakeserver.Reading(),
			HTTP: fakeserver.HTTP{Sessions: true, Before: initializedOnce(http.StatusBadRequest)}}
		report := proof.Judged(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Handler: server.Handler()}})
		counts := report.Verdict.Columns[0].Counts
		if got := report.Verdict.Columns[0].Place().String(); got != newest+" over http" ||
			counts.Pass < 70 || counts.Fail+counts.Warn+counts.Error > 0 {
			t.Errorf("%s: %+v", got, counts)
		}
	}
}

// A case that lets time pass is judged in the only session, too.
func TestOneSessionTakesItsTime(t *testing.T) {
	t.Parallel()
	const id = "ping/server-not-excessive"
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		HTTP: fakeserver.HTTP{Sessions: true, Before: initializedOnce(http.StatusBadRequest)}}
	report := proof.Judged(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Handler: server.Handler()}})
	for _, f := range report.Findings {
		if f.Case == id && f.Reason != nil && f.Reason.Kind == reports.Undecided {
			t.Errorf("%s: %v", id, f.Reason)
		}
	}
}

// One late answer is no fault, and no reason to give up the only session.
func TestOneSessionLateOnce(t *testing.T) {
	t.Parallel()
	for _, late := range []struct {
		method string
		nth    int64
	}{{"tools/list", 2}, {"tools/list", 4}, {"tools/call", 8}, {"ping", 4}} {
		t.Run(late.method, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			once := initializedOnce(http.StatusBadRequest)
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
				Sessions: true, Before: func(w http.ResponseWriter, body []byte) bool {
					var r fakeserver.Request
					if json.Unmarshal(body, &r) == nil && r.Method == late.method && asked.Add(1) == late.nth {
						time.Sleep(25 * time.Second)
					}
					return once(w, body)
				},
			}}
			report := proof.Judged(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Handler: server.Handler()}})
			counts := report.Verdict.Columns[0].Counts
			if counts.Pass < 120 || counts.Fail+counts.Warn+counts.Error > 0 {
				t.Errorf("%+v", counts)
			}
		})
	}
}

// The kit reports a fault whether or not another session is possible. Status 404 with an
// answer does not end the session.
func TestOneSessionIsJudged(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"tools/list": "tools/list-answered", "ping": "ping/empty-result"} {
		server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
			Sessions: true, Status: http.StatusNotFound, Before: initializedOnce(http.StatusBadRequest),
		}, Answer: fakeserver.Answers{
			method: func(fakeserver.Request) any { return &fakeserver.Error{Code: -32601, Message: "unknown method"} },
		}}
		if method == "ping" {
			server.Capabilities, server.Tools = map[string]any{}, nil
		}
		report := proof.Judged(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Handler: server.Handler()}})
		if !slices.ContainsFunc(report.Findings, func(f reports.Finding) bool { return f.Case == want && f.Status == reports.Fail }) {
			t.Errorf("%s did not fail", want)
		}
	}
}

// The only session has the revision to be judged.
func TestOneSessionOfARevision(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Revisions = config.Revisions{Dates: []string{"2025-06-18"}}
	server := &fakeserver.Server{Revisions: []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		HTTP: fakeserver.HTTP{Sessions: true, Before: initializedOnce(http.StatusBadRequest)}}
	report := proof.Judged(t, suites.Plan{Config: cfg, Local: &suites.Local{Handler: server.Handler()}})
	columns := report.Verdict.Columns
	if len(columns) != 1 || columns[0].Place().String() != "2025-06-18 over http" || columns[0].Counts.Pass < 70 {
		t.Errorf("%s: %+v", report.Verdict.Text, columns)
	}
	cfg.Revisions.Dates = []string{"2025-03-26", "2025-06-18"}
	server.HTTP.Before = initializedOnce(http.StatusBadRequest)
	report = proof.Judge(t, suites.Plan{Seed: 1, Timeout: time.Second, Config: cfg, Local: &suites.Local{Handler: server.Handler()}})
	if !strings.Contains(report.Verdict.Text, "whether it speaks 2025-03-26, too, is not known") {
		t.Errorf("of two revisions it is said: %s", report.Verdict.Text)
	}
}

// After the end of the only session no case is skipped on account of another case.
func TestOneSessionEnds(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
		Sessions: true, Before: endedAfter(30, initializedOnce(http.StatusBadRequest)),
	}}
	report := proof.Judged(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Handler: server.Handler()}})
	ended := 0
	for _, f := range report.Findings {
		if f.Reason == nil {
			continue
		}
		if f.Reason.BlockedBy == "lifecycle/init-response" {
			t.Errorf("%s is blocked: %s", f.Case, f.Reason.Text)
		}
		if strings.Contains(f.Reason.Text, "the server ended the session") {
			ended++
		}
	}
	if ended < 10 {
		t.Errorf("%d cases say that the session ended", ended)
	}
}

// tried is how many sessions discovery tries at a time. Beyond it the kit cannot tell
// sessions that never end from an initialize that breaks later ones.
const tried = 12

// A server may serve a few sessions at a time, and refuse further ones until one of them
// ends: that is no fault, and most cases can be judged one after the other. If no client
// can end a session, the kit judges the rest in the open ones.
func TestFewSessions(t *testing.T) {
	t.Parallel()
	for _, most := range []int{2, 3, 5, 6, 8, 10, 13, 14, 16, 18, 20} {
		for _, row := range []struct {
			name    string
			refusal int
			lasting bool
			all     bool
			pass    int
		}{
			{name: "by an error", refusal: http.StatusBadRequest, pass: 135},
			{name: "by a status", refusal: http.StatusServiceUnavailable, pass: 135},
			{name: "for good", refusal: http.StatusBadRequest, lasting: true, pass: 125},
			{name: "of several revisions", refusal: http.StatusBadRequest, all: true, pass: 135},
		} {
			if row.lasting && most > tried {
				continue
			}
			t.Run(fmt.Sprint(most, " ", row.name), func(t *testing.T) {
				t.Parallel()
				cfg := config.Default()
				server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true}}
				if row.all {
					cfg.Revisions = config.Revisions{All: true}
					server.Revisions = []string{"2024-11-05", "2025-06-18", "2025-11-25"}
				}
				report := proof.Judged(t, suites.Plan{Config: cfg, Local: &suites.Local{
					Handler: fewSessions(server.Handler(), most, row.refusal, row.lasting),
				}})
				newest := report.Verdict.Columns[0]
				if newest.Counts.Pass < row.pass {
					t.Errorf("%s: %+v", newest.Place(), newest.Counts)
				}
				for _, f := range report.Findings {
					if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
						t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
					}
				}
			})
		}
	}
}

// TestFewSessionsOfManyRevisions: a server that bears few sessions may speak revisions for
// which it began none, and the report says so.
func TestFewSessionsOfManyRevisions(t *testing.T) {
	t.Parallel()
	for _, lasting := range []bool{false, true} {
		cfg := config.Default()
		cfg.Revisions = config.Revisions{All: true}
		server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true},
			Revisions: []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}}
		report := proof.Judged(t, suites.Plan{Config: cfg, Local: &suites.Local{
			Handler: fewSessions(server.Handler(), 2, http.StatusBadRequest, lasting),
		}})
		columns := len(report.Verdict.Columns)
		if told := strings.Contains(report.Verdict.Text, "is not known, since it refused further sessions"); told == (columns == 4) {
			t.Errorf("%d columns, and it is said: %s", columns, report.Verdict.Text)
		}
	}
}

// fewSessions refuses further sessions while too many are open. Lasting sessions have no
// end.
func fewSessions(inner http.Handler, most, status int, lasting bool) http.Handler {
	var mu sync.Mutex
	open := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked fakeserver.Request
		begins := json.Unmarshal(body, &asked) == nil && asked.Method == "initialize" && asked.ID != nil
		if r.Method == http.MethodGet || !begins && r.Method == http.MethodPost {
			inner.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodDelete && lasting {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if begins && len(open) >= most {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Too many sessions"}}`, asked.ID)
			return
		}
		inner.ServeHTTP(w, r)
		if id := w.Header().Get("Mcp-Session-Id"); begins && id != "" {
			open[id] = true
		}
		if r.Method == http.MethodDelete {
			delete(open, r.Header.Get("Mcp-Session-Id"))
		}
	})
}

// A server that limits requests bears two sessions all the same: the case that wants both says
// what one of them got.
func TestTwoSessionsOfALimitedServer(t *testing.T) {
	t.Parallel()
	const id, text = "http/session-ended-alone", "not more than so many requests a second"
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Sessions: true}}
	server.Answer = fakeserver.Answers{}
	for _, method := range []string{"ping", "tools/list"} {
		server.Answer[method] = func(fakeserver.Request) any { return &fakeserver.Error{Code: -31999, Message: text} }
	}
	f := proof.Found(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Handler: server.Handler()}}, id)
	if f.Reason == nil || !strings.Contains(f.Reason.Text, text) {
		t.Errorf("%s %+v, want it to tell what one of the sessions got", f.Status, f.Reason)
	}
}
