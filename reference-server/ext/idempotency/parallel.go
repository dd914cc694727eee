package idempotency

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// parallel does what a faulty server does with a call whose like is still
// being served; done is false when nothing is wrong.
func (g *guard) parallel(call *core.ToolCall, e *entry, run next) (answer fault.Message, failure *core.Error, done bool) {
	if !g.careless() || e.settled() {
		return nil, nil, false
	}
	e.rival.Do(func() { close(e.rivalled) })
	switch {
	case g.Faults.ConcurrentHangs:
		<-call.Stopped()
		return nil, stoppedMeanwhile(), true
	case g.Faults.ConcurrentInternal:
		return nil, &core.Error{Code: core.InternalError, Message: "the key is locked"}, true
	default:
		answer, failure = run()
		return answer, failure, true
	}
}

func (g *guard) careless() bool {
	return g.Faults.NotConcurrent || g.Faults.ConcurrentHangs || g.Faults.ConcurrentInternal
}

// dawdle keeps a careless server busy until a parallel call has come, so that
// the two do meet; a call that is alone is not kept for long.
func (g *guard) dawdle(call *core.ToolCall, e *entry) {
	if !g.careless() {
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
