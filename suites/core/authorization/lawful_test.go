package authorization_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestLawful includes a token that is valid for some methods only. More servers that ask
// for a token are in TestLawfulAuthorization.
func TestLawful(t *testing.T) {
	beyond := func(w http.ResponseWriter, body []byte) bool {
		var r fakeserver.Request
		if json.Unmarshal(body, &r) != nil || r.Method != "tools/list" && r.Method != "tools/call" {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="tools"`)
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	lawful.Servers(t, "authorization", []lawful.Row{
		{Name: "a method beyond the scope of the token", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Before: beyond},
		}, Over: requirements.HTTP},
		{Name: "a token for everything", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Around: guarded{
				pages: map[string]string{byPath: elsewhere}, refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`),
			}.handler},
		}, Over: requirements.HTTP, Config: "principals: {first: {token: " + harbourToken + "}}"},
	})
}

// harbourToken is the token that the servers here accept.
const harbourToken = "harbour-token-of-the-first"

// A guarded server requires the token, and refuses other requests in its own way.
type guarded struct {
	name string
	// refuse answers a request without the token or with another one; base is the origin.
	refuse func(w http.ResponseWriter, r *http.Request, base string)
	// pages are served without a token; BASE in them stands for the origin.
	pages map[string]string
	page  func(w http.ResponseWriter, r *http.Request) bool
	free  []string // methods of MCP and HTTP that are served without a token
	key   bool     // the token is an API key in the header X-Api-Key
	// offers are the capabilities; nil: tools.
	offers    []string
	revisions []string // nil: the newest with a handshake
	sessions  bool     // the server has sessions; others may have some
	stream    bool     // GET opens a stream
	// warned are the cases that may warn; passed are the cases that must pass.
	warned, passed []string
}

