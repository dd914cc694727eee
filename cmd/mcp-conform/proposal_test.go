package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-conform/mcp-conform/reports/proposal"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
)

// The form of the proposals has room for every case of the kit.
func TestProposalCases(t *testing.T) {
	t.Parallel()
	l, err := openLibrary()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := proposal.WriteCases(&out, proposalCases(l)); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(schemas.ProposalCases()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("cases.json", schema); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("cases.json").Validate(document); err != nil {
		t.Error(err)
	}
	tests := document.(map[string]any)["tests"].([]any)
	want := 0
	for _, s := range l.suites {
		want += len(s.Cases)
	}
	if len(tests) != want {
		t.Errorf("%d tests, want %d", len(tests), want)
	}
	// A case of a proposal names its document; a case of the core does not.
	for _, one := range tests {
		test := one.(map[string]any)
		id, ref := test["test_id"].(string), test["proposal_ref"].(string)
		if strings.HasPrefix(ref, "proposal-") && !strings.HasPrefix(id, "ext-") {
			t.Errorf("%s belongs to %s", id, ref)
		}
	}
}
