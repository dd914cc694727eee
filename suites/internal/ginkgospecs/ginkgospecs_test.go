package ginkgospecs_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/ginkgospecs"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// findings is a source whose findings are there already.
type findings struct {
	specs []specs.Spec
	of    map[string]reports.Finding
}

func (f findings) Specs() []specs.Spec { return f.specs }

func (f findings) Await(_ context.Context, s specs.Spec) (reports.Finding, error) {
	found, ok := f.of[s.Case.ID]
	if !ok {
		return found, errors.New("the run is over")
	}
	return found, nil
}

type verdict struct{ failed bool }

func (v *verdict) Fail() { v.failed = true }

// run shows a source to Ginkgo and returns what Ginkgo makes of it.
func run(t *testing.T, from ginkgospecs.Source) (types.Report, bool) {
	t.Helper()
	globals.Reset()
	out := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard
	defer func() { formatter.ColorableStdOut = out }()
	var report types.Report
	ginkgo.Describe("mcp-conform", func() { ginkgospecs.Register(from) })
	ginkgo.ReportAfterSuite("keep", func(r types.Report) { report = r })
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	reporterConfig.Succinct = true
	var v verdict
	ginkgo.RunSpecs(&v, "mcp-conform", suiteConfig, reporterConfig)
	return report, v.failed
}

func passes(*probe.Client) error { return nil }