// challenging refuses with the given challenges; BASE in them stands for the origin.
func challenging(challenges ...string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, base string) {
		for _, c := range challenges {
			w.Header().Add("WWW-Authenticate", strings.ReplaceAll(c, "BASE", base))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"error":"invalid_token","error_description":"who are you?"}`)
	}
}

// server is the server behind the guard.
func (g guarded) server(sessions bool) *fakeserver.Server {
	offers := g.offers
	if offers == nil {
		offers = []string{"tools"}
	}
	s := &fakeserver.Server{
		Revisions: g.revisions, Capabilities: fakeserver.Offers(offers...), Tools: fakeserver.Tools(2),
		HTTP: fakeserver.HTTP{Sessions: g.sessions || sessions},
	}
	if g.stream {
		s.HTTP.Get = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}
	return s
}

func (g guarded) handler(behind http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		base := "http://" + r.Host
		if text, ok := g.pages[r.URL.Path]; ok && r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(text, "BASE", base))
			return
		}
		shown := r.Header.Get("Authorization") == "Bearer "+harbourToken
		if g.key {
			shown = r.Header.Get("X-Api-Key") == harbourToken
		}
		switch {
		case g.page != nil && g.page(w, r):
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
		case shown, slices.Contains(g.free, r.Method), r.Method == http.MethodPost && slices.Contains(g.free, fakeserver.MethodOf(r)):
			behind.ServeHTTP(w, r)
		default:
			g.refuse(w, r, base)
		}
	})
}

const (
	byPath    = "/.well-known/oauth-protected-resource/mcp"
	byRoot    = "/.well-known/oauth-protected-resource"
	elsewhere = `{"resource":"BASE/mcp","authorization_servers":["https://login.example"]}`
	fails     = `, error="invalid_token"`
)

func guards() []guarded {
	const followed, found = "authorization/framework-followed", "authorization/metadata-found"
	framework := []string{followed, found, "authorization/metadata-readable", "authorization/unknown-token"}
	return []guarded{
		{name: "a key in a header of its own", key: true, refuse: challenging()},
		{name: "a fixed secret behind Bearer", warned: []string{followed}, refuse: challenging(`Bearer realm="harbour"`)},
		{name: "a password", key: true, refuse: challenging(`Basic realm="harbour, north"`)},
		{name: "metadata at a well-known URL, and no challenge", passed: framework,
			// The specification recommends a challenge, so its case warns.
			warned: []string{"authorization/challenge-without-token"},
			pages:  map[string]string{byPath: elsewhere}, refuse: refusingPlainly},
		{name: "metadata with all that may be in it", page: about, refuse: told(`Bearer resource_metadata="BASE/about/me", scope="a"`),
			passed: append(slices.Clone(framework), "authorization/metadata-types", "authorization/no-query-method")},
		{name: "metadata at the root", passed: framework, pages: map[string]string{byRoot: elsewhere}, refuse: told(`Bearer realm="x"`)},
		{name: "metadata where only the challenge says", passed: framework,
			pages: map[string]string{"/about/me": elsewhere}, refuse: told(`bearer resource_metadata="BASE/about/me"`)},
		{name: "metadata at another host", passed: []string{followed, found},
			refuse: told(`Bearer resource_metadata="https://login.example/harbour"`)},
		{name: "several schemes in several headers", passed: framework, pages: map[string]string{byPath: elsewhere},
			refuse: told(`Negotiate, DPoP algs="ES256, RS256" , Basic realm="a \" Bearer x=y"`, `Bearer realm = harbour,resource_metadata="BASE`+byPath+`",scope="a b"`)},
		{name: "tokens with a proof of possession", passed: append(slices.Clone(framework), "authorization/challenge-without-token"),
			pages: map[string]string{byPath: elsewhere}, refuse: told(`DPoP algs="ES256", resource_metadata="BASE` + byPath + `"`)},
		{name: "metadata behind a slash", passed: framework, refuse: told(`Bearer resource_metadata="BASE/meta"`),
			pages: map[string]string{"/meta/": elsewhere}, page: func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/meta" {
					http.Redirect(w, r, "/meta/", http.StatusTemporaryRedirect)
				}
				return r.URL.Path == "/meta"
			}},
		{name: "a website around it that has a page for every address", warned: []string{followed}, refuse: challenging("Bearer"),
			page: func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/mcp" {
					_, _ = fmt.Fprint(w, "<html>welcome</html>")
				}
				return r.URL.Path != "/mcp"
			}},
		{name: "behind a proxy that renames it", passed: append(slices.Clone(framework), "authorization/metadata-names-endpoint"),
			pages:  map[string]string{byPath: `{"resource":"https://public.example/mcp","authorization_servers":["https://login.example"]}`},
			refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`)},
		{name: "the origin is its name, in capitals", passed: append(slices.Clone(framework), "authorization/metadata-names-endpoint"),
			pages:  map[string]string{byRoot: strings.ReplaceAll(strings.ReplaceAll(elsewhere, "BASE/mcp", "BASE"), `"http`, `"HTTP`)},
			refuse: told(`Bearer resource_metadata="BASE` + byRoot + `"`)},
		{name: "greets everybody, and lists its tools to whoever has a token", passed: framework, free: []string{"initialize", "notifications/initialized", "ping"},
			// The server answers the greeting without a token.
			pages: map[string]string{byPath: elsewhere}, refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`)},
		{name: "open to all", free: []string{"initialize", "notifications/initialized", "ping", "tools/list", "tools/call"},
			pages: map[string]string{byPath: elsewhere}, refuse: challenging("Bearer")},
	}
}

// about serves metadata in full, with properties of its own and of a language, and the media
// type in capitals.
func about(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/about/me" {
		return false
	}
	w.Header().Set("Content-Type", "Application/JSON;charset=UTF-8")
	_, _ = fmt.Fprintf(w, `{"resource":"http://%s/mcp","authorization_servers":["https://login.example"],"scopes_supported":["a","b"],
		"bearer_methods_supported":["header","body"],"resource_name":"Harbour","resource_name#fr":"Port","jwks_uri":"https://login.example/keys",
		"dpop_bound_access_tokens_required":false,"dpop_signing_alg_values_supported":["ES256"],"resource_signing_alg_values_supported":[],
		"vendor":7}`, r.Host)
	return true
}

// told adds error to the challenge only if the request shows a token, and answers 400 to
// malformed credentials.
func told(challenges ...string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, base string) {
		all := slices.Clone(challenges)
		switch r.Header.Get("Authorization") {
		case "":
		case "Bearer":
			http.Error(w, "no token", http.StatusBadRequest)
			return
		default:
			all[len(all)-1] += fails
		}
		challenging(all...)(w, r, base)
	}
}

// refusingPlainly sends a challenge only to a request with a bad token.
func refusingPlainly(w http.ResponseWriter, r *http.Request, base string) {
	if r.Header.Get("Authorization") == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	told("Bearer realm=x")(w, r, base)
}

// access judges a server by the authorization cases and all watchers, and by the ping
// page in place of all other pages.
func access(t *testing.T, local *plan.Local) reports.Report {
	t.Helper()
	cfg := config.Default()
	cfg.Wait.Event = time.Second
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, c suite.Case) bool {
			return c.Watch != nil || s.Name == "authorization" || s.Name == "ping" || c.ID == "lifecycle/init-response"
		},
	})
	return report
}

// TestLawfulAuthorization expects no finding about servers that the authorization pages
// allow, with a token and without one.
func TestLawfulAuthorization(t *testing.T) {
	t.Parallel()
	for i, row := range allGuards() {
		for _, token := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, token %t", row.name, token), func(t *testing.T) {
				t.Parallel()
				behind := row.server(i%2 == 0)
				var rig plan.Rig
				if token {
					rig.Login = row.login
				}
				report := access(t, plan.Rigged(plan.Local{Handler: row.handler(behind.Handler()), Path: "/mcp"}, rig))
				lawful.NothingSaid(t, report, row.warned...)
				if token || len(row.free) == 0 {
					wantPassed(t, report, row.passed...)
				}
			})
		}
	}
}

// TestUsualAddressesOfAuthorization: at 2025-03-26 a server may omit metadata, because
// clients look at /authorize then.
func TestUsualAddressesOfAuthorization(t *testing.T) {
	t.Parallel()
	row := guarded{refuse: challenging("Bearer")}
	for revision, want := range map[string]reports.Status{"2025-03-26": reports.Skip, "2025-06-18": reports.Warn} {
		behind := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Revisions: []string{revision}}
		cfg := config.Default()
		cfg.Wait.Event, cfg.Revisions = time.Second, config.Revisions{Dates: []string{revision}}
		report := proof.Judge(t, plan.Plan{
			Config: cfg, Local: plan.Rigged(plan.Local{Handler: row.handler(behind.Handler()), Path: "/mcp"}, plan.Rig{Login: row.login}), Seed: 1, Timeout: 20 * time.Second,
			Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "authorization/framework-followed" },
		})
		if len(report.Findings) != 1 || report.Findings[0].Status != want {
			t.Errorf("at %s: %+v, want %s", revision, report.Findings, want)
		}
	}
}

func (g guarded) login(string) ([]roles.Filled, error) {
	first := roles.Fields{"token": harbourToken}
	if g.key {
		first = roles.Fields{"headers": map[string]string{"X-Api-Key": harbourToken}}
	}
	return []roles.Filled{{Name: roles.Principals, Source: roles.Config, Fields: roles.Fields{"first": first}}}, nil
}

func wantPassed(t *testing.T, report reports.Report, cases ...string) {
	t.Helper()
	status := map[string]reports.Finding{}
	for _, f := range report.Findings {
		status[f.Case] = f
	}
	for _, id := range cases {
		if f := status[id]; f.Status != reports.Pass {
			t.Errorf("%s did not pass: %s %+v", id, f.Status, f.Reason)
		}
	}
}

// TestLocked: a server that requires a login but got no token is reported once, with the
// config key that holds the token. Its public answers are judged.
func TestLocked(t *testing.T) {
	t.Parallel()
	report := lawful.Judge(t, inprocess.Locked(), lawful.Everything)
	if report.Verdict.ExitCode != 3 || !strings.Contains(report.Verdict.Text, "principals.first.token") {
		t.Errorf("exit code %d: %s", report.Verdict.ExitCode, report.Verdict.Text)
	}
	var keys []string
	passed := 0
	for _, f := range report.Findings {
		switch {
		case f.Status == reports.Pass && f.Suite == "authorization":
			passed++
		case f.Status != reports.Skip:
			t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
		case f.Reason.Role == "principals.first.token":
			keys = append(keys, f.Case)
		case f.Suite == "ext-well-known" && f.Reason.Kind == reports.NotClaimed: // the document is looked for behind the login only
		case f.Suite != "authorization" && f.Reason.Kind != reports.Blocked && f.Reason.Kind != reports.OtherTransport:
			t.Errorf("%s is skipped: %+v", f.Case, f.Reason)
		}
	}
	if len(keys) != 1 || passed < 12 {
		t.Errorf("the key is named by %v, and %d cases of authorization passed", keys, passed)
	}
}

// TestLockedAndBroken: faults of such a server in its public answers are reported as
// well.
func TestLockedAndBroken(t *testing.T) {
	t.Parallel()
	f, ok := faults.Find("authorization-error-without-token")
	if !ok {
		t.Fatal("no such fault")
	}
	local := inprocess.Guarded(&f)
	rig := plan.RigOf(local)
	rig.Login, rig.Mint = nil, nil
	local = plan.Rigged(*local, rig)
	for _, finding := range access(t, local).Findings {
		if want := finding.Case == "authorization/no-error-without-token"; want != (finding.Status == reports.Warn) {
			t.Errorf("%s %s: %s %+v", finding.Status, finding.Case, finding.Problem, finding.Reason)
		}
	}
}

// TestTokensAreHidden: no report contains a part of a token, neither of a given token nor
// of a derived one, even if the server repeats it.
func TestTokensAreHidden(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	said := map[string]bool{}
	row := guarded{
		pages: map[string]string{byPath: elsewhere},
		refuse: func(w http.ResponseWriter, r *http.Request, _ string) {
			mu.Lock()
			defer mu.Unlock()
			if shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
				said[shown] = true
			}
			w.WriteHeader(http.StatusTeapot)
			_, _ = fmt.Fprintf(w, "no: %s", r.Header.Get("Authorization"))
		},
	}
	behind := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2)}
	report := access(t, plan.Rigged(plan.Local{Handler: row.handler(behind.Handler()), Path: "/mcp"}, plan.Rig{Login: row.login}))
	text := fmt.Sprintf("%+v", report.Findings)
	for token := range said {
		if !strings.HasPrefix(token, "mcp-conform-") && strings.Contains(text, token) {
			t.Errorf("the report shows %s", token)
		}
	}
	if strings.Contains(text, harbourToken) || len(said) < 3 || !strings.Contains(text, "418") {
		t.Errorf("the report shows the token, or not what was refused: %d tokens", len(said))
	}
}
