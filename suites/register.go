package suites

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/ginkgospecs"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
)

// Register adds the cases of a plan to the Ginkgo suite under construction, one spec
// per case and column. Call it outside of containers. It looks at the server at once,
// to find out which cases apply. Where filters or parallel processes pick some of the
// specs, each spec judges its own case; otherwise all cases are judged side by side,
// as by Judge. Each process looks at the server for itself; processes beside the first
// leave it to a server to end with its input.
func Register(ctx context.Context, p Plan) error {
	ready, err := judge.Prepare(ctx, p)
	if err != nil {
		return err
	}
	run, err := ready.Begin(ctx)
	if err != nil {
		ready.Target.Stop()
		return err
	}
	ginkgospecs.Register(&onDemand{Run: run, within: ctx}) //nolint:contextcheck // each spec has a context of its own, from Ginkgo
	ginkgospecs.After(func() {
		run.Close(context.WithoutCancel(ctx))
		ready.Target.Stop()
	})
	return nil
}

// onDemand starts the whole run with its first spec, if Ginkgo runs them all.
type onDemand struct {
	*engine.Run
	within context.Context
	first  sync.Once
}

func (o *onDemand) Await(ctx context.Context, s specs.Spec) (reports.Finding, error) {
	o.first.Do(func() {
		if ginkgospecs.Whole() {
			o.Start(o.within)
		}
	})
	return o.Run.Await(ctx, s)
}

// Run judges a server inside go test: a subtest per case and column, which
// fails, skips or passes with the finding. It logs warnings.
func Run(t *testing.T, p Plan) {
	t.Helper()
	report, err := Judge(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if report.Verdict.Status == reports.Unjudged {
		t.Fatal(report.Verdict.Text)
	}
	if report.Verdict.ExitCode > 1 {
		t.Errorf("the run did not come to its end: %s", report.Verdict.Text)
	}
	for _, f := range report.Findings {
		t.Run(fmt.Sprintf("%s/%s/%s", f.Revision, f.Transport, f.Case), func(t *testing.T) {
			switch f.Status {
			case reports.Fail, reports.Error:
				t.Error("\n" + text.Finding(f, 0))
			case reports.Warn:
				t.Log("\n" + text.Finding(f, 0))
			case reports.Skip:
				t.Skip(f.Reason.String())
			case reports.Pass:
			}
		})
	}
}
