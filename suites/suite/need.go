package suite

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Need is a condition on the server before a case can judge it: one of its
// words has to hold.
type Need struct {
	Any []Word
}

// A Word is one fact about a column that either holds or does not.
type Word struct {
	Kind  Kind
	Value string // "tools", "state-change.observe", "paginates:tools/list"
}

// Kind says where to look a Word up.
type Kind string

// The kinds of Word.
const (
	CapabilityKind Kind = "capability"
	TransportKind  Kind = "transport"
	RoleKind       Kind = "role"
	ClaimKind      Kind = "claim"
	TraitKind      Kind = "server"
	OptInKind      Kind = "opt-in"
	OpeningKind    Kind = "opening"
	AnswerKind     Kind = "answer"
)

func (w Word) String() string {
	if w.Value == "" {
		return string(w.Kind)
	}
	return string(w.Kind) + ":" + w.Value
}

// Opening is proved by the case that owns the opening of a connection. Every
// case needs it without saying so.
func Opening() Need { return one(OpeningKind, "") }

// Answers is proved by the case that sends the most harmless request: ping, and
// since 2026-07-28 server/discover. Cases need it that attribute a bad answer
// to their change in the request.
func Answers() Need { return one(AnswerKind, "") }

// Capability needs the server to declare a capability; properties are joined by
// dots, as in "resources.subscribe".
func Capability(path string) Need { return one(CapabilityKind, path) }

// Over needs a transport.
func Over(t requirements.Transport) Need { return one(TransportKind, string(t)) }

// Role needs a role, or a field of it, to be filled.
func Role(name roles.Name, field ...string) Need {
	return one(RoleKind, strings.Join(append([]string{string(name)}, field...), "."))
}

// Claim needs the server to claim an extension.
func Claim(extension string) Need { return one(ClaimKind, extension) }

// Trait needs a fact that discovery learns about the server.
func Trait(t probe.Trait) Need { return one(TraitKind, string(t)) }

// OptIn needs the operator's consent.
func OptIn(what Consent) Need { return one(OptInKind, string(what)) }

// Consent is what an operator may allow.
type Consent string

// The consents.
const (
	Stress   Consent = "stress"   // load, memory and many calls
	External Consent = "external" // requests to URLs that the server hands out
)

// Consents returns every consent.
func Consents() []Consent { return []Consent{Stress, External} }

// Either holds when one of the needs holds.
func Either(needs ...Need) Need {
	var n Need
	for _, each := range needs {
		n.Any = append(n.Any, each.Any...)
	}
	return n
}

// Lists needs at least one capability with a list.
func Lists() Need {
	return Either(Capability("tools"), Capability("resources"), Capability("prompts"))
}

// Asks reports whether one of the words names the role.
func (n Need) Asks(name roles.Name) bool {
	return slices.ContainsFunc(n.Any, func(w Word) bool {
		path, ok := strings.CutPrefix(w.Value, string(name))
		return w.Kind == RoleKind && ok && (path == "" || path[0] == '.')
	})
}

func one(kind Kind, value string) Need { return Need{Any: []Word{{kind, value}}} }

func (n Need) String() string {
	words := make([]string, len(n.Any))
	for i, w := range n.Any {
		words[i] = w.String()
	}
	return strings.Join(words, " or ")
}