// plan lays out cases, by the names of their suites, in every revision that
// the server speaks.
func plan(t *testing.T, cases map[string][]suite.Case, revisions ...string) *engine.Run {
	t.Helper()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err = catalogue.With(requirements.Requirement{ID: "try-one", Area: "try", Clauses: []requirements.Clause{{
		Since: requirements.R20241105, Level: requirements.Must, Basis: requirements.Keyword, Page: "try", Text: "A rule to try.",
	}}})
	if err != nil {
		t.Fatal(err)
	}
	p := engine.Plan{
		Secrets: config.NewSecrets(config.Default()), Schemas: schemas.Load(),
		Ways: []connect.Way{{Transport: requirements.Stdio, Launcher: target.Memory{Serve: (&fakeserver.Server{Revisions: revisions}).Serve}}},
	}
	p.Config, p.Jobs, p.Timeout, p.Started = config.Default(), 2, 10*time.Second, time.Now()
	p.Config.Revisions = config.Revisions{All: true}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for i := range cases[name] {
			cases[name][i].Checks, cases[name][i].Title = []requirements.ID{"try-one"}, "keeps "+cases[name][i].ID
		}
		p.Suites = append(p.Suites, suite.Suite{Name: name, Cases: cases[name]})
	}
	p.Book = specs.NewBook(p.Suites, catalogue)
	g, err := engine.Begin(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// named are cases that pass.
func named(ids ...string) []suite.Case {
	var cases []suite.Case
	for _, id := range ids {
		cases = append(cases, suite.Case{ID: id, Lane: suite.Fresh, Run: passes})
	}
	return cases
}

// Each finding becomes a spec of its own that passes, skips or fails with it.
func TestOutcomes(t *testing.T) {
	cases := named("a/pass", "a/warn", "a/skip", "a/fail", "a/error", "a/cut")
	source := findings{specs: plan(t, map[string][]suite.Case{"a": cases}).Specs(), of: map[string]reports.Finding{
		"a/pass":  {Case: "a/pass", Status: reports.Pass},
		"a/warn":  {Case: "a/warn", Status: reports.Warn, Problem: "p"},
		"a/skip":  {Case: "a/skip", Status: reports.Skip, Reason: &reports.Reason{Kind: reports.NoRole, Text: "nothing fills it"}},
		"a/fail":  {Case: "a/fail", Status: reports.Fail, Problem: "p", Rule: "r", Link: "l", Fix: "f"},
		"a/error": {Case: "a/error", Status: reports.Error, Problem: "ours"},
	}}
	report, failed := run(t, source)
	type outcome struct {
		State   types.SpecState
		Message string
		Warning string
	}
	got := map[string]outcome{}
	for _, r := range report.SpecReports.WithLeafNodeType(types.NodeTypeIt) {
		id, title, _ := strings.Cut(r.LeafNodeText, ": ")
		if title != "keeps "+id || filepath.Base(r.LeafNodeLocation.FileName) != "ginkgospecs_test.go" {
			t.Errorf("%s is called %q and stands in %s", id, title, r.LeafNodeLocation.FileName)
		}
		o := outcome{State: r.State, Message: r.Failure.Message}
		entries := map[string]string{}
		for _, e := range r.ReportEntries {
			entries[e.Name] = e.StringRepresentation()
		}
		o.Warning = entries["warning"]
		if shown := strings.Contains(entries["finding"], " "+id+" "); shown != (id != "a/cut") {
			t.Errorf("%s holds %q", id, entries["finding"])
		}
		got[id] = o
	}
	want := map[string]outcome{
		"a/pass":  {State: types.SpecStatePassed},
		"a/warn":  {State: types.SpecStatePassed, Warning: "a/warn: p"},
		"a/skip":  {State: types.SpecStateSkipped, Message: "no role: nothing fills it"},
		"a/fail":  {State: types.SpecStateFailed, Message: "p\nrule: r\nl\nfix: f"},
		"a/error": {State: types.SpecStateFailed, Message: "ours\nrule: \n\nfix: "},
		"a/cut":   {State: types.SpecStateFailed, Message: "interrupted: the run is over"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !failed {
		t.Error("Ginkgo has not failed")
	}
}

// The specs are those that were planned, by column and suite, with labels.
func TestTree(t *testing.T) {
	passed := reports.Finding{Status: reports.Pass}
	source := findings{
		specs: plan(t, map[string][]suite.Case{"a": named("a/1", "a/2"), "b": named("b/1")}, "2025-06-18", "2025-11-25").Specs(),
		of:    map[string]reports.Finding{"a/1": passed, "a/2": passed, "b/1": passed},
	}
	report, failed := run(t, source)
	var got []string
	for _, r := range report.SpecReports.WithLeafNodeType(types.NodeTypeIt) {
		got = append(got, strings.Join(r.ContainerHierarchyTexts, " > ")+" > "+r.LeafNodeText+" "+strings.Join(r.Labels(), ","))
	}
	var want []string
	for _, revision := range []string{"2025-11-25", "2025-06-18"} {
		for _, id := range []string{"a/1", "a/2", "b/1"} {
			want = append(want, fmt.Sprintf("mcp-conform > %[1]s over stdio > %[2]c > %[3]s: keeps %[3]s suite:%[2]c,level:MUST,revision:%[1]s,transport:stdio",
				revision, id[0], id))
		}
	}
	// Ginkgo has an order of its own.
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || failed {
		t.Error(failed, diff)
	}
}

// gathering is a run of two cases, one of which fails.
func gathering(t *testing.T) *engine.Run {
	t.Helper()
	g := plan(t, map[string][]suite.Case{"try": {
		{ID: "try/pass", Lane: suite.Fresh, Run: passes},
		{ID: "try/fail", Lane: suite.Fresh, Run: func(*probe.Client) error { return &probe.Violation{Problem: "p"} }},
	}})
	g.Start(t.Context())
	t.Cleanup(func() { g.Close(context.WithoutCancel(t.Context())) })
	return g
}

// A gathering goes through Ginkgo in silence, more than once in a program, and
// what it found is not Ginkgo's to change.
func TestRun(t *testing.T) {
	stdout := os.Stdout
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = write
	for range 2 {
		g := gathering(t)
		if err := ginkgospecs.Run(t.Context(), g); err != nil {
			t.Error(err)
		}
		if r := g.Report(); len(r.Findings) != 2 || r.Verdict.ExitCode != 1 {
			t.Errorf("got %+v", r.Verdict)
		}
	}
	os.Stdout = stdout
	_ = write.Close()
	if said, err := io.ReadAll(read); err != nil || len(said) > 0 {
		t.Errorf("it said %q, %v", said, err)
	}
}

// Specs that Ginkgo leaves out are told, unless the run was cut short.
func TestLeftOut(t *testing.T) {
	if err := flag.Set("ginkgo.focus", "try/fail"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set("ginkgo.focus", "") }()
	g := gathering(t)
	if err := ginkgospecs.Run(t.Context(), g); err == nil || err.Error() != "ginkgo ran 1 of 2 specs" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ginkgospecs.Run(ctx, g); err != nil {
		t.Errorf("got %v", err)
	}
}
