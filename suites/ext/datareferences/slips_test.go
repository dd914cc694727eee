package datareferences_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/datareferences"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// What stands in place of a reference, or among several, is one finding.
func TestMisshapenReferences(t *testing.T) {
	t.Parallel()
	for name, instead := range map[string]func(reference object) any{
		"a string in place of a reference":     func(object) any { return "ref-1" },
		"a number behind a reference":          func(reference object) any { return []any{reference, 7} },
		"a string before a reference":          func(reference object) any { return []any{"ref-1", reference} },
		"a second reference without its type":  func(reference object) any { return []any{reference, without(reference, "mime_type")} },
		"a second reference without an origin": func(reference object) any { return []any{reference, without(reference, "origin_server")} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Parse(config.FileName, []byte(asTool), nil, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			server := shelf{put: func(result, reference object) {
				result["_meta"] = object{"data_reference": instead(reference)}
			}}.server("ext:data_references")
			own := datareferences.Suite().Name
			report := proof.Judged(t, plan.Plan{Config: cfg, Local: &plan.Local{Serve: server.Serve}, Selected: func(s suite.Suite, _ suite.Case) bool {
				return s.Name == own
			}})
			blamed := map[string]reports.Status{}
			for _, f := range report.Findings {
				if f.Status != reports.Pass && f.Status != reports.Skip {
					blamed[f.Case] = f.Status
				}
			}
			if diff := cmp.Diff(map[string]reports.Status{own + "/reference-required": reports.Fail}, blamed); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func without(reference object, name string) object {
	rest := object{}
	for key, value := range reference {
		if key != name {
			rest[key] = value
		}
	}
	return rest
}
