package http_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func overSSE(t *testing.T, handler http.Handler, selected lawful.Selection, revisions ...string) reports.Report {
	t.Helper()
	cfg := config.Default()
	cfg.Wait.Event = time.Second
	cfg.Transport = config.SSE
	cfg.Revisions = config.Revisions{Dates: revisions}
	local := &plan.Local{Handler: handler, SSE: "/sse"}
	report := proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: selected})
	return report
}

// TestLawfulSSE: habits that 2024-11-05 leaves open in HTTP+SSE give neither failures nor
// warnings. Every case judges the plain server and the server with all habits at once;
// the cases about transport judge each habit by itself.
func TestLawfulSSE(t *testing.T) {
	t.Parallel()
	revisions := []string{"2024-11-05", "2025-06-18"}
	for name, style := range map[string]fakeserver.SSE{
		"plain":                         {},
		"status 200 and a word":         {Status: 200, Body: "OK"},
		"unknown notifications refused": {Picky: true},
		"status 204":                    {Status: 204},
		"the answer in the body, too":   {Status: 200, Echo: true},
		"a whole URI":                   {Absolute: true},
		"another name of this machine":  {Absolute: true, Host: "localhost"},
		"the session in the path":       {InPath: true},
		"events without a type":         {Untyped: true},
		"data in several lines":         {Lines: true},
		"remarks between messages":      {Remarks: true},
		"remarks before the endpoint":   {First: ": welcome\n\nretry: 500\n\nevent: hello\ndata: harbour\n\n"},
		"all that beside one another":   {Status: 200, Echo: true, Absolute: true, InPath: true, Untyped: true, Remarks: true},
		"a comment of the proxy's kind": {First: ":" + strings.Repeat(" ", 2048) + "\n\n"},
		"one stream at a time":          {One: true},
		"the newest stream alone":       {Ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{Revisions: revisions, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), SSE: style}
			selected := lawful.Carriage
			if all := strings.Contains(name, "all that"); all || name == "plain" || style.One || style.Ends {
				selected = lawful.Everything
			}
			report := overSSE(t, server.Legacy(), selected)
			lawful.NothingSaid(t, report)
			// A server that refuses any second stream refuses a foreign Origin too, which
			// shows nothing.
			undecided := slices.ContainsFunc(report.Findings, func(f reports.Finding) bool {
				return f.Case == "http/sse-origin-stream" && f.Status == reports.Skip
			})
			if undecided != style.One {
				t.Errorf("http/sse-origin-stream is undecided: %t", undecided)
			}
			if got := report.Verdict.Columns[0].Place().String(); got != "2024-11-05 over sse" {
				t.Errorf("%s was judged", got)
			}
		})
	}
	t.Run("another revision", func(t *testing.T) {
		t.Parallel()
		server := &fakeserver.Server{Revisions: revisions, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
		lawful.NothingSaid(t, overSSE(t, server.Legacy(), lawful.WithoutLoad, "2025-06-18"))
	})
	t.Run("a proxy", func(t *testing.T) {
		t.Parallel()
		server := (&fakeserver.Server{Revisions: revisions, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}).Legacy()
		lawful.NothingSaid(t, overSSE(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Accel-Buffering", "no")
			w.Header().Set("Access-Control-Allow-Origin", "https://inspector.example")
			w.Header().Set("Mcp-Session-Id", "of-the-proxy")
			server.ServeHTTP(w, r)
		}), lawful.Carriage))
	})
}

// TestStreamsByTurns: a server that fails while a stream is open, and closes that one then,
// has not looked at the Origin that it failed on.
func TestStreamsByTurns(t *testing.T) {
	t.Parallel()
	server := (&fakeserver.Server{Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}).Legacy()
	var mu sync.Mutex
	var closes context.CancelFunc
	report := overSSE(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Origin")
		if r.Method != http.MethodGet {
			server.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		mu.Lock()
		open := closes
		closes = cancel
		if open != nil {
			open()
			closes = nil
		}
		mu.Unlock()
		if open != nil {
			http.Error(w, "already connected", http.StatusInternalServerError)
			return
		}
		server.ServeHTTP(w, r.WithContext(ctx))
	}), func(_ suite.Suite, s suite.Case) bool { return s.ID == "http/sse-origin-stream" })
	if len(report.Findings) != 1 || report.Findings[0].Status != reports.Skip {
		t.Errorf("a stream that is refused for another reason decides on Origin: %+v", report.Findings)
	}
}

// TestStreamIsTakenOver: a server with one stream for all clients sends each client the
// messages of others. The kit reports that, and judges everything else as if the server
// had one client.
func TestStreamIsTakenOver(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), SSE: fakeserver.SSE{Newest: true}}
	report := overSSE(t, server.Legacy(), lawful.Everything)
	passed, told := 0, map[string]reports.Status{}
	for _, f := range report.Findings {
		switch f.Status {
		case reports.Pass:
			passed++
		case reports.Fail, reports.Warn, reports.Error:
			told[f.Case] = f.Status
		case reports.Skip:
		}
	}
	delete(told, "jsonrpc/result-for-request") // whether an astray answer has the id of a request there is chance
	want := map[string]reports.Status{"jsonrpc/ids-scoped-to-sender": reports.Fail, "jsonrpc/single-response": reports.Fail}
	if !maps.Equal(told, want) || passed < 100 {
		t.Errorf("told of %v, want %v; %d passed", told, want, passed)
	}
}

