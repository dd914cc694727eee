package transactions

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// tried is a bench where each step of the role was run once in the column. A step that
// neither runs in a transaction nor as a plain call, or whose effect is seen in neither way,
// is a mistake of the role, its arguments or its observer, and ends the case.
func tried(c *probe.Client) *bench.Bench {
	trouble := c.Learn("transactions:role", func() string {
		for i := range c.Role(roles.Transaction).Fields().List("steps") {
			if trouble := trial(c, i); trouble != "" {
				return fmt.Sprintf("steps[%d]: %s", i, trouble)
			}
		}
		return ""
	})
	if trouble != "" {
		c.Unfilled(roles.Transaction, trouble)
	}
	return bench.New(c)
}

// trial says why a step shows no effect; empty where it does, or where it need not. The step
// comes first, since a rollback undoes it. Nobody has to undo a plain call: it is made only
// where the step showed nothing, to tell a mistake of the role from one of the server.
func trial(c *probe.Client, i int) (trouble string) {
	b := bench.New(c)
	w := usualForm(b)
	watched := step(b, i)
	id := open(b, 60)
	same := true
	if runStep(b, request{way: w, transaction: id, call: watched.ToolCall}).wantDone() == nil {
		_, same = b.Look(watched, false)
	}
	b.CallMethod(proposal.RollbackTransaction(), probe.Object{"transaction_id": id}) // a server may have one at a time
	b.Over(probe.JSON(id))
	if !same {
		return ""
	}
	plain := step(b, i)
	reply := b.MakeCall(bench.Call{Tool: plain.ToolCall, Dialect: proposal.Bare})
	b.Permitted(plain.ToolCall, reply)
	if !proposal.Done(reply) {
		return plain.Tool + " refuses the call: " + reply.Outcome()
	}
	if _, same := b.Look(plain, false); same {
		return "the observer sees no effect of a call of " + plain.Tool + "; does observe look at what its arguments change?"
	}
	return ""
}

// apart ends the case where the observer of one step of the role sees the effect of another: what
// it shows says nothing about its own step then. No transaction is open meanwhile.
func apart(b *bench.Bench, w way, one, other int) {
	seen := false
	_ = b.Try(func() {
		ran, watched := step(b, one), step(b, other)
		id := open(b, 60)
		if runStep(b, request{way: w, transaction: id, call: ran.ToolCall}).wantDone() == nil {
			_, same := b.Look(watched, false)
			seen = !same
		}
		end(b, proposal.RollbackTransaction(), id)
	})
	b.UndecideIf(seen && one == other, fmt.Sprintf("the observer of roles.transaction.steps[%d] sees the effects of other calls "+
		"of its tool: let it see that of its own, with ${nonce} in the arguments of both", one))
	b.UndecideIf(seen, fmt.Sprintf("the observers of roles.transaction.steps[%d] and [%d] see each other's effect: "+
		"give each step its own", one, other))
}

// onceUnderKey reports whether a call that is repeated under an idempotency key is seen to run
// once: as a step, or by the mark of its answer.
func onceUnderKey(b *bench.Bench) (once bool) {
	for _, look := range []func(*bench.Bench) bool{stepRunsOnce, repeatIsMarked} {
		if b.Try(func() { once = look(b) }) == nil && once {
			return true
		}
	}
	return false
}

func stepRunsOnce(b *bench.Bench) bool {
	w, id, calls := ready(b, 1)
	s := request{way: w, transaction: id, call: calls[0].ToolCall, key: b.Key()}
	needStep(b, s)
	settled := b.Settled(calls[0])
	repeat := runStep(b, s)
	_, same := b.Look(settled, false)
	return same && proposal.Done(repeat.Reply)
}

func repeatIsMarked(b *bench.Bench) bool {
	keyed := bench.Call{
		Tool: b.Role(roles.StateChange).Call(), Values: probe.Object{"idempotency_key": b.Key()},
		Dialect: proposal.Bare + proposal.Prefixed + proposal.Beside + proposal.Header,
	}
	b.MakeCall(keyed)
	result, _ := b.MakeCall(keyed).Result()
	flag, _ := proposal.Locate(result, "was_replay", "idempotency", func(record map[string]any) bool {
		_, named := record["idempotency_key"]
		return named
	})
	return flag.Value == true
}
