package ginkgospecs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
)

// verdict implements the part of testing.T that Ginkgo needs.
type verdict struct{ failed bool }

func (v *verdict) Fail() { v.failed = true }

//nolint:gochecknoglobals // Ginkgo has one tree of specs for a whole process
var tree sync.Mutex

// Run runs the specs of a run with Ginkgo inside an ordinary program. Ginkgo prints
// nothing; the run has a report of its own. Run returns an error when Ginkgo ran other
// specs than the run planned.
func Run(ctx context.Context, r *engine.Run) error {
	tree.Lock()
	defer tree.Unlock()
	globals.Reset() // a program may judge more than once
	out := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard
	defer func() { formatter.ColorableStdOut = out }()

	// Nobody sees the tree, so it has no containers: Ginkgo copies them with each spec. Ginkgo
	// sorts the specs by their places; so it has to move none of them.
	specs, ran := r.Specs(), 0
	slices.SortStableFunc(specs, byPlace)
	for i := range specs {
		register(r, &specs[i], showFailure) //nolint:contextcheck // each spec has a context of its own, from Ginkgo
	}
	ginkgo.ReportAfterEach(func(s types.SpecReport) {
		// Ginkgo also reports specs that a filter left out.
		if s.LeafNodeType == types.NodeTypeIt && s.NumAttempts > 0 {
			ran++
		}
	})
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.Timeout = forever
	reporterConfig.Succinct, reporterConfig.NoColor = true, true
	ginkgo.RunSpecs(&verdict{}, "mcp-conform", suiteConfig, reporterConfig)
	if ran != len(specs) && ctx.Err() == nil {
		return fmt.Errorf("ginkgo ran %d of %d specs", ran, len(specs))
	}
	return nil
}

// showFailure shows what decides whether the suite passes. Nobody reads the rest, and Ginkgo
// takes a trace of the stack for each spec that is skipped, much of it after the last case.
func showFailure(f reports.Finding) {
	if f.Status == reports.Fail || f.Status == reports.Error {
		fail(f)
	}
}

func byPlace(a, b specs.Spec) int {
	file, line := a.Location()
	other, there := b.Location()
	return cmp.Or(cmp.Compare(file, other), cmp.Compare(line, there))
}

// forever is longer than any run. The plan limits the time of the run.
const forever = 24 * 365 * 3600 * 1e9
