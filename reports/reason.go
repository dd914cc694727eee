package reports

import "strings"

// Words is a reason as words.
func (k ReasonKind) Words() string { return strings.ReplaceAll(string(k), "-", " ") }

// DidNotPass is the text of a reason that needs no more words than the case it names.
func DidNotPass(caseID string) string { return caseID + " did not pass" }

// String says in one sentence why a case was not judged, and what would change that.
// Nothing is said twice: a key stands before what it is for.
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

// Detail is what the text adds to a line that names the blocking case.
func (r Reason) Detail() string {
	if r.BlockedBy != "" && r.Text == DidNotPass(r.BlockedBy) {
		return ""
	}
	return r.Text
}
