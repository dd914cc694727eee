// Package lawful judges servers that keep every rule, however unusual they are: nothing
// may be held against them. Only tests import it.
package lawful

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Row is a server that only does things that the specification allows or
// leaves open.
type Row struct {
	Name   string
	Server *fakeserver.Server
	// Over is the transport to judge; empty: all cases over stdio, and over HTTP
	// the cases that depend on it.
	Over requirements.Transport
	// Warned are the cases that may warn, since the behaviour is doubtful.
	Warned []string
	// Judged are cases that may not end as skipped, over the transport of the row.
	Judged []string
	// Config is the text of a configuration that fills roles, as in mcp-conform.yaml. A
	// case that needs a role is skipped where the role is not filled.
	Config string
}

// Servers judges the lawful servers of a page by the cases of all pages: no
// case fails or warns. A case of the suite with that name has to pass at
// least one of the servers. A suite for 2026-07-28 alone needs none of them, since
// these servers know only revisions with a handshake: Stateless judges one that
// does.
func Servers(t *testing.T, suite string, rows []Row) {
	t.Helper()
	t.Parallel()
	judged := &atomic.Bool{}
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			if row.judge(t, suite) {
				judged.Store(true)
			}
		})
	}
	t.Cleanup(func() {
		if !t.Failed() && !judged.Load() {
			t.Errorf("no case of %s comes to a verdict on a lawful server here: add a row that declares and shows what the cases need, "+
				"and fills their roles with Config", suite)
		}
	})
}

// judge fails the test for each finding against the server, and reports
// whether a case of the suite came to a verdict.
func (r Row) judge(t *testing.T, suite string) bool {
	t.Helper()
	overHTTP := &plan.Local{Handler: r.Server.Handler(), Path: "/mcp"}
	local := &plan.Local{Serve: r.Server.Serve}
	if r.Over == requirements.HTTP {
		local = overHTTP
	}
	cfg := settings(t, r.Config)
	report := judge(t, cfg, local, r.selection())
	NothingSaid(t, report, r.Warned...)
	for _, f := range report.Findings {
		if f.Reason != nil && slices.Contains(r.Judged, f.Case) {
			t.Errorf("%s is skipped, want it judged: %s", f.Case, f.Reason.Text)
		}
	}
	if r.Over == "" {
		NothingSaid(t, judge(t, cfg, overHTTP, Carriage), r.Warned...)
	}
	return ran(report.Findings, suite)
}

// ran reports whether a case of the suite came to a verdict: what was skipped, for
// whatever reason, shows nothing of a server.
func ran(findings []reports.Finding, suite string) bool {
	return slices.ContainsFunc(findings, func(f reports.Finding) bool { return f.Suite == suite && f.Reason == nil })
}

// settings reads the configuration of a row.
func settings(t *testing.T, text string) config.Config {
	t.Helper()
	cfg, err := config.Parse(config.FileName, []byte(text), func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Wait.Event = time.Second // a lawful server may stay silent: do not wait long for it
	return cfg
}

// selection are the cases that can see the unusual habit of the server.
func (r Row) selection() Selection {
	if http := r.Server.HTTP; r.Over == requirements.Stdio || http.Events || http.Message != nil {
		return Everything
	}
	return WithoutLoad
}

// Judge judges a server without a configuration.
func Judge(t *testing.T, local *plan.Local, selected Selection) reports.Report {
	t.Helper()
	return judge(t, settings(t, ""), local, selected)
}

func judge(t *testing.T, cfg config.Config, local *plan.Local, selected Selection) reports.Report {
	t.Helper()
	return proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: selected})
}

// NothingSaid fails for each finding but passes and skips. The named cases may
// warn.
func NothingSaid(t *testing.T, report reports.Report, warned ...string) {
	t.Helper()
	if report.Verdict.Status == reports.Unjudged {
		t.Fatal(report.Verdict.Text)
	}
	for _, f := range report.Findings {
		if f.Status == reports.Warn && slices.Contains(warned, f.Case) {
			continue
		}
		switch f.Status {
		case reports.Fail, reports.Warn, reports.Error:
			t.Errorf("%s %s at %s over %s: %s\n%s\n%v", f.Status, f.Case, f.Revision, f.Transport, f.Problem, f.Rule, f.Frames)
		case reports.Pass, reports.Skip:
		}
	}
}
