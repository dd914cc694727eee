package transactions

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func timeouts() []suite.Case {
	return []suite.Case{
		{
			ID:       "ext-transactions/timeout",
			Title:    "a transaction that is idle for longer than its timeout is rolled back",
			Checks:   []requirements.ID{"ext-transaction-timeout"},
			Needs:    stepped(),
			Lane:     suite.Waits,
			Observes: roles.Transaction,
			Fix:      "roll a transaction back by a timer when nothing is heard of it for timeout_seconds",
			Run:      on(timeout),
		},
		{
			ID:       "ext-transactions/timeout-idle",
			Title:    "each step gives a transaction its whole timeout again",
			Checks:   []requirements.ID{"ext-transaction-timeout-idle"},
			Needs:    stepped(),
			Lane:     suite.Waits,
			Observes: roles.Transaction,
			Fix:      "count timeout_seconds from the last step, not from transaction/begin",
			Run:      on(timeoutIdle),
		},
		{
			ID:       "ext-transactions/timeout-default",
			Title:    "a transaction without a timeout stays open while its client works, and not for ever",
			Checks:   []requirements.ID{"ext-transaction-timeout-default"},
			Needs:    stepped(),
			Lane:     suite.Waits,
			Observes: roles.Transaction,
			Fix:      "let a transaction be idle for 300 seconds when timeout_seconds is missing, and roll it back then",
			Run:      on(timeoutDefault),
		},
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

func timeout(d *desk) error {
	const seconds = 1
	_, margin := patience(d.client.Waits())
	w := d.usual()
	calls := d.steps(1)
	id := d.inTime(w, seconds, calls)
	wait := seconds*time.Second + margin
	proposal.Pause(d.client, wait)
	if err := d.wantGone(calls[0], fmt.Sprintf("%s without a step, in a transaction with timeout_seconds 1", wait)); err != nil {
		return err
	}
	return d.wantOver(id)
}

// inTime runs steps in a transaction with a short timeout. A server that is too slow
// for it is tried anew.
func (d *desk) inTime(w way, seconds int, calls []watched) (id string) {
	var why error
	for range 3 {
		began := time.Now()
		id = d.beginFor(seconds)
		why = d.client.Try(func() { d.all(w, id, calls) })
		if why == nil || time.Since(began) < time.Duration(seconds)*time.Second/2 {
			break
		}
	}
	if why != nil {
		d.client.Stop(why)
	}
	return id
}

func timeoutIdle(d *desk) error {
	seconds, _ := patience(d.client.Waits())
	seconds = max(seconds, 2) // the server may be busy with other things
	whole := time.Duration(seconds) * time.Second
	w := d.usual()
	calls := d.steps(3)
	id := d.beginFor(seconds)
	last := time.Now()
	for _, call := range calls {
		proposal.Pause(d.client, whole*9/20)
		if time.Since(last) > whole*9/10 {
			d.client.Undecide("the server answers too slowly for a timeout this short")
		}
		last = time.Now()
		s := d.run(shot{way: w, transaction: id, call: call.ToolCall})
		if proposal.WantDone(s.Reply) != nil {
			return d.said.Violation("%s, want its result, since timeout_seconds is %d",
				s.AnswerTo(fmt.Sprintf("a step %s after the one before", whole*9/20)), seconds)
		}
	}
	a := d.ask(commitMethod(), probe.Object{"transaction_id": id})
	if proposal.WantDone(a.Reply) != nil {
		return d.said.Violation("%s, want a result", a.AnswerTo("the commit of a transaction that was never idle for long"))
	}
	d.over(id)
	return nil
}

// The default timeout, and what surely is longer. Only who sets wait.max to that much
// waits so long.
const (
	idle     = 300 * time.Second
	tooLong  = idle + 5*time.Second
	longOpen = idle * 4 / 5
)

func timeoutDefault(d *desk) error {
	w := d.usual()
	id, _, err := d.withoutTimeout(w)
	if err != nil {
		return err
	}
	wait := min(d.client.Waits().DefaultTTL, longOpen)
	proposal.Pause(d.client, wait)
	a := d.ask(commitMethod(), probe.Object{"transaction_id": id})
	if proposal.WantDone(a.Reply) != nil {
		return d.said.Violation("%s, want a result, since no timeout was asked for",
			a.AnswerTo(fmt.Sprintf("a commit %s after the last step", wait)))
	}
	d.over(id)
	if d.client.Waits().Max < tooLong {
		d.client.Note(fmt.Sprintf("that the transaction ends after %.0f seconds is judged where wait.max is %.0fs at least",
			idle.Seconds(), tooLong.Seconds()))
		return nil
	}
	return d.defaultEnds(w)
}

// withoutTimeout begins a transaction that has the default timeout, and runs a step.
func (d *desk) withoutTimeout(w way) (id string, call watched, err error) {
	calls := d.steps(1)
	id = d.id()
	d.begun(probe.Object{"transaction_id": id})
	s := d.run(shot{way: w, transaction: id, call: calls[0].ToolCall})
	return id, calls[0], s.wantDone()
}

// defaultEnds lets a transaction be idle for longer than the default timeout.
func (d *desk) defaultEnds(w way) error {
	id, call, err := d.withoutTimeout(w)
	if err != nil {
		return err
	}
	proposal.Pause(d.client, tooLong)
	when := fmt.Sprintf("%.0fs without a step, in a transaction without timeout_seconds", tooLong.Seconds())
	if err := d.wantGone(call, when); err != nil {
		return err
	}
	return d.wantOver(id)
}

// wantOver expects that a transaction that was idle for too long cannot be committed.
func (d *desk) wantOver(id string) error {
	a := d.ask(commitMethod(), probe.Object{"transaction_id": id})
	return d.wantRejected(a.Reply, "RESOURCE_NOT_FOUND", "NOT_FOUND", "OPERATION_TIMEOUT", "TIMEOUT")
}
