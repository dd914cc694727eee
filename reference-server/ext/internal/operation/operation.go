// Package operation gives a running call an id for the records of its progress, the
// pieces of its result and a later resumption.
package operation

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// Prefix begins the keys of the proposals where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

const longest = 128

type key struct{}

// ID is the operation id of the request: the client's own, or else a new one.
func ID(t *core.Turn) string {
	if id, ok := t.Kept(key{}).(string); ok {
		return id
	}
	id := asked(t)
	if id == "" {
		id = Fresh()
	}
	Name(t, id)
	return id
}

// Name sets the id of the operation that the request continues.
func Name(t *core.Turn, id string) { t.Keep(key{}, id) }

// Fresh is a new id.
func Fresh() string { return "op-" + strings.ToLower(rand.Text()) }

// asked is the id in the request; empty without a usable one.
func asked(t *core.Turn) string {
	for _, name := range []string{"operation_id", Prefix + "operation_id"} {
		var id string
		if raw := t.Meta(name); raw != nil && json.Unmarshal(raw, &id) == nil && len(id) <= longest {
			return id
		}
	}
	return ""
}
