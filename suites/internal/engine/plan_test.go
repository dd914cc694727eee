package engine

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A violation may say which of the rules of its case it breaks.
func TestUnder(t *testing.T) {
	must := rule{"acme-must", requirements.Clause{Level: requirements.Must, Basis: requirements.JSONRPCMust}}
	code := rule{"acme-code", requirements.Clause{Level: requirements.Must, Basis: requirements.JSONRPCTable}}
	later := requirements.ID("acme-later") // which does not hold in the column
	s := Spec{
		Case:  suite.Case{Checks: []requirements.ID{code.id, must.id, later}},
		rules: []rule{code, must}, lead: must.id, clause: must.clause,
	}
	for _, row := range []struct {
		named []requirements.ID
		want  requirements.ID
	}{
		{nil, must.id},
		{[]requirements.ID{code.id}, code.id},
		{[]requirements.ID{code.id, must.id}, must.id},
		{[]requirements.ID{later, code.id}, code.id},
		{[]requirements.ID{later}, must.id},
	} {
		if got, err := s.ruleFor(row.named); err != nil || got.id != row.want {
			t.Errorf("%v: got %s, %v, want %s", row.named, got.id, err, row.want)
		}
	}
	if got, err := s.ruleFor([]requirements.ID{"acme-other"}); err == nil {
		t.Errorf("a rule that the case does not check: got %s, want an error", got.id)
	}
}