// TestTransportIsFound: one URL may serve either transport: the newer one is tried first.
func TestTransportIsFound(t *testing.T) {
	t.Parallel()
	old := &fakeserver.Server{Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	legacy, current := old.Legacy(), old.Handler()
	both := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !strings.HasPrefix(r.URL.Path, "/messages/") {
			current.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	}
	streams := func(w http.ResponseWriter, r *http.Request) { // for any request at its URL
		if r.URL.Path == "/sse" {
			r.Method = http.MethodGet
		}
		legacy.ServeHTTP(w, r)
	}
	type target = config.Target
	for name, tt := range map[string]struct {
		handler http.Handler
		target  func(url string) target
		over    config.Transport
		want    []requirements.Transport
	}{
		"an old one, any request":  {http.HandlerFunc(streams), func(u string) target { return target{URL: u + "/sse"} }, config.Auto, []requirements.Transport{requirements.SSE}},
		"an old endpoint":          {old.Legacy(), func(u string) target { return target{URL: u + "/sse"} }, config.Auto, []requirements.Transport{requirements.SSE}},
		"the old revision, newer":  {old.Handler(), func(u string) target { return target{URL: u + "/mcp"} }, config.Auto, []requirements.Transport{requirements.HTTP}},
		"either at one URL":        {http.HandlerFunc(both), func(u string) target { return target{URL: u + "/mcp"} }, config.Auto, []requirements.Transport{requirements.HTTP}},
		"the one that is asked":    {old.Legacy(), func(u string) target { return target{URL: u + "/mcp"} }, config.SSE, []requirements.Transport{requirements.SSE}},
		"two URLs":                 {http.HandlerFunc(both), func(u string) target { return target{URL: u + "/mcp", SSEURL: u + "/sse"} }, config.Auto, []requirements.Transport{requirements.SSE, requirements.HTTP}},
		"the old of two":           {http.HandlerFunc(both), func(u string) target { return target{URL: u + "/mcp", SSEURL: u + "/sse"} }, config.SSE, []requirements.Transport{requirements.SSE}},
		"the old one by its own":   {old.Legacy(), func(u string) target { return target{SSEURL: u + "/sse"} }, config.Auto, []requirements.Transport{requirements.SSE}},
		"nothing, if newer wanted": {old.Legacy(), func(u string) target { return target{URL: u + "/sse"} }, config.HTTP, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listening := httptest.NewServer(tt.handler)
			defer listening.Close()
			cfg := config.Default()
			cfg.Target, cfg.Transport, cfg.Wait.Event = tt.target(listening.URL), tt.over, time.Second
			report := proof.Judge(t, plan.Plan{Config: cfg, Seed: 1, Timeout: 20 * time.Second, Selected: func(s suite.Suite, _ suite.Case) bool {
				return s.Name == "lifecycle" || s.Name == "http"
			}})
			var got []requirements.Transport
			for _, c := range report.Verdict.Columns {
				got = append(got, c.Transport)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n%s", diff, report.Verdict.Text)
			}
		})
	}
}

// TestUnreachableOverSSE: the reason why the kit cannot use HTTP+SSE is reported once.
func TestUnreachableOverSSE(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		style fakeserver.SSE
		says  []string
	}{
		"no endpoint event":   {fakeserver.SSE{Silent: true}, []string{"no endpoint event came in time", "event of type endpoint has to come first"}},
		"another host":        {fakeserver.SSE{First: "event: endpoint\ndata: http://other.example/\n\n"}, []string{"leads to another host, other.example"}},
		"answers in the body": {fakeserver.SSE{OnlyBody: true}, []string{"no answer within", "in the body of the POST?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{SSE: tt.style}
			wantUnjudged(t, server.Legacy(), tt.says...)
		})
	}
	wantUnjudged(t, http.NotFoundHandler(), "answered with HTTP status 404", "is the path right (often /sse)")
	wantUnjudged(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}), "the server wants a login")
	wantUnjudged(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": bye\n\n")
	}), "the server ended the event stream")
}

// TestHostOfSSE: a server that lets any Origin in, and no foreign Host, is warned: that is
// what becomes of it over Streamable HTTP, too.
func TestHostOfSSE(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		checked      []string
		stream, post reports.Status
	}{
		"checked":                {[]string{http.MethodGet, http.MethodPost}, reports.Warn, reports.Warn},
		"not checked":            {nil, reports.Fail, reports.Fail},
		"checked in posts alone": {[]string{http.MethodPost}, reports.Fail, reports.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := (&fakeserver.Server{
				Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
			}).Legacy()
			report := overSSE(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.Host, "evil") && slices.Contains(row.checked, r.Method) {
					http.Error(w, "no such host", http.StatusForbidden)
					return
				}
				r.Header.Del("Origin")
				server.ServeHTTP(w, r)
			}), lawful.Carriage)
			got := map[string]reports.Status{}
			for _, f := range report.Findings {
				got[f.Case] = f.Status
			}
			if got["http/sse-origin-stream"] != row.stream || got["http/sse-origin-post"] != row.post {
				t.Errorf("the stream: %q, want %q; the post: %q, want %q",
					got["http/sse-origin-stream"], row.stream, got["http/sse-origin-post"], row.post)
			}
		})
	}
}

func wantUnjudged(t *testing.T, handler http.Handler, says ...string) {
	t.Helper()
	cfg := config.Default()
	cfg.Transport = config.SSE
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Handler: handler, SSE: "/sse"}, Timeout: time.Second, StartTimeout: time.Second,
	})
	if report.Verdict.Status != reports.Unjudged {
		t.Errorf("the verdict is %s", report.Verdict.Status)
	}
	for _, want := range says {
		if !strings.Contains(report.Verdict.Text, want) {
			t.Errorf("%q does not say %q", report.Verdict.Text, want)
		}
	}
}
