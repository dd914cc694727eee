// Package specs shows findings to Ginkgo: one spec per case and column, which
// waits for its finding and passes, skips or fails with it. Nothing is read
// back from Ginkgo but which specs it selected.
package specs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
)

// A Source gives the finding of a spec once it is there.
type Source interface {
	Specs() []engine.Spec
	Await(ctx context.Context, s engine.Spec) (reports.Finding, error)
}

// Register adds the specs to the Ginkgo tree that is being built. Ginkgo drops
// bare specs from a preview, so each stands in a container: its column, then
// its suite.
func Register(from Source) {
	for i, all := 0, from.Specs(); i < len(all); {
		column := all[i].Column
		j := i
		for j < len(all) && all[j].Column == column {
			j++
		}
		// At the top level Ginkgo calls the function only when it runs the suite.
		part := all[i:j]
		ginkgo.Describe(column.String(), func() { registerColumn(from, part) })
		i = j
	}
}

// Whole reports whether Ginkgo was asked for every spec, in this process: it names
// them all beforehand then.
func Whole() bool {
	c, _ := ginkgo.GinkgoConfiguration()
	picked := len(c.FocusStrings) + len(c.SkipStrings) + len(c.FocusFiles) + len(c.SkipFiles) + len(c.LabelFilter) + len(c.SemVerFilter)
	return picked == 0 && c.ParallelTotal < 2 && !c.DryRun && !c.FailFast
}

// After runs when all specs of the surrounding Ginkgo suite are done.
func After(end func()) {
	ginkgo.ReportAfterSuite("mcp-conform lets go of the server", func(ginkgo.Report) { end() })
}

func registerColumn(from Source, specs []engine.Spec) {
	for i := 0; i < len(specs); {
		s := specs[i].Suite
		j := i
		for j < len(specs) && specs[j].Suite.Name == s.Name {
			j++
		}
		ginkgo.Describe(s.Name, func() {
			for _, spec := range specs[i:j] {
				register(from, spec)
			}
		})
		i = j
	}
}

func register(from Source, s engine.Spec) {
	labels := ginkgo.Label(
		"suite:"+s.Suite.Name, "level:"+string(s.Level()),
		"revision:"+string(s.Column.Revision), "transport:"+string(s.Column.Transport))
	file, line := s.Location()
	where := types.CodeLocation{FileName: file, LineNumber: line}
	// No NodeTimeout: a finding that is queued late would be lost to it.
	ginkgo.It(s.Case.ID+": "+s.Case.Title, labels, where, func(ctx ginkgo.SpecContext) {
		f, err := from.Await(ctx, s)
		if err != nil {
			ginkgo.Fail("interrupted: " + err.Error())
			return
		}
		show(f)
	})
}

func show(f reports.Finding) {
	if text, err := json.MarshalIndent(f, "", "  "); err == nil {
		ginkgo.AddReportEntry("finding", ginkgo.ReportEntryVisibilityFailureOrVerbose, string(text))
	}
	switch f.Status {
	case reports.Pass:
	case reports.Warn:
		// Ginkgo has no warning; the entry above and the report tell it.
		ginkgo.AddReportEntry("warning", ginkgo.ReportEntryVisibilityAlways, f.Case+": "+f.Problem)
	case reports.Skip:
		ginkgo.Skip(f.Reason.String())
	default:
		ginkgo.Fail(fmt.Sprintf("%s\nrule: %s\n%s\nfix: %s", f.Problem, f.Rule, f.Link, f.Fix))
	}
}
