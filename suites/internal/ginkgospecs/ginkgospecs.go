// Package ginkgospecs shows findings to Ginkgo: one spec per case and column waits for its
// finding, and then passes, skips or fails. The package reads nothing back from Ginkgo
// except which specs Ginkgo selected.
package ginkgospecs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
)

// A Source waits for the finding of a spec and returns it.
type Source interface {
	Specs() []specs.Spec
	Await(ctx context.Context, s specs.Spec) (reports.Finding, error)
}

// Register adds the specs to the Ginkgo tree. Ginkgo drops top-level specs from a preview,
// so every spec stands in the container of its suite, inside the container of its column.
func Register(from Source) {
	for i, all := 0, from.Specs(); i < len(all); {
		column := all[i].Column
		j := i
		for j < len(all) && all[j].Column == column {
			j++
		}
		// At the top level Ginkgo calls this function only when Ginkgo runs the suite.
		part := all[i:j]
		ginkgo.Describe(column.String(), func() { registerColumn(from, part) })
		i = j
	}
}

// Whole reports whether this process runs every spec: no filter selects some of them, and
// no other process runs the rest.
func Whole() bool {
	c, _ := ginkgo.GinkgoConfiguration()
	picked := len(c.FocusStrings) + len(c.SkipStrings) + len(c.FocusFiles) + len(c.SkipFiles) + len(c.LabelFilter) + len(c.SemVerFilter)
	return picked == 0 && c.ParallelTotal < 2 && !c.DryRun && !c.FailFast
}

// After runs when all specs of the surrounding Ginkgo suite are done.
func After(end func()) {
	ginkgo.ReportAfterSuite("mcp-conform lets go of the server", func(ginkgo.Report) { end() })
}

func registerColumn(from Source, all []specs.Spec) {
	for i := 0; i < len(all); {
		s := all[i].Suite
		j := i
		for j < len(all) && all[j].Suite.Name == s.Name {
			j++
		}
		ginkgo.Describe(s.Name, func() {
			for at := i; at < j; at++ {
				register(from, &all[at], show)
			}
		})
		i = j
	}
}

func register(from Source, s *specs.Spec, show func(reports.Finding)) {
	labels := ginkgo.Label(
		"suite:"+s.Suite.Name, "level:"+string(s.Level()),
		"revision:"+string(s.Column.Revision), "transport:"+string(s.Column.Transport))
	file, line := s.Location()
	where := types.CodeLocation{FileName: file, LineNumber: line}
	// No NodeTimeout: it would end a spec whose case is queued late.
	ginkgo.It(s.Case.ID+": "+s.Case.Title, labels, where, func(ctx ginkgo.SpecContext) {
		f, err := from.Await(ctx, *s)
		if err != nil {
			ginkgo.Fail("interrupted: " + err.Error())
			return
		}
		show(f)
	})
}

func show(f reports.Finding) {
	ginkgo.AddReportEntry("finding", ginkgo.ReportEntryVisibilityFailureOrVerbose, text.Finding(f, 0))
	switch f.Status {
	case reports.Pass:
	case reports.Warn:
		// Ginkgo has no warnings; this entry and the report tell them.
		ginkgo.AddReportEntry("warning", ginkgo.ReportEntryVisibilityAlways, f.Case+": "+f.Problem)
	case reports.Skip:
		ginkgo.Skip(f.Reason.String())
	default:
		fail(f)
	}
}

func fail(f reports.Finding) {
	ginkgo.Fail(fmt.Sprintf("%s\nrule: %s\n%s\nfix: %s", f.Problem, f.Rule, f.Link, f.Fix))
}
