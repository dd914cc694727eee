package transactions_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server may take every step at first, and look at what its caller may do with the commit.
func TestLawfulDeniedStep(t *testing.T) {
	t.Parallel()
	const named = `
roles:
  transaction:
    steps:
      - tool: book_berth
        arguments: {vessel: "kit-${nonce}", berth: B2}
        observe: {tool: count_bookings, arguments: {vessel: "kit-${nonce}"}, mode: count}
      - tool: order_pilot
        arguments: {vessel: "kit-${nonce}", day: 120}
        observe: {tool: count_pilots, arguments: {vessel: "kit-${nonce}"}, mode: count}
  denied:
    tool: hoist_signal
    arguments: {mast: "kit-${nonce}", signal: storm}
    observe: {tool: count_signals, arguments: {mast: "kit-${nonce}"}, mode: count}
`
	lawful.Configured(t, "a step is taken, and its commit refused", named,
		func(_ suite.Suite, c suite.Case) bool { return c.ID == "ext-transactions/step-denied" },
		&fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
			switch {
			case x.Method == "transaction/step" && x.Param("tool") == "hoist_signal":
				return fault.Answer(x, map[string]any{
					"transaction_id": x.Param("transaction_id"), "step_id": x.Param("step_id"), "status": "ok",
					"result": map[string]any{}, "resultType": "complete",
				})
			case x.Method == "transaction/commit":
				return fault.Refuse(x, 1001, "SCOPE_INSUFFICIENT: the caller may not hoist signals")
			}
			return fault.Verdict{}
		}})
}
