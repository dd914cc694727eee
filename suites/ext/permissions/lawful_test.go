package permissions_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/permissions"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const everyRole = `
wait: {event: 1s, default-ttl: 1s, max: 10s}
roles:
  read-only-tool: {tool: show}
  state-change: {tool: book, observe: {tool: tally, arguments: {of: book}, mode: count}}
  denied: {tool: close, arguments: {for: good}, observe: {tool: tally, arguments: {of: close}, mode: count}}
  scopes: {grantable: [see, book], deniable: [rule]}
`

// judged leaves out the cases that wait, unless the test is about one of them.
func judged(t *testing.T, local *plan.Local, file, waits string) reports.Report {
	t.Helper()
	cfg, err := config.Parse("mcp-conform.yaml", []byte(file), func(string) (string, bool) { return "", false },
		config.Known{Roles: pages.Roles(pages.All())})
	if err != nil {
		t.Fatal(err)
	}
	return proof.Judged(t, plan.Plan{
		Config: cfg, Local: local, Suites: []suite.Suite{permissions.Suite()},
		Selected: func(_ suite.Suite, c suite.Case) bool {
			return c.Lane != suite.Waits || c.ID == "ext-permissions/"+waits
		},
	})
}

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-permissions", []lawful.Row{
		{Name: "says before a call whether it is allowed, and has no sessions", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:permissions"), Tools: fakeserver.Tools(2), Answer: fakeserver.Answers{
				"permissions/check": func(r fakeserver.Request) any {
					switch name, _ := r.Params["tool"].(string); name {
					case "":
						return &fakeserver.Error{Code: -32602, Message: "tool is missing"}
					case "tool_0":
						return map[string]any{"allowed": true}
					default:
						return map[string]any{"allowed": false, "reason": "not for you"}
					}
				},
			},
		}},
	})
}

// Servers that are right in one of the many ways that the proposal leaves open are
// not blamed; what each of them gets beside passes is in its row.
func TestLawfulYards(t *testing.T) {
	t.Parallel()
	without := strings.Fields(`scopes-per-tool deny-holds-record denial-details denial-suggestion session-token-inactive session-ttl-as-declared
		session-grant-bound`)
	negotiation := strings.Fields(`negotiate-denied-reason negotiate-unknown-scope negotiate-required-empty negotiate-required-string
		granted-requested granted-not-denied granted-or-denied granted-none session-shape session-scopes session-ttl-bounded session-token-works
		session-token-bounds session-token-random session-token-altered session-token-expires
		session-token-narrows session-token-random-own-rights session-token-expires-own-rights session-token-unguessable`)
	tokens := strings.Fields(`session-token-works session-token-bounds session-token-random session-token-altered session-token-expires
		session-token-narrows session-token-random-own-rights session-token-expires-own-rights`)
	for _, row := range []struct {
		name  string
		yard  *yard
		file  string
		warns []string
		skips []string // beside those that every yard has
		dated string   // the one that is not skipped
	}{
		{name: "judges by the scopes that it is told of", yard: &yard{sessions: true}, dated: "session-token-expires"},
		{name: "judges by the rights of the caller", yard: &yard{sessions: true, byRights: true}},
		{name: "rules that depend on the arguments", yard: &yard{sessions: true, stormOnly: true}, skips: []string{"check-denied-required-scopes"}},
		{name: "older names", yard: &yard{sessions: true, older: true}},
		{name: "tools that are not listed", yard: &yard{sessions: true, asTools: true}, warns: []string{"check-shape", "negotiate-shape"}},
		{name: "tokens beside name and arguments", yard: &yard{sessions: true, beside: true}},
		{name: "nothing is told of scopes", yard: &yard{sessions: true, mute: true},
			skips: []string{"check-denied-required-scopes"}},
		{name: "nothing is told of scopes, and rights count", yard: &yard{sessions: true, mute: true, byRights: true},
			skips: append(slices.Clone(tokens), "check-denied-required-scopes")},
		{name: "errors instead of results", yard: &yard{sessions: true, refusals: true}},
		// Each case sees its own bookings, so that cases run side by side.
		{name: "one session at a time", yard: &yard{sessions: true, alone: true},
			file: strings.NewReplacer("tool: book,", `tool: book, arguments: {by: "${nonce}"},`, "of: book}", `of: book, by: "${nonce}"}`).
				Replace(everyRole)},
		{name: "nothing is booked without a session", yard: &yard{sessions: true, strict: true}, dated: "session-grant-bound",
			skips: strings.Fields("session-token-narrows session-token-random-own-rights session-token-expires-own-rights")},
		{name: "the names of the text", yard: &yard{sessions: true, texts: true}},
		{name: "no sessions", yard: &yard{}, warns: []string{"negotiate-shape"}, skips: negotiation},
		{name: "an answer as short as can be", yard: &yard{sessions: true, omit: []string{"elevation_url"}}},
		{name: "only a check, and no roles", yard: &yard{}, file: "wait: {event: 1s}\n", skips: append(slices.Clone(negotiation),
			strings.Fields(`check-shape-denied check-denied check-denied-missing-scopes check-denied-required-scopes denied-reason
			denied-elevation-url check-pure allow-holds deny-holds deny-holds-no-effect held-not-trusted negotiate-shape`)...)},
		{name: "several principals, and a process that may do everything", yard: &yard{sessions: true, byRights: true, everything: true},
			file: everyRole + "principals: {first: {env: {WHO: owner}}, limited: {headers: {X-Who: guest}}}\n",
			skips: strings.Fields(`check-denied check-denied-missing-scopes check-denied-required-scopes denied-reason denied-elevation-url
				deny-holds deny-holds-no-effect held-not-trusted session-token-bounds`)},
		{name: "a manifest says how long sessions live", yard: &yard{sessions: true, manifest: object{
			"manifest_version": "0.1.0", "server": object{"name": "yard"}, "auth": object{"session_ttl_seconds": 3600},
		}}, dated: "session-ttl-as-declared"},
		{name: "a manifest whose numbers all have a fraction", yard: &yard{sessions: true, manifest: object{
			"manifest_version": "0.1.0", "server": object{"name": "yard"}, "auth": object{"session_ttl_seconds": json.Number("3600.0")},
		}}, dated: "session-ttl-as-declared"},
		{name: "sessions that end unused", yard: &yard{sessions: true, idle: 1}, dated: "session-token-inactive"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			file := row.file
			if file == "" {
				file = everyRole
			}
			server := row.yard.server()
			skips := slices.DeleteFunc(append(row.skips, without...), func(slug string) bool { return slug == row.dated })
			for _, f := range judged(t, &plan.Local{Serve: server.Serve}, file, row.dated).Findings {
				slug := strings.TrimPrefix(f.Case, "ext-permissions/")
				want := reports.Pass
				switch {
				case slices.Contains(row.warns, slug):
					want = reports.Warn
				case slices.Contains(skips, slug):
					want = reports.Skip
				}
				if f.Status != want && (f.Reason == nil || f.Reason.Kind != reports.Deselected) {
					t.Errorf("%s %s, want %s: %s %+v", f.Status, f.Case, want, f.Problem, f.Reason)
				}
			}
		})
	}
}

// A call that is done, although the file and the check say that it is refused, is one finding,
// which says where the kit has it from.
func TestDoneAllTheSame(t *testing.T) {
	t.Parallel()
	server := (&yard{everything: true, record: true}).server()
	for _, f := range judged(t, &plan.Local{Serve: server.Serve}, everyRole, "").Findings {
		switch f.Case {
		case "ext-permissions/deny-holds":
			if f.Status != reports.Warn || !strings.Contains(f.Problem, "roles.denied") {
				t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
			}
		case "ext-permissions/held-not-trusted", "ext-permissions/deny-holds-no-effect", "ext-permissions/deny-holds-record":
			if f.Status != reports.Skip || !strings.Contains(f.Reason.Text, "deny-holds judges") {
				t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
			}
		}
	}
}

// A record beside the refusal is judged; its absence is not.
func TestRecordsOfRefusals(t *testing.T) {
	t.Parallel()
	for _, refusals := range []bool{false, true} {
		server := (&yard{record: true, refusals: refusals}).server()
		for _, f := range judged(t, &plan.Local{Serve: server.Serve}, everyRole, "").Findings {
			slug := strings.TrimPrefix(f.Case, "ext-permissions/")
			if slices.Contains([]string{"deny-holds-record", "denial-details", "denial-suggestion"}, slug) && f.Status != reports.Pass {
				t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
			}
		}
	}
}

// A server that reads the header alone is served, and is not told that it reads
// nothing.
func TestHeaderAlone(t *testing.T) {
	t.Parallel()
	token := regexp.MustCompile(`"(io\.github\.mcp-extension-proposals/)?session_token":"[^"]*",?`)
	inner := inprocess.Server(nil).Handler
	local := &plan.Local{Path: inprocess.Path, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		body = bytes.ReplaceAll(token.ReplaceAll(body, nil), []byte(",}"), []byte("}"))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		inner.ServeHTTP(w, r)
	})}
	passed := 0
	for _, f := range judged(t, local, string(referenceserver.Config), "").Findings {
		if f.Status == reports.Fail || f.Status == reports.Warn {
			t.Errorf("%s %s at %s: %s", f.Status, f.Case, f.Revision, f.Problem)
		}
		if f.Status == reports.Pass && f.Case == "ext-permissions/session-token-works" {
			passed++
		}
	}
	if passed == 0 {
		t.Error("no token worked, so this shows nothing")
	}
}

