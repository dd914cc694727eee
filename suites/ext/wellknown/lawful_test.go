package wellknown_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/wellknown"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const kind = "application/json; charset=utf-8"

// beside is a server with a document at the well-known path.
func beside(contentType, body string) *fakeserver.Server {
	s := &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "resources"), Tools: fakeserver.Tools(1)}
	s.Tools[0]["description"] = "Says it."
	s.Resources = []map[string]any{{"uri": "note://1", "name": "Note"}}
	s.HTTP.Around = func(mcp http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/.well-known/mcp.json" {
				mcp.ServeHTTP(w, r)
				return
			}
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				http.Error(w, "read only", http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write([]byte(body))
		})
	}
	return s
}

const (
	// In the words of the proposal's sample: null counts as absent, and a property with
	// another name is ignored.
	sample = `{"name":"Rigged","description":"A server.","schemaVersion":"2025-11-25","transport":["stdio","streamable-http","pigeon"],
"language":"typescript","authentication":null,"meta":null,"git":{"repository":"git@git.example:acme/rigged.git","commitSHA":"3b18e512dba79e4c8300dd08aeb37f8e728b8dad"},
"features":[{"name":"tool_0","title":null,"description":"Says it.","type":"tool","meta":null,"outputType":"text","annotations":null,
"inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"What."}},"required":["text"]}},
{"name":"note://1","description":"The first note.","type":"resource"}]}`
	sparse = `{"name":"r","description":"d","schemaVersion":"2026-07-28","transport":["sse"],"language":"go","features":[],` +
		`"git":{"repository":"https://git.example/r","commitSHA":"3B18E512DBA79E4C8300DD08AEB37F8E728B8DAD"},"vendor":{"x":1}}`
	card = `{"$schema":"https://cards.example/server-card.json","name":"example/rigged","version":"1.0.0","remotes":[{"type":"streamable-http","url":"https://rigged.example/mcp"}]}`
	old  = `{"serverInfo":{"name":"rigged","version":"1"},"protocolVersion":"2025-06-18","endpoint":"/mcp"}`
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-well-known", []lawful.Row{
		{Name: "the sample of the proposal", Server: beside(kind, sample), Over: requirements.HTTP},
		{Name: "no features, and another revision", Server: beside("application/vnd.acme+json", sparse), Over: requirements.HTTP},
		{Name: "a server card", Server: beside(kind, card), Over: requirements.HTTP},
		{Name: "an older card, and the document is claimed", Server: beside(kind, old), Over: requirements.HTTP, Config: "claims: [well-known]"},
		{Name: "something else", Server: beside("text/html", "<h1>Rigged</h1>"), Over: requirements.HTTP},
	})
}

// What the configuration claims has to be there; the address may be another.
func TestClaimed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		page   http.HandlerFunc
		status reports.Status
	}{
		"nothing":       {page: http.NotFound, status: reports.Fail},
		"a login":       {page: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, status: reports.Fail},
		"an overload":   {page: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, status: reports.Skip},
		"a redirect":    {page: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/about", http.StatusFound) }, status: reports.Skip},
		"a bare object": {page: func(w http.ResponseWriter, _ *http.Request) { send(w, `{"name":"x"}`) }, status: reports.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fakeserver.Server{}
			s.HTTP.Around = func(mcp http.Handler) http.Handler {
				mux := http.NewServeMux()
				mux.Handle("/mcp", mcp)
				mux.HandleFunc("/.well-known/mcp.json", row.page)
				return mux
			}
			cfg := config.Default()
			cfg.Claims.Forced, cfg.Wait.Event = []string{"well-known"}, 300*time.Millisecond
			report := proof.Judged(t, plan.Plan{
				Config: cfg, Local: &plan.Local{Handler: s.Handler(), Path: "/mcp"}, Suites: []suite.Suite{wellknown.Suite()},
			})
			for _, f := range report.Findings {
				if f.Case == "ext-well-known/served" && f.Status != row.status {
					t.Errorf("%s: %s", f.Status, f.Problem)
				}
				if f.Case == "ext-well-known/required" && (f.Status == reports.Fail) != (row.status == reports.Pass) {
					t.Errorf("%s: %s", f.Status, f.Problem)
				}
			}
		})
	}
}

func send(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(body))
}
