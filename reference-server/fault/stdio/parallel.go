package stdio

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// parallelFaults are faults with requests that come at the same time.
func parallelFaults() []fault.Fault {
	over := fault.OverStdio(requirements.R20251125, requirements.R20260728)
	return []fault.Fault{{
		Name: "stdio-parallel-calls-mixed", Title: "two calls at the same time are answered with each other's ids",
		Breaks: "jsonrpc-response-id-echo", Kills: []string{"stdio/parallel-answers"}, In: over,
		// An answer may come before the request whose id it has.
		May: []string{"jsonrpc/result-for-request", "schema/messages-valid"},
		Reply: func(x fault.Exchange, m fault.Message) {
			if other := partners()[string(x.ID)]; other != "" {
				m["id"] = json.RawMessage(other)
			}
		},
	}}
}

// partners are the ids of the requests that the case sends together.
func partners() map[string]string {
	return map[string]string{
		"900920": "900921", "900921": "900920", "900922": "900923", "900923": "900922", "900924": "900925", "900925": "900924",
	}
}
