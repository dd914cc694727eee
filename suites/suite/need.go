package suite

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Need is something a server must offer before a case can judge it: one of
// its words has to hold.
type Need struct {
	Words []string // "capability:tools", "role:state-change.observe", ...
}

// The kinds of word a Need is made of, the part before the colon.
const (
	CapabilityWord = "capability"
	TransportWord  = "transport"
	RoleWord       = "role"
	ClaimWord      = "claim"
	TraitWord      = "server"
	OptInWord      = "opt-in"
)

// Opening is what a case proves that owns the opening of a connection.
const Opening = "opening"

// Capability needs the server to declare a capability; members are joined by
// dots, as in "resources.subscribe".
func Capability(path string) Need { return word(CapabilityWord, path) }

// Over needs a transport.
func Over(t requirements.Transport) Need { return word(TransportWord, string(t)) }

// Role needs a role to be filled, or a field of it.
func Role(name roles.Name, field ...string) Need {
	return word(RoleWord, strings.Join(append([]string{string(name)}, field...), "."))
}

// Claim needs the server to claim an extension.
func Claim(extension string) Need { return word(ClaimWord, extension) }

// Trait needs a fact that discovery learns of the server, such as "paginates".
func Trait(name string) Need { return word(TraitWord, name) }

// OptIn needs the operator's consent: "slow", "stress" or "external".
func OptIn(what string) Need { return word(OptInWord, what) }

// Either holds when one of the needs holds.
func Either(needs ...Need) Need {
	var n Need
	for _, each := range needs {
		n.Words = append(n.Words, each.Words...)
	}
	return n
}

// Lists needs at least one capability whose lists can be asked for.
func Lists() Need {
	return Either(Capability("tools"), Capability("resources"), Capability("prompts"))
}

func word(kind, value string) Need { return Need{Words: []string{kind + ":" + value}} }

// Split takes a word apart into its kind and its value.
func Split(word string) (kind, value string) {
	kind, value, _ = strings.Cut(word, ":")
	return kind, value
}

func (n Need) String() string { return strings.Join(n.Words, " or ") }
