package ginkgospecs

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
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

	ran := 0
	ginkgo.Describe("mcp-conform", func() { Register(r) })
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
	if want := len(r.Specs()); ran != want && ctx.Err() == nil {
		return fmt.Errorf("ginkgo ran %d of %d specs", ran, want)
	}
	return nil
}

// forever is longer than any run. The plan limits the time of the run.
const forever = 24 * 365 * 3600 * 1e9
