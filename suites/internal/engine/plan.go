// Package engine plans a run, gathers its findings concurrently, and turns violations
// into findings; no other package does that. It knows nothing of Ginkgo: package
// ginkgospecs waits for the findings here.
package engine

import (
	"context"
	"iter"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/nonce"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Plan is everything a run is asked to do: the plain plan, and what was made ready for
// it.
type Plan struct {
	plan.Plan
	Book    *specs.Book // of the suites
	Schemas *schemas.Library
	Secrets *config.Secrets // of the run: it learns those that come to light
	Ways    []connect.Way
	Kit     reports.Kit

	// Part says that only a few cases were selected: then the report need not list the
	// other revisions that the server speaks, which would cost a process each.
	Part    bool
	Lasting bool // the target outlives the run: what is left behind meets the next one

	// Mint gets a token for a scope and a resource in place of principals.token-command.
	Mint func(ctx context.Context, scope, resource string) (string, error)
}

// A Column is one revision over one transport.
type Column = requirements.Column

// applying yields the cases that apply to a column, in suite order.
func (p Plan) applying(col Column) iter.Seq[specs.Spec] { return p.Book.Of(p.Plan, col) }

// within gives a context that ends when the time of the whole run is over.
func (p Plan) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, p.Started.Add(p.Limit))
}

// caseLimit is how long one case may take: longer than its longest wait and
// a handful of answers that never come.
func (p Plan) caseLimit(answer time.Duration) time.Duration { return 6*answer + 2*p.Config.Wait.Max }

// nonce gives a source of fresh text for one purpose. A server that outlives the run may
// remember the texts of an earlier run with the same seed.
func (p Plan) nonce(parts ...string) func() string {
	if p.Lasting {
		parts = append(parts, p.Epoch.UTC().String())
	}
	return nonce.From(p.Seed, parts...)
}
