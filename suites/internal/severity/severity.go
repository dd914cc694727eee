// Package severity says what a broken rule costs a server: a failure or a
// warning. Nothing else in the kit decides that.
package severity

import (
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Of makes a failure or a warning of a broken rule: by the level of the clause,
// by what that level rests on, by how strongly the server claims the extension
// the rule belongs to, and by what the row itself asks for. The second value says why it is not more.
func Of(cl requirements.Clause, extension string, claim probe.Strength, v *probe.Violation) (reports.Status, string) {
	switch {
	case cl.Level != requirements.Must:
		return reports.Warn, ""
	case v.WarnsOnly():
		return reports.Warn, "this form of the violation is worth a warning at most"
	case extension == "":
		return core(cl)
	default:
		return proposed(cl, claim)
	}
}

// A rule that the specification only tells in prose, or inherits from the error
// codes of JSON-RPC or from a proposal, fails nobody unless a schema or a keyword
// says it too. A MUST of JSON-RPC is one of the specification, which says so.
func core(cl requirements.Clause) (reports.Status, string) {
	if cl.Basis.Weak() && !cl.Backed {
		return reports.Warn, "a warning, since the rule rests on " + words(cl.Basis) + " and on no keyword or schema"
	}
	return reports.Fail, ""
}

func proposed(cl requirements.Clause, claim probe.Strength) (reports.Status, string) {
	settledHere := cl.Basis == requirements.Example || cl.Basis == requirements.Kit
	switch {
	case claim == probe.Explicit, claim == probe.Strong && !settledHere:
		return reports.Fail, ""
	case claim == probe.Strong:
		return reports.Warn, "a warning, since the proposal does not settle this and the server does not claim the extension by name"
	default:
		return reports.Warn, "a warning, since the server does not claim the extension by name"
	}
}

func words(b requirements.Basis) string {
	switch b {
	case requirements.JSONRPCTable:
		return "what JSON-RPC 2.0 says without MUST"
	case requirements.SEP:
		return "an enhancement proposal"
	default:
		return "the prose of the page"
	}
}

// Weight orders the clauses a case checks in a column: the heaviest decides,
// since a finding has one level and one rule.
func Weight(cl requirements.Clause) int {
	status, _ := core(cl)
	switch {
	case cl.Level == requirements.Must && (status == reports.Fail || cl.Source != ""):
		return 3
	case cl.Level == requirements.Must:
		return 2
	case cl.Level == requirements.Should:
		return 1
	default:
		return 0
	}
}
