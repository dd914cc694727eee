// Package operation names what a call does while it runs, so that records of
// its progress, pieces of its result and a later resumption can name it too.
package operation

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// Prefix is what the keys of the proposals begin with where they have to be
// told from those of others.
const Prefix = "io.github.mcp-extension-proposals/"

const longest = 128

type key struct{}

// ID is the id of the operation that the request is: the client's own where it
// sent one, else one that nobody else has.
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

// Name says which operation the request continues.
func Name(t *core.Turn, id string) { t.Keep(key{}, id) }

// Fresh is an id that nobody else has.
func Fresh() string { return "op-" + strings.ToLower(rand.Text()) }

// asked is the id that the client sent, empty if it sent none that can be used.
func asked(t *core.Turn) string {
	for _, name := range []string{"operation_id", Prefix + "operation_id"} {
		var id string
		if raw := t.Meta(name); raw != nil && json.Unmarshal(raw, &id) == nil && len(id) <= longest {
			return id
		}
	}
	return ""
}
