package protocol

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A ByRevision is a value that changes with the revision: each step holds from
// its revision until the next step. The steps are in order.
type ByRevision[T any] []Step[T]

// A Step is the value from a revision on.
type Step[T any] struct {
	Since requirements.Revision
	Value T
}

// At is the value at a revision; the zero value before the first step.
func (t ByRevision[T]) At(r requirements.Revision) T {
	var value T
	for _, step := range t {
		if !r.Before(step.Since) {
			value = step.Value
		}
	}
	return value
}

// Handshake are the revisions whose conversations begin with initialize.
func Handshake() []requirements.Revision { return Until(requirements.R20251125) }

// Stateless are the revisions whose requests carry their own metadata.
func Stateless() []requirements.Revision { return Since(requirements.R20260728) }

// Since are the known revisions from r on.
func Since(r requirements.Revision) []requirements.Revision {
	return slices.DeleteFunc(requirements.Revisions(), func(known requirements.Revision) bool { return known.Before(r) })
}

// Until are the known revisions up to r.
func Until(r requirements.Revision) []requirements.Revision {
	return slices.DeleteFunc(requirements.Revisions(), r.Before)
}

// Between are the known revisions from the first to the last, both included.
func Between(first, last requirements.Revision) []requirements.Revision {
	return slices.DeleteFunc(Since(first), last.Before)
}

// Streamable are the revisions whose HTTP transport has one address. 2024-11-05
// has another transport, which a server may serve elsewhere.
func Streamable() []requirements.Revision { return Since(requirements.R20250326) }

// HasArrays reports whether a revision has arrays of messages.
func HasArrays(r requirements.Revision) bool { return r == requirements.R20250326 }

// AnswersArrays reports whether a server may answer an array of messages with
// one. 2024-11-05 says nothing about arrays, and JSON-RPC has them.
func AnswersArrays(r requirements.Revision) bool { return r.Before(june) }

// HasElicitation reports whether a revision has questions to the user.
func HasElicitation(r requirements.Revision) bool { return !r.Before(june) }

// HasHandshake reports whether a version string names a known revision with
// initialize.
func HasHandshake(version string) bool {
	return slices.Contains(Handshake(), requirements.Revision(version))
}

// FromStateless reports whether a version is a date since revisions have no
// handshake, even of an unknown revision.
func FromStateless(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && !requirements.Revision(version).Before(requirements.R20260728)
}

// Versions that no server speaks, to request.
const (
	Bygone    = "1900-01-01" // before the protocol
	YetToCome = "2099-12-31"
)

// NeverReleased are dates shortly before and after the first revision, on which none
// was released.
func NeverReleased() []string { return []string{"2023-01-01", "2025-01-01"} }
