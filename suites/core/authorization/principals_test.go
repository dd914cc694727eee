package authorization_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// asSecond judges a server by a case that needs a second principal, and returns the finding.
// The server knows the credentials of the first one alone.
func asSecond(t *testing.T, row guarded) reports.Finding {
	t.Helper()
	const relies = "http/session-of-another-principal"
	row.sessions = true
	cfg, err := config.Parse("harbour.yaml", []byte("principals:\n  second: {token: harbour-token-misspelt}\n"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Wait.Event = time.Second
	local := plan.Local{Handler: row.handler(row.server(true).Handler()), Path: "/mcp"}
	login := func(string) ([]roles.Filled, error) {
		fields := roles.Fields{"first": roles.Fields{"token": harbourToken}, "second": roles.Fields{"token": "harbour-token-misspelt"}}
		return []roles.Filled{{Name: roles.Principals, Source: roles.Config, Fields: fields}}, nil
	}
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: plan.Rigged(local, plan.Rig{Login: login}), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == relies },
	})
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings, want that of %s: %s", len(report.Findings), relies, report.Verdict.Text)
	}
	return report.Findings[0]
}

// TestUnknownCredentials: a case that relies on a principal with a wrong token is skipped,
// with the place of the token. A pass would say that the server tells callers apart.
func TestUnknownCredentials(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]guarded{
		"initialize": {refuse: challenging("Bearer")},
		"tools/list": {refuse: challenging("Bearer"), free: greeting()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := asSecond(t, row)
			want := "the credentials at harbour.yaml:2 make no difference: " + name + " with them is refused (HTTP status 401), as it is without any"
			if f.Status != reports.Skip || f.Reason == nil || f.Reason.Role != "principals.second" || f.Reason.Text != want {
				t.Errorf("%s %+v, want a skip: %s", f.Status, f.Reason, want)
			}
		})
	}
}

// TestUnneededCredentials: where everybody gets the same, the report says so beside the
// verdict.
func TestUnneededCredentials(t *testing.T) {
	t.Parallel()
	f := asSecond(t, guarded{refuse: challenging("Bearer"), free: greeting("tools/list", "tools/call", "DELETE")})
	const want = "the credentials of principals.second at harbour.yaml:2 make no difference to tools/list: its result is the same without any"
	if !slices.Contains(f.Notes, want) || !strings.Contains(strings.Join(f.Notes, "\n"), "principals.first make no difference") {
		t.Errorf("%s %+v with the notes %q, want %q", f.Status, f.Reason, f.Notes, want)
	}
	if f.Status == reports.Fail {
		t.Errorf("fail: %s", f.Problem)
	}
}
