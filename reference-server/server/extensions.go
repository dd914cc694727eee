package server

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// extensions lists the extensions in the order in which they see a call, the
// last one first.
func extensions(o Options) []core.Extension {
	var switches fault.Idempotency
	if o.Fault != nil {
		switches = o.Fault.Idempotency
	}
	return []core.Extension{
		idempotency.New(idempotency.Options{Now: o.Now, Lifetime: o.KeyLifetime, Faults: switches}),
	}
}
