package report_test

import (
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-conform/mcp-conform/schemas/report"
)

// Each schema compiles, and has the address that the files name.
func TestSchemas(t *testing.T) {
	t.Parallel()
	dialect, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	for url, text := range map[string]string{
		report.ReportURL: report.Report(), report.FleetURL: report.Fleet(), report.ProposalURL: report.Proposal(), report.ProposalCasesURL: report.ProposalCases(),
	} {
		var document map[string]any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		if err := dialect.Validate(document); err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if document["$id"] != url {
			t.Errorf("$id is %v, want %s", document["$id"], url)
		}
	}
}
