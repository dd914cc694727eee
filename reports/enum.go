package reports

import "slices"

// Known reports whether the status is one of the closed list.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Known reports whether the reason is one of the closed list.
func (k ReasonKind) Known() bool { return slices.Contains(ReasonKinds(), k) }

// Applies reports whether a case skipped for this reason still concerns the server in
// its column: somebody could make the kit judge it.
func (k ReasonKind) Applies() bool {
	switch k {
	case NotDeclared, NotClaimed, OtherTransport, OtherRevision, Deselected:
		return false
	case NoRole, NotSeen, Undecided, OptIn, Blocked, Interrupted, ExpectedFailure:
		return true
	}
	return true
}

// VerdictStatuses returns every verdict, best first.
func VerdictStatuses() []VerdictStatus {
	return []VerdictStatus{Passed, Partial, Failed, Unjudged}
}

// Known reports whether the verdict is one of the closed list.
func (s VerdictStatus) Known() bool { return slices.Contains(VerdictStatuses(), s) }
