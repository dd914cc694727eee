package requirements

import (
	"fmt"
	"slices"
)

// A Revision is a dated version of the specification.
type Revision string

// The revisions the kit knows.
const (
	R20241105 Revision = "2024-11-05"
	R20250326 Revision = "2025-03-26"
	R20250618 Revision = "2025-06-18"
	R20251125 Revision = "2025-11-25"
	R20260728 Revision = "2026-07-28"
)

// Revisions lists the known revisions, oldest first.
func Revisions() []Revision {
	return []Revision{R20241105, R20250326, R20250618, R20251125, R20260728}
}

// ParseRevision reads the date of a known revision.
func ParseRevision(s string) (Revision, error) {
	if r := Revision(s); r.Known() {
		return r, nil
	}
	return "", fmt.Errorf("unknown revision %q", s)
}

// Known reports whether the kit knows the revision.
func (r Revision) Known() bool { return slices.Contains(Revisions(), r) }

// Modern reports whether requests carry their own metadata, instead of
// following a handshake. Unknown revisions are not modern.
func (r Revision) Modern() bool { return r.Known() && !r.Before(R20260728) }

// Before reports whether r is older than other. Dates written year first sort
// as text.
func (r Revision) Before(other Revision) bool { return r < other }
