package needs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/needs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// What every page of tools/list shows not to be there is nothing to judge; where the list
// ends early, or says too little, the role is still open.
func TestLists(t *testing.T) {
	t.Parallel()
	tool := func(schemas string) any {
		var made any
		if err := json.Unmarshal([]byte(`{"name":"berths",`+schemas+`}`), &made); err != nil {
			t.Fatal(err)
		}
		return made
	}
	header := func(of, kind string) any {
		return tool(`"inputSchema":{"type":"object","properties":{"harbour":` + strings.Replace(of, "X", `{`+kind+`"x-mcp-header":"Harbour"}`, 1) + `}}`)
	}
	const (
		plain  = "X"
		inside = `{"type":"object","properties":{"name":X}}`
	)
	bare := tool(`"inputSchema":{"type":"object"}`)
	for name, row := range map[string]struct {
		role  roles.Name
		field string
		tool  any
		cut   bool
		want  reports.ReasonKind
	}{
		"no header":                     {roles.ReadOnlyTool, "header", bare, false, reports.NotApplicable},
		"no header on the first page":   {roles.ReadOnlyTool, "header", bare, true, reports.NoRole},
		"a header that cannot be tried": {roles.ReadOnlyTool, "header", header(plain, `"type":"string",`), false, reports.NoRole},
		"no integer in a header":        {roles.ReadOnlyTool, "header-integer", header(plain, `"type":"string",`), false, reports.NotApplicable},
		"an integer in a header":        {roles.ReadOnlyTool, "header-integer", header(plain, `"type":"integer",`), false, reports.NoRole},
		"a header of several types":     {roles.ReadOnlyTool, "header-integer", header(plain, `"type":["integer","null"],`), false, reports.NoRole},
		"a header of no type":           {roles.ReadOnlyTool, "header-integer", header(plain, ``), false, reports.NoRole},
		"no header inside of an object": {roles.ReadOnlyTool, "header-nested", header(plain, `"type":"string",`), false, reports.NotApplicable},
		"a header inside of an object":  {roles.ReadOnlyTool, "header-nested", header(inside, `"type":"string",`), false, reports.NoRole},
		"no output schema":              {roles.Content, "structured", bare, false, reports.NotApplicable},
		"an output schema":              {roles.Content, "structured", tool(`"outputSchema":{"type":"object"}`), false, reports.NoRole},
		"an output schema of an object": {roles.Content, "non-object", tool(`"outputSchema":{"type":"object"}`), false, reports.NotApplicable},
		"an output schema of an array":  {roles.Content, "non-object", tool(`"outputSchema":{"type":"array"}`), false, reports.NoRole},
		"an output schema of no type":   {roles.Content, "non-object", tool(`"outputSchema":{}`), false, reports.NoRole},
		"what no list shows":            {roles.Content, "image", bare, false, reports.NoRole},
		"a role that no list speaks of": {roles.SlowTool, "", bare, false, reports.NoRole},
	} {
		need := suite.Role(row.role)
		if row.field != "" {
			need = suite.Role(row.role, row.field)
		}
		method := protocol.Tools().Method
		survey := &probe.Survey{Lists: map[string][]any{method: {row.tool}}, Whole: map[string]bool{method: !row.cut}}
		why, lacks := needs.Ground{Survey: survey}.Lacks(need)
		if !lacks || why.Kind != row.want || why.Kind == reports.NotApplicable && !strings.HasPrefix(why.Text, "no listed tool has ") {
			t.Errorf("%s: got %+v, want %s", name, why, row.want)
		}
		if _, lacks := (needs.Ground{Survey: survey}).Lacks(suite.Either(need, suite.Answers())); lacks {
			t.Errorf("%s: a need that something else meets is not met", name)
		}
	}
}
