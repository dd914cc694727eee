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
