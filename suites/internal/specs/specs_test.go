package specs

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A violation may say which of the rules of its case it breaks.
func TestBroken(t *testing.T) {
	must := Rule{"acme-must", requirements.Clause{Level: requirements.Must, Basis: requirements.JSONRPCMust}}
	code := Rule{"acme-code", requirements.Clause{Level: requirements.Must, Basis: requirements.JSONRPCTable}}
	later := requirements.ID("acme-later") // which does not hold in the column
	s := Spec{entry: &entry{
		Case:  &suite.Case{Checks: []requirements.ID{code.ID, must.ID, later}},
		rules: []Rule{code, must}, lead: must,
	}}
	for _, row := range []struct {
		named []requirements.ID
		want  requirements.ID
	}{
		{nil, must.ID},
		{[]requirements.ID{code.ID}, code.ID},
		{[]requirements.ID{code.ID, must.ID}, must.ID},
		{[]requirements.ID{later, code.ID}, code.ID},
		{[]requirements.ID{later}, must.ID},
	} {
		if got, err := s.Broken(row.named); err != nil || got.ID != row.want {
			t.Errorf("%v: got %s, %v, want %s", row.named, got.ID, err, row.want)
		}
	}
	if got, err := s.Broken([]requirements.ID{"acme-other"}); err == nil {
		t.Errorf("a rule that the case does not check: got %s, want an error", got.ID)
	}
}
