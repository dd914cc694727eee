package server

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
)

// extensions lists the extensions in the order in which they see a call, the
// last one first.
func extensions(o Options) []core.Extension {
	return []core.Extension{
		idempotency.New(idempotency.Options{Now: o.Now, Lifetime: o.KeyLifetime, Fault: o.Fault}),
	}
}
