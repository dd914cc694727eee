// Package mrtr holds the ways to break basic/patterns/mrtr.
package mrtr

import (
	"bytes"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return []fault.Fault{{
		Name: "mrtr-retry-refused", Title: "a call that is repeated with answers is refused as invalid params",
		Breaks:  "mrtr-retry-completes",
		Inbound: fault.On("tools/call").And(answers).Refuse(-32602, "inputResponses is not a parameter of tools/call"),
	}}
}

func answers(x fault.Exchange) bool { return bytes.Contains(x.Params, []byte(`"inputResponses"`)) }
