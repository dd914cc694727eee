package judge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A judging is one run and whoever watches it. Every wait of a run has a clock of its own;
// where one was forgotten, the watch reports what is known and leaves the run behind.
type judging struct {
	plan plan.Plan

	mu       sync.Mutex
	prepared *Prepared
	run      *engine.Run
}

// A watch gives a run that is cut short this long to end by itself, and to the report so
// far this long to be written: both together are less than ten seconds.
const (
	endWait    = 9 * time.Second
	reportWait = 500 * time.Millisecond
)

// judged is a report, or why there is none.
type judged struct {
	report reports.Report
	err    error
}

// watched carries the plan out, and returns soon after the run was cut short whatever
// happens.
func (j *judging) watched(ctx context.Context, show Show) (reports.Report, error) {
	all := make(chan judged, 1)
	go func() {
		r, err := j.whole(ctx, show)
		all <- judged{r, err}
	}()
	overdue := make(chan struct{})
	var rings sync.Once
	ring := func() { rings.Do(func() { close(overdue) }) }
	if j.plan.Limit > 0 {
		timer := time.AfterFunc(time.Until(j.plan.Started.Add(j.plan.Limit+endWait)), ring)
		defer timer.Stop()
	}
	late := time.AfterFunc(endWait, ring)
	late.Stop()
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { late.Reset(endWait) })()
	select {
	case done := <-all:
		return done.report, done.err
	case <-overdue:
		return j.soFar(ctx), nil
	}
}

// soFar is the report of a run that does not end. It asks the run in a goroutine of its
// own, since whatever holds the run may hold that, too.
func (j *judging) soFar(ctx context.Context) reports.Report {
	known := make(chan reports.Report, 1)
	go func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.run == nil {
			return
		}
		r := j.run.SoFar()
		j.prepared.ending(ctx, &r)
		known <- r.Map(j.prepared.Secrets.Hide)
	}()
	timer := time.NewTimer(reportWait)
	defer timer.Stop()
	var r reports.Report
	select {
	case r = <-known:
	case <-timer.C:
		plain := &Prepared{Plan: engine.Plan{Plan: j.plan, Kit: kitOf(j.plan)}}
		text := "cut short before anything was judged"
		if ctx.Err() != nil {
			text = reports.Interruption(false)
		}
		r = plain.unjudged(text)
		r = r.Map(config.NewSecrets(j.plan.Config).Hide)
	}
	r.Verdict.Remark(fmt.Sprintf("the run did not end within %s after it was cut short; it was left behind as it was", endWait))
	return r
}
