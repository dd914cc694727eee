// Package dialects judges servers that are written in the many ways which a proposal
// allows, as translations of the reference server. Only tests import it.
package dialects

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Page is what servers are judged by: suites, with a configuration that differs from
// that of the reference server.
type Page struct {
	Suites     []suite.Suite
	Extensions []string // of the servers; nil: all
	Config     func(*config.Config)
	NotedBy    string // the one case whose notes count; empty: any
}

// A Row is a lawful server. Every case passes but for those that are named, by what
// stands behind the slash of their ids, with blanks between them.
type Row struct {
	Name   string
	Server Translator
	Config func(*config.Config) // what differs from the configuration of the page

	Warns     string
	Unseen    string // skipped, since nothing is there to judge
	Undecided string
	Skips     string // skipped for whatever reason
	Noted     string // stands in some note
	Dialect   string // what the report calls it; empty: not looked at
}

// Judge is the report on one server. Changes of the configuration may be nil.
func (p Page) Judge(t *testing.T, tr Translator, change func(*config.Config)) reports.Report {
	t.Helper()
	tr.Options.Extensions = p.Extensions
	cfg := proof.Config(t)
	for _, change := range []func(*config.Config){p.Config, change} {
		if change != nil {
			change(&cfg)
		}
	}
	return proof.Judged(t, plan.Plan{Config: cfg, Local: tr.local(t), Suites: p.Suites})
}

// Dialects judges each row.
func (p Page) Dialects(t *testing.T, rows []Row) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			row.check(t, p.Judge(t, row.Server, row.Config), p.NotedBy)
		})
	}
}

func (r Row) check(t *testing.T, report reports.Report, notedBy string) {
	t.Helper()
	var notes []string
	for _, f := range report.Findings {
		if f.Reason != nil && f.Reason.Kind == reports.OtherTransport {
			continue
		}
		_, slug, _ := strings.Cut(f.Case, "/")
		if notedBy == "" || slug == notedBy {
			notes = append(notes, f.Notes...)
		}
		got := string(f.Status)
		if f.Status == reports.Skip {
			got = string(f.Reason.Kind)
		}
		if got == string(reports.NotApplicable) {
			got = string(reports.NotSeen)
		}
		want := r.want(slug)
		if got != want && (want != string(reports.Skip) || f.Status != reports.Skip) {
			t.Errorf("%s is %s, want %s: %s %+v", f.Case, got, want, f.Problem, f.Reason)
		}
	}
	if !strings.Contains(strings.Join(notes, "\n"), r.Noted) {
		t.Errorf("the notes are %q, want %q among them", notes, r.Noted)
	}
	if r.Dialect != "" && report.Target.Extensions[0].Dialect != r.Dialect {
		t.Errorf("the dialect is %s, want %s", report.Target.Extensions[0].Dialect, r.Dialect)
	}
}

// want is the status of a case, or the reason why it is skipped.
func (r Row) want(slug string) string {
	for want, slugs := range map[string]string{
		string(reports.Warn): r.Warns, string(reports.NotSeen): r.Unseen, string(reports.Undecided): r.Undecided, string(reports.Skip): r.Skips,
	} {
		if slices.Contains(strings.Fields(slugs), slug) {
			return want
		}
	}
	return string(reports.Pass)
}
