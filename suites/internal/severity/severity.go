// Package severity decides whether a broken rule is a failure or a warning. Nothing else
// in the kit decides that.
package severity

import (
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Of decides between failure and warning by the level and the basis of the clause, by how
// strongly the server claims the extension of the rule, and by the violation itself. The
// second value says why the result is only a warning.
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

// core decides for a rule of the specification. A rule that rests only on prose, on the
// error codes of JSON-RPC or on an enhancement proposal fails no server unless a schema or
// a keyword backs the rule. The specification makes every MUST of JSON-RPC its own.
func core(cl requirements.Clause) (reports.Status, string) {
	if cl.Basis.Weak() && !cl.Backed {
		return reports.Warn, "only a warning: " + words(cl.Basis)
	}
	return reports.Fail, ""
}

// proposed decides for a rule of an extension. What the kit alone settled fails no
// server.
func proposed(cl requirements.Clause, claim probe.Strength) (reports.Status, string) {
	switch {
	case cl.Basis == requirements.Kit:
		return reports.Warn, "only a warning: the proposal does not settle this"
	case claim == probe.Explicit, claim == probe.Strong && cl.Basis != requirements.Example:
		return reports.Fail, ""
	case claim == probe.Strong:
		return reports.Warn, "only a warning: the proposal does not settle this, and the server does not claim the extension by name"
	default:
		return reports.Warn, "only a warning: the server does not claim the extension by name"
	}
}

func words(b requirements.Basis) string {
	switch b {
	case requirements.JSONRPCTable:
		return "JSON-RPC 2.0 says this without the word MUST"
	case requirements.SEP:
		return "an enhancement proposal says this, and the specification does not"
	default:
		return "the page says this without the word MUST, and no schema does"
	}
}

// Weight orders the clauses that a case checks in a column. The heaviest clause decides,
// since a finding has one level and one rule.
func Weight(cl requirements.Clause) int {
	status, _ := core(cl)
	switch {
	case cl.Level == requirements.Must && cl.Basis != requirements.Kit && (status == reports.Fail || cl.Source != ""):
		return 3
	case cl.Level == requirements.Must:
		return 2
	case cl.Level == requirements.Should:
		return 1
	default:
		return 0
	}
}
