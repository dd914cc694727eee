package idempotency

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// parallel is the faulty treatment of a call that repeats one still being served; done
// is false without a fault.
func (g *guard) parallel(call *core.ToolCall, e *entry, run next) (answer fault.Message, failure *core.Error, done bool) {
	if !g.runsParallel() || e.settled() {
		return nil, nil, false
	}
	e.closeRivalled.Do(func() { close(e.rivalled) })
	switch {
	case g.Faults.ConcurrentHangs:
		<-call.Stopped()
		return nil, stoppedMeanwhile(), true
	case g.Faults.ConcurrentInternal:
		return nil, &core.Error{Code: core.InternalError, Message: "the key is locked"}, true
	case g.Faults.ConcurrentEmpty:
		mark := map[string]any{"was_replay": true, "idempotency_key": e.id.key}
		return fault.Message{"content": []any{}, "_meta": mark}, nil, true
	default:
		answer, failure = run()
		return answer, failure, true
	}
}

func (g *guard) runsParallel() bool {
	return g.Faults.NotConcurrent || g.Faults.ConcurrentHangs || g.Faults.ConcurrentInternal || g.Faults.ConcurrentEmpty
}

// awaitParallel keeps a faulty server busy until a parallel call has come, so that the
// two meet; a single call waits only a moment.
func (g *guard) awaitParallel(call *core.ToolCall, e *entry) {
	if !g.runsParallel() {
		return
	}
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-e.rivalled:
	case <-timer.C:
	case <-call.Stopped():
	}
}
