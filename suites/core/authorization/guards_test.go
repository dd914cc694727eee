package authorization_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// greeting are the methods of the opening, and ping.
func greeting(more ...string) []string {
	return append([]string{"initialize", "notifications/initialized", "ping"}, more...)
}

// mixedGuards are servers that guard a part of what they serve.
func mixedGuards() []guarded {
	named := told(`Bearer resource_metadata="BASE` + byPath + `"`)
	documents := map[string]string{byPath: elsewhere}
	open := greeting("resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get")
	return []guarded{
		{name: "serves its tools to whoever has a token, and the rest to everybody", pages: documents, refuse: named,
			offers: []string{"resources", "prompts", "tools"}, free: open,
			passed: []string{"authorization/every-request", "authorization/unknown-token"}},
		{name: "leaves the streams and ends of its sessions to everybody", pages: documents, refuse: named, stream: true,
			sessions: true, free: greeting(http.MethodGet, http.MethodDelete)},
		{name: "shows people a page at the endpoint", pages: documents, refuse: named, sessions: true,
			page: func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || r.URL.Path != "/mcp" {
					return false
				}
				w.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprint(w, "<html>an MCP server</html>")
				return true
			}},
		{name: "open to all, without tools", offers: []string{"resources"}, refuse: named, free: append(open, "tools/list")},
	}
}

// neighbours are servers on a host that has metadata of something else.
func neighbours() []guarded {
	const other = `{"resource":"BASE/","scopes_supported":["offline_access"]}`
	readable := []string{"authorization/metadata-readable", "authorization/authorization-servers-named", "authorization/resource-without-slash"}
	return []guarded{
		{name: "another API at the root of the host", passed: readable, refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`),
			pages: map[string]string{byPath: elsewhere, byRoot: other}},
		{name: "another API at the root, and metadata that nothing names", passed: readable, refuse: told(`Bearer realm="x"`),
			pages: map[string]string{byPath: elsewhere, byRoot: other}},
		{name: "another API at the root, and metadata at another host", refuse: told(`Bearer resource_metadata="https://login.example/harbour"`),
			pages: map[string]string{byRoot: other}},
		{name: "an authorization server in a network of one's own", passed: readable[1:2], refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`),
			pages: map[string]string{byPath: strings.ReplaceAll(elsewhere, "https://login.example", "http://keycloak:8080/realms/harbour")}},
		{name: "a key in a header, beside another API with metadata", key: true, refuse: challenging(),
			pages: map[string]string{byRoot: strings.ReplaceAll(other, "BASE/", "BASE/api")}},
		{name: "an authorization server behind a path of the same host", revisions: []string{"2025-03-26"},
			refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`), pages: map[string]string{
				byPath: strings.ReplaceAll(elsewhere, "https://login.example", "BASE/auth"),
				"/.well-known/oauth-authorization-server/auth": `{"issuer":"BASE/auth"}`,
			}},
		{name: "no challenge for a missing token at 2025-03-26", revisions: []string{"2025-03-26"}, refuse: refusingPlainly,
			pages: map[string]string{byPath: elsewhere}, warned: []string{"authorization/challenge-without-token"}},
	}
}

// allGuards are all servers that refuse clients in a lawful way.
func allGuards() []guarded { return slices.Concat(guards(), mixedGuards(), neighbours()) }

// remembering lets requests in that name a session which showed the token before.
func remembering(row guarded, behind http.Handler) http.Handler {
	var sessions sync.Map
	guard := row.handler(behind)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		if id != "" && r.Header.Get("Authorization") == "Bearer "+harbourToken {
			sessions.Store(id, true)
		}
		if _, known := sessions.Load(id); known {
			behind.ServeHTTP(w, r)
			return
		}
		guard.ServeHTTP(w, r)
	})
}

// TestGuardedInPart: a server that guards only its tools, and takes a session that had the
// token once for the token, is found.
func TestGuardedInPart(t *testing.T) {
	t.Parallel()
	row := guarded{
		pages: map[string]string{byPath: elsewhere}, refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`),
		offers: []string{"resources", "tools"}, free: greeting("resources/list", "resources/templates/list"), sessions: true,
	}
	local := plan.Local{Handler: remembering(row, row.server(true).Handler()), Path: "/mcp"}
	report := access(t, plan.Rigged(local, plan.Rig{Login: row.login}))
	for _, f := range report.Findings {
		if want := f.Case == "authorization/every-request"; want != (f.Status == reports.Fail) {
			t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
		}
	}
}

// TestAnyTextIsAToken: a server that takes any token gets one finding.
func TestAnyTextIsAToken(t *testing.T) {
	t.Parallel()
	row := guarded{pages: map[string]string{byPath: elsewhere}, refuse: told(`Bearer resource_metadata="BASE` + byPath + `"`)}
	guard, behind := row.handler(row.server(false).Handler()), row.server(false).Handler()
	local := plan.Local{Path: "/mcp", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && token != "" {
			behind.ServeHTTP(w, r)
			return
		}
		guard.ServeHTTP(w, r)
	})}
	report := access(t, plan.Rigged(local, plan.Rig{Login: row.login}))
	for _, f := range report.Findings {
		if want := f.Case == "authorization/unknown-token"; want != (f.Status == reports.Fail) {
			t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
		}
	}
}
