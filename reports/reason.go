package reports

import "strings"

// Words writes the kind of reason with blanks between its words.
func (k ReasonKind) Words() string {
	if k == NotApplicable || k == SaidNone {
		return "does not apply"
	}
	return strings.ReplaceAll(string(k), "-", " ")
}

// DidNotPass is the text of a reason that consists of the blocking case alone.
func DidNotPass(caseID string) string { return caseID + " did not pass" }

// String says in one sentence why a case was not judged, and what would change that. It
// repeats nothing: the config key comes before its purpose.
func (r Reason) String() string {
	head := r.Kind.Words()
	switch {
	case r.BlockedBy != "":
		head += " by " + r.BlockedBy
	case r.Role != "" && r.Kind == NoRole:
		head = "needs " + r.Role
	case r.Role != "":
		head += ", enabled by " + r.Role
	}
	if detail := r.Detail(); detail != "" {
		return head + ": " + detail
	}
	return head
}

// Detail is the part of the text that a line with the blocking case does not show yet.
func (r Reason) Detail() string {
	if r.BlockedBy != "" && r.Text == DidNotPass(r.BlockedBy) {
		return ""
	}
	return r.Text
}
