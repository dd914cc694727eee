package manifest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/manifest"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// served is a page beside the endpoint, and what it was asked with.
type served struct {
	kind string // Content-Type
	body string
	does func(w http.ResponseWriter, r *http.Request)

	mu    sync.Mutex
	asked []*http.Request
}

func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	s.mu.Unlock()
	if s.does != nil {
		s.does(w, r)
		return
	}
	w.Header().Set("Content-Type", s.kind)
	_, _ = w.Write([]byte(s.body))
}

func (s *served) seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func page(kind string, more object) *served {
	text, _ := json.Marshal(described(more))
	return &served{kind: kind, body: string(text)}
}

// A manifest may have an address beside the endpoint. What else is served there is
// not the kit's business, and what is wrong with it is no more than a note.
func TestAddress(t *testing.T) {
	t.Parallel()
	const asJSON = "application/json"
	for _, row := range []struct {
		name   string
		at     string // on the server; empty: /capabilities
		page   *served
		named  bool // the configuration names the address
		away   bool // on another host
		method bool // the server has the method too
		claims bool
		form   string // of the manifest; empty: there is none
		note   string
		failed []string
	}{
		{name: "alone", page: page(asJSON, nil), form: "W:/capabilities", note: "handed over by GET /capabilities only"},
		{name: "claimed", page: page(asJSON, nil), claims: true, form: "W:/capabilities"},
		{name: "beside the method", page: page(asJSON+"; charset=utf-8", object{"rate_limits": object{"remaining": 7}}), method: true, form: "M:get_manifest"},
		{name: "as text", page: page("text/plain", nil), method: true, form: "M:get_manifest", note: `serves the manifest as "text/plain"`},
		{name: "another document", page: page(asJSON, object{"tools": []any{}}), method: true, form: "M:get_manifest", note: "serves another document"},
		{name: "without a version", page: &served{kind: asJSON, body: `{"server":{},"tools":[]}`}},
		{name: "something else", page: &served{kind: "text/html", body: "<h1>What we can do</h1>"}},
		{name: "an error", page: &served{does: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "{}", http.StatusInternalServerError) }}},
		{name: "a redirect", page: &served{does: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}}},
		{name: "a stream that never ends", page: &served{does: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}}},
		{name: "silence", page: &served{does: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}},
		{name: "a body that never ends", page: &served{does: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", asJSON)
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
					return
				}
			}
		}}},
		{name: "nothing, and it is claimed", page: &served{does: http.NotFound}, claims: true, failed: []string{"ext-manifest/available"}},
		{name: "at an address that the configuration names", at: "/meta/manifest.json", named: true, page: page(asJSON, nil), form: "W:/capabilities"},
		{name: "at an address of another host", at: "/manifest", named: true, away: true, page: page(asJSON, nil), form: "W:/capabilities"},
		{name: "named, and not the one of the origin", at: "/manifest", page: page(asJSON, nil)},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			capabilities := object{}
			if row.claims {
				capabilities = claiming()
			}
			s := serving(capabilities)
			if row.method {
				s.Answer["get_manifest"] = as(described(nil))
			}
			at := row.at
			if at == "" {
				at = "/capabilities"
			}
			own, other := http.NewServeMux(), http.NewServeMux()
			own.Handle("/mcp", s.Handler())
			own.Handle("/elsewhere", page(asJSON, nil))
			if row.away {
				other.Handle(at, row.page)
			} else {
				own.Handle(at, row.page)
			}
			here, there := httptest.NewServer(own), httptest.NewServer(other)
			t.Cleanup(here.Close)
			t.Cleanup(there.Close)
			cfg := config.Default()
			cfg.Target.URL, cfg.Target.Headers = here.URL+"/mcp", map[string]string{"X-Own": "for the target"}
			cfg.Wait.Event, cfg.Limits.Frame = 5*time.Second, 1<<20
			if row.page.does != nil { // some of these are awaited in vain
				cfg.Wait.Event = 300 * time.Millisecond
			}
			if row.named {
				cfg.Target.CapabilitiesURL = here.URL + at
			}
			if row.away {
				cfg.Target.CapabilitiesURL = there.URL + at
			}
			r, err := judge.Judge(t.Context(), plan.Plan{Config: cfg, Suites: []suite.Suite{manifest.Suite()}, Seed: 1, Timeout: 20 * time.Second}, nil)
			if err != nil || r.Verdict.Status == reports.Unjudged {
				t.Fatal(err, r.Verdict.Text)
			}
			wantAddressed(t, r, row.form, row.note, row.failed)
			for _, asked := range row.page.seen() {
				if asked.Method != http.MethodGet || asked.Header.Get("Accept") != asJSON || (asked.Header.Get("X-Own") == "") != row.away {
					t.Errorf("asked with %s %s", asked.Method, asked.Header)
				}
			}
		})
	}
}

func wantAddressed(t *testing.T, r reports.Report, form, note string, failed []string) {
	t.Helper()
	var got []string
	for _, e := range r.Target.Extensions {
		got = append(got, e.Forms...)
	}
	if want := strings.Fields(form); !slices.Contains(got, form) && form != "" || form == "" && len(got) > 0 {
		t.Errorf("the forms are %v, want %v", got, want)
	}
	passed := 0
	for _, f := range r.Findings {
		if f.Status == reports.Pass {
			passed++
		}
		if f.Status != reports.Pass && f.Status != reports.Skip && !slices.Contains(failed, f.Case) {
			t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
		}
		if notes := strings.Join(f.Notes, " "); f.Case == "ext-manifest/available-form" && (!strings.Contains(notes, note) || form == "M:get_manifest" && note == "" && notes != "") {
			t.Errorf("the notes are %q, want one about %q", f.Notes, note)
		}
	}
	if (passed >= 20) != (form != "") {
		t.Errorf("%d cases passed", passed)
	}
}
