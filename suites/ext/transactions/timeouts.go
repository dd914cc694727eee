package transactions

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func timeouts() []suite.Case {
	return []suite.Case{
		bench.In(suite.Waits, stepped("timeout", "a transaction that is idle for longer than its timeout is rolled back, with all its steps",
			"ext-transaction-timeout",
			"roll the whole transaction back by a timer when nothing is heard of it for timeout_seconds", timeout)),
		bench.In(suite.Waits, stepped("commit-lasts", "what was committed stays when the timeout of its transaction is over",
			"ext-transaction-commit",
			"stop the timer of a transaction with its commit", commitLasts)),
		bench.In(suite.Waits, stepped("timeout-idle", "each step gives a transaction its whole timeout again", "ext-transaction-timeout-idle",
			"count timeout_seconds from the last step, not from transaction/begin", timeoutIdle)),
		bench.In(suite.Waits, stepped("timeout-default", "a transaction without a timeout stays open while its client works, and not for ever",
			"ext-transaction-timeout-default",
			"let a transaction be idle for 300 seconds when timeout_seconds is missing, and roll it back then", timeoutDefault)),
	}
}

// patience is how long a timeout is, in seconds, and what surely is longer. A
// configuration with short default lifetimes stands for a server with an exact clock.
func patience(w probe.Waits) (seconds int, margin time.Duration) {
	if w.DefaultTTL <= time.Second {
		return 1, time.Second / 2
	}
	return 3, 3 * time.Second
}

func timeout(b *bench.Bench) error {
	const seconds = 1
	_, margin := patience(b.Waits())
	w := usualForm(b)
	calls := steps(b, 2)
	id := inTime(b, w, seconds, calls)
	wait := seconds*time.Second + margin
	proposal.Pause(b.Client, wait)
	for _, call := range calls {
		b.Must(wantUndone(b, call, fmt.Sprintf("%s without a step, in a transaction with timeout_seconds 1", wait)))
	}
	return wantOver(b, id)
}

func commitLasts(b *bench.Bench) error {
	w := usualForm(b)
	stays := func(seconds int, wait time.Duration) error {
		calls := steps(b, 1)
		id := open(b, seconds) // once: one that was given up would undo its step meanwhile
		runAll(b, w, id, calls)
		end(b, commitMethod(), id)
		_, same := b.Look(calls[0], false)
		b.NotSeenIf(same, "the effect of a step is not seen after the commit, which ext-transactions/commit judges")
		proposal.Pause(b.Client, wait)
		return b.WantEffect(calls[0], fmt.Sprintf("%s, in a transaction with timeout_seconds %d that was committed at once", wait, seconds))
	}
	const brief, long = 1, 60
	_, margin := patience(b.Waits())
	wait := brief*time.Second + margin
	gone := stays(brief, wait)
	if gone == nil {
		return nil
	}
	// Where a long timeout changes nothing, such an effect goes by itself.
	b.UndecideIf(stays(long, wait) != nil, "what a step does is gone after "+wait.String()+", whatever the timeout of its transaction")
	return gone
}

// inTime runs steps in a transaction with a short timeout. A server that is too slow
// for it is tried anew.
func inTime(b *bench.Bench, w way, seconds int, calls []bench.Watched) (id string) {
	var why error
	for range 3 {
		began := time.Now()
		id = open(b, seconds)
		why = b.Try(func() { runAll(b, w, id, calls) })
		if why == nil || time.Since(began) < time.Duration(seconds)*time.Second/2 {
			break
		}
	}
	b.Must(why)
	return id
}

func timeoutIdle(b *bench.Bench) error {
	seconds, _ := patience(b.Waits())
	seconds = max(seconds, 2) // the server may be busy with other things
	whole := time.Duration(seconds) * time.Second
	w := usualForm(b)
	calls := steps(b, 3)
	id := open(b, seconds)
	last := time.Now()
	for _, call := range calls {
		proposal.Pause(b.Client, whole*9/20)
		b.UndecideIf(time.Since(last) > whole*9/10, "the server answers too slowly for a timeout this short")
		last = time.Now()
		s := runStep(b, request{way: w, transaction: id, call: call.ToolCall})
		if !proposal.Done(s.Reply) {
			return b.Said.Violation("%s, want its result, since timeout_seconds is %d",
				s.AnswerTo(fmt.Sprintf("a step %s after the one before", whole*9/20)), seconds)
		}
	}
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	if !proposal.Done(a.Reply) {
		return b.Said.Violation("%s, want a result", a.AnswerTo("the commit of a transaction that was never idle for long"))
	}
	b.Over(probe.JSON(id))
	return nil
}

// The default timeout, and what surely is longer. Only who sets wait.max to that much
// waits so long.
const (
	idle     = 300 * time.Second
	tooLong  = idle + 5*time.Second
	longOpen = idle * 4 / 5
)

func timeoutDefault(b *bench.Bench) error {
	w := usualForm(b)
	id, _ := withoutTimeout(b, w)
	wait := min(b.Waits().DefaultTTL, longOpen)
	proposal.Pause(b.Client, wait)
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	if !proposal.Done(a.Reply) {
		return b.Said.Violation("%s, want a result, since no timeout was asked for",
			a.AnswerTo(fmt.Sprintf("a commit %s after the last step", wait)))
	}
	b.Over(probe.JSON(id))
	if b.Waits().Max < tooLong {
		b.Note(fmt.Sprintf("that the transaction ends after %.0f seconds is judged where wait.max is %.0fs at least",
			idle.Seconds(), tooLong.Seconds()))
		return nil
	}
	return defaultEnds(b, w)
}

// withoutTimeout begins a transaction that has the default timeout, and runs a step.
func withoutTimeout(b *bench.Bench, w way) (id string, call bench.Watched) {
	calls := steps(b, 1)
	id = b.ID()
	openWith(b, probe.Object{"transaction_id": id})
	b.Must(runStep(b, request{way: w, transaction: id, call: calls[0].ToolCall}).wantDone())
	return id, calls[0]
}

// defaultEnds lets a transaction be idle for longer than the default timeout.
func defaultEnds(b *bench.Bench, w way) error {
	id, call := withoutTimeout(b, w)
	proposal.Pause(b.Client, tooLong)
	b.Must(wantUndone(b, call, fmt.Sprintf("%.0fs without a step, in a transaction without timeout_seconds", tooLong.Seconds())))
	return wantOver(b, id)
}

// wantOver expects that a transaction that was idle for too long cannot be committed.
func wantOver(b *bench.Bench, id string) error {
	a := b.CallMethod(commitMethod(), probe.Object{"transaction_id": id})
	return wantRejected(b, a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "OPERATION_TIMEOUT", "TIMEOUT")
}
