package requirements

import (
	"fmt"
	"slices"
)

// A Level says how binding a clause is. A prohibition has the level of its
// keyword.
type Level string

// The levels, strongest first.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Levels lists the levels, strongest first.
func Levels() []Level { return []Level{Must, Should, May} }

// ParseLevel reads a level as it is written in a row.
func ParseLevel(s string) (Level, error) { return parse("level", s, Levels()) }

// A Basis names the source that the level of a clause rests on.
type Basis string

// The bases. The first six belong to core rows, the others to extension rows;
// Schema belongs to both.
const (
	Keyword Basis = "keyword" // a capitalised keyword of the specification
	Schema  Basis = "schema"  // the published schema
	Prose   Basis = "prose"   // a sentence without a keyword

	// JSONRPCMust is a sentence of JSON-RPC 2.0 with MUST. All revisions say, with
	// MUST, that messages follow JSON-RPC 2.0, so it counts as a keyword.
	JSONRPCMust  Basis = "jsonrpc-must"
	JSONRPCTable Basis = "jsonrpc-table" // the table of error codes of JSON-RPC 2.0, and its other sentences without MUST

	SEP      Basis = "sep"       // an accepted enhancement proposal
	Text     Basis = "text"      // the text of an extension proposal
	SEPDraft Basis = "sep-draft" // a draft in the form of an enhancement proposal
	Core     Basis = "core"      // follows from the core specification
	Example  Basis = "example"   // only example servers show it
	Kit      Basis = "kit"       // decided by the kit where the sources are silent or disagree
)

// Bases lists the bases, those of core rows first.
func Bases() []Basis {
	return []Basis{Keyword, Schema, Prose, JSONRPCMust, JSONRPCTable, SEP, Text, SEPDraft, Core, Example, Kit}
}

// ParseBasis reads a basis as it is written in a row.
func ParseBasis(s string) (Basis, error) { return parse("basis", s, Bases()) }

// Weak reports whether the basis makes a broken MUST a warning, unless the
// clause is backed.
func (b Basis) Weak() bool { return b == Prose || b == JSONRPCTable || b == SEP }

// A Transport is a way to reach a server.
type Transport string

// The transports. HTTP is Streamable HTTP, SSE is the HTTP+SSE of 2024-11-05.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Transports lists the transports.
func Transports() []Transport { return []Transport{Stdio, HTTP, SSE} }

// ParseTransport reads a transport as it is written in a row.
func ParseTransport(s string) (Transport, error) { return parse("transport", s, Transports()) }

func parse[T ~string](kind, s string, known []T) (T, error) {
	if slices.Contains(known, T(s)) {
		return T(s), nil
	}
	return "", fmt.Errorf("unknown %s %q", kind, s)
}
