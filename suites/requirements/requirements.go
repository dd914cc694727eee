// Package requirements answers what a requirement says at a revision: how
// binding it is, on what that rests and where it is written. It does not know
// how a requirement is probed or what a server must offer for that.
package requirements

import (
	"maps"
	"slices"
	"strings"
)

// NotBuiltYet is the reason of a requirement that a case could check but none
// does so far; a longer reason may end with it.
const NotBuiltYet = "not built yet"

// An ID names a requirement for ever. It is kebab-case, area first, and is
// never renamed or reused for another rule.
type ID string

// A Clause is the text of a requirement for a range of revisions.
type Clause struct {
	Since Revision // first revision of the clause
	Until Revision // last one, empty without an end
	Level Level
	Basis Basis
	// Backed says that the basis alone would be weak (prose, jsonrpc-table, sep), but a
	// schema or a keyword elsewhere supports the clause, so that it counts in full.
	Backed     bool
	Page       string               // page and anchor within the revision; empty for an extension
	Over       map[Transport]string // pages of transports whose own page has the rule; HTTP is HTTP+SSE as well
	Source     string               // document of an extension's proposal; empty for the core
	Text       string               // the rule in our own words, one sentence
	Transports []Transport
}

// Holds reports whether the clause covers the revision.
func (c Clause) Holds(at Revision) bool {
	if !at.Known() || at.Before(c.Since) {
		return false
	}
	return c.Until == "" || !c.Until.Before(at)
}

// On reports whether the clause binds a server over the transport. A clause
// without a transport binds it over all of them; a clause for HTTP binds it
// over HTTP+SSE as well.
func (c Clause) On(t Transport) bool {
	return len(c.Transports) == 0 || slices.Contains(c.Transports, t) || t == SSE && slices.Contains(c.Transports, HTTP)
}

// A Requirement is one rule for servers and its clauses, oldest first.
type Requirement struct {
	ID        ID
	Area      string // the name of its file; "ext-" and the extension for an extension
	Extension string // its proposal, empty for the core
	Clauses   []Clause
	Unchecked string // why no case checks it, empty where a case does
}

// At returns the clause that holds at the revision, and false where the
// requirement does not exist there.
func (r Requirement) At(at Revision) (Clause, bool) {
	for _, c := range r.Clauses {
		if c.Holds(at) {
			return c, true
		}
	}
	return Clause{}, false
}

// Revisions lists the revisions in which the requirement exists, oldest first.
func (r Requirement) Revisions() []Revision {
	var held []Revision
	for _, rev := range Revisions() {
		if _, ok := r.At(rev); ok {
			held = append(held, rev)
		}
	}
	return held
}

// Unbuilt reports whether only a missing case keeps the requirement unchecked,
// rather than a permission or a rule nobody can observe.
func (r Requirement) Unbuilt() bool {
	return strings.HasSuffix(r.Unchecked, NotBuiltYet)
}

func (r Requirement) clone() Requirement {
	r.Clauses = slices.Clone(r.Clauses)
	for i := range r.Clauses {
		r.Clauses[i].Transports = slices.Clone(r.Clauses[i].Transports)
		r.Clauses[i].Over = maps.Clone(r.Clauses[i].Over)
	}
	return r
}