// What shows that a server has the extension where it does not say so.
func TestEvidence(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, claim, where string
		yard               *yard
		listed             bool
	}{
		{name: "claimed", claim: "explicit", where: "capabilities.extensions", yard: &yard{}},
		{name: "the method answers", claim: "strong", where: "an answer to permissions/check", yard: &yard{unclaimed: true}},
		{name: "an older name answers", claim: "strong", where: "an answer to can_execute", yard: &yard{unclaimed: true, older: true}},
		{name: "a tool that is not listed", claim: "weak", where: "an answer of the tool check_permissions", yard: &yard{unclaimed: true, asTools: true}},
		{name: "a read-only tool", claim: "weak", where: "an answer of the tool check_permissions", yard: &yard{unclaimed: true, asTools: true}, listed: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := row.yard.server()
			if row.listed {
				server.Tools = append(server.Tools, fakeserver.Tool("check_permissions", true))
			}
			report := judged(t, &plan.Local{Serve: server.Serve}, everyRole, "")
			var claim, where string
			if found := report.Target.Extensions; len(found) > 0 {
				claim, where = found[0].Claim, found[0].Where
			}
			if claim != row.claim || where != row.where {
				t.Errorf("%q in %q, want %q in %q", claim, where, row.claim, row.where)
			}
			for _, f := range report.Findings {
				if f.Status == reports.Fail || f.Status == reports.Pass && row.claim == "" {
					t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
				}
			}
		})
	}
}
