package engine

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestSeverity(t *testing.T) {
	must := func(b requirements.Basis) requirements.Clause {
		return requirements.Clause{Level: requirements.Must, Basis: b}
	}
	backed := must(requirements.Prose)
	backed.Backed = true
	for _, row := range []struct {
		name      string
		clause    requirements.Clause
		extension string
		claim     probe.Strength
		warnsOnly bool
		want      reports.Status
	}{
		{name: "MUST by keyword", clause: must(requirements.Keyword), want: reports.Fail},
		{name: "MUST by schema", clause: must(requirements.Schema), want: reports.Fail},
		{name: "MUST in prose", clause: must(requirements.Prose), want: reports.Warn},
		{name: "MUST in prose, backed by a schema", clause: backed, want: reports.Fail},
		{name: "MUST of JSON-RPC", clause: must(requirements.JSONRPCMust), want: reports.Fail},
		{name: "MUST by an error code of JSON-RPC", clause: must(requirements.JSONRPCTable), want: reports.Warn},
		{name: "MUST of a proposal", clause: must(requirements.SEP), want: reports.Warn},
		{name: "SHOULD", clause: requirements.Clause{Level: requirements.Should, Basis: requirements.Keyword}, want: reports.Warn},
		{name: "MUST, but the row asks for a warning", clause: must(requirements.Keyword), warnsOnly: true, want: reports.Warn},
		{name: "extension, claimed by name", clause: must(requirements.Text), extension: "x", claim: probe.Explicit, want: reports.Fail},
		{name: "extension, settled by the kit, claimed by name", clause: must(requirements.Kit), extension: "x", claim: probe.Explicit, want: reports.Fail},
		{name: "extension, strong evidence", clause: must(requirements.SEPDraft), extension: "x", claim: probe.Strong, want: reports.Fail},
		{name: "extension, settled by the kit, strong evidence", clause: must(requirements.Kit), extension: "x", claim: probe.Strong, want: reports.Warn},
		{name: "extension, weak evidence", clause: must(requirements.Text), extension: "x", claim: probe.Weak, want: reports.Warn},
		{name: "extension, SHOULD", clause: requirements.Clause{Level: requirements.Should, Basis: requirements.Text}, extension: "x", claim: probe.Explicit, want: reports.Warn},
	} {
		v := &probe.Violation{Problem: "p"}
		if row.warnsOnly {
			v.AtMostWarn()
		}
		if got, _ := severity(row.clause, row.extension, row.claim, v); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

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
		if got, err := s.under(row.named); err != nil || got.id != row.want {
			t.Errorf("%v: got %s, %v, want %s", row.named, got.id, err, row.want)
		}
	}
	if got, err := s.under([]requirements.ID{"acme-other"}); err == nil {
		t.Errorf("a rule that the case does not check: got %s, want an error", got.id)
	}
}

func TestDeclared(t *testing.T) {
	capabilities := map[string]any{
		"tools":      map[string]any{"listChanged": true},
		"resources":  map[string]any{"subscribe": false},
		"logging":    map[string]any{},
		"prompts":    nil,
		"extensions": map[string]any{"io.example/a.b": map[string]any{}},
	}
	for path, want := range map[string]bool{
		"tools": true, "tools.listChanged": true, "resources": true, "resources.subscribe": false,
		"logging": true, "prompts": false, "completions": false, "tools.listChanged.x": false,
		"extensions": true, "extensions.io.example/a.b": true, "extensions.io.example/c": false,
	} {
		if got := declares(capabilities, path); got != want {
			t.Errorf("%s is declared: %v, want %v", path, got, want)
		}
	}
}

func TestNonces(t *testing.T) {
	a, b, other := nonces(7, "case", "column"), nonces(7, "case", "column"), nonces(8, "case", "column")
	first := a()
	if got := b(); got != first || len(got) != 10 {
		t.Errorf("the same seed gives %q, want %q of ten characters", got, first)
	}
	if a() == first || other() == first {
		t.Error("a second nonce, or one of another seed, is the same")
	}
}
