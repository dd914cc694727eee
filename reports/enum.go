package reports

import "slices"

// Known reports whether the status is one of the closed list.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Known reports whether the reason is one of the closed list.
func (k ReasonKind) Known() bool { return slices.Contains(ReasonKinds(), k) }

// Applies reports whether a case skipped for this reason still concerns the server in
// its column: it was not judged. Other cases are not applicable.
func (k ReasonKind) Applies() bool {
	switch k {
	case NotDeclared, NotClaimed, OtherTransport, OtherRevision, NotApplicable, NotSeen, SaidNone, Deselected:
		return false
	case NoRole, Undecided, OptIn, Blocked, Interrupted, ExpectedFailure:
		return true
	}
	return true
}

// Applies reports whether the rule of the finding concerns the server in its column.
func (f Finding) Applies() bool {
	return f.Status != Skip || f.Reason == nil || f.Reason.Kind.Applies()
}

// VerdictStatuses returns every verdict, best first.
func VerdictStatuses() []VerdictStatus {
	return []VerdictStatus{Passed, Partial, Failed, Unjudged, Stopped}
}

// Known reports whether the verdict is one of the closed list.
func (s VerdictStatus) Known() bool { return slices.Contains(VerdictStatuses(), s) }
