package severity_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/severity"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestOf(t *testing.T) {
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
		{name: "extension, settled by the kit, claimed by name", clause: must(requirements.Kit), extension: "x", claim: probe.Explicit, want: reports.Warn},
		{name: "extension, shown by examples, claimed by name", clause: must(requirements.Example), extension: "x", claim: probe.Explicit, want: reports.Fail},
		{name: "extension, strong evidence", clause: must(requirements.SEPDraft), extension: "x", claim: probe.Strong, want: reports.Fail},
		{name: "extension, settled by the kit, strong evidence", clause: must(requirements.Kit), extension: "x", claim: probe.Strong, want: reports.Warn},
		{name: "extension, weak evidence", clause: must(requirements.Text), extension: "x", claim: probe.Weak, want: reports.Warn},
		{name: "extension, SHOULD", clause: requirements.Clause{Level: requirements.Should, Basis: requirements.Text}, extension: "x", claim: probe.Explicit, want: reports.Warn},
	} {
		v := &probe.Violation{Problem: "p"}
		if row.warnsOnly {
			v.AtMostWarn()
		}
		if got, _ := severity.Of(row.clause, row.extension, row.claim, v); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}
