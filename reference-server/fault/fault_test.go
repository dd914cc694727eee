package fault_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func TestNoFaultSkipsNothing(t *testing.T) {
	t.Parallel()
	var none *fault.Fault
	if none.Skips(fault.CheckCursor) {
		t.Error("no fault skips a check")
	}
	one := &fault.Fault{Skip: []fault.Check{fault.CheckOrigin}}
	if !one.Skips(fault.CheckOrigin) || one.Skips(fault.CheckCursor) {
		t.Error("a fault skips other checks than its own")
	}
}
