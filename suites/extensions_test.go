package suites_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Each extension of the reference server keeps its rules when it is offered
// alone, and no extension is judged where the server does not offer it. With
// -times every revision is judged, the first three times by every suite.
func TestExtensionsAlone(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"none"}, server.Extensions()...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range *times {
				judgeAlone(t, name, n)
			}
		})
	}
}

func judgeAlone(t *testing.T, name string, n int) {
	local := inprocess.Offering()
	if name != "none" {
		local = inprocess.Offering(name)
	}
	plan := suites.Plan{Config: proof.Config(t), Local: local, Seed: uint64(n)}
	plan.Config.Revisions.All = *times > 1
	if *times == 1 {
		plan.Config.Transport = config.HTTP // extensions have cases about its headers, and none about stdio
	}
	plan.Selected = func(s suite.Suite, c suite.Case) bool {
		if c.ID == "tools/access-control" && name != "permissions" {
			return false // roles.denied belongs to that extension
		}
		return (*times > 1 && n < 3 || strings.HasPrefix(s.Name, "ext-")) && c.Lane != suite.Waits
	}
	report := proof.Judge(t, plan)
	all := suites.All()
	passed, plain := 0, 0
	for _, f := range report.Findings {
		i := slices.IndexFunc(all, func(s suite.Suite) bool { return s.Name == f.Suite })
		extension := all[i].Extension
		own := extension.Name == name || strings.HasPrefix(extension.Name, name+"-") || slices.ContainsFunc(extension.ImpliedBy, func(by suite.Extension) bool { return by.Name == name })
		always := extension.Name == "" // it holds with and without extensions
		switch {
		case f.Status == reports.Pass && own:
			passed++
		case always && f.Status == reports.Pass:
			plain++
		case f.Status == reports.Skip && f.Reason.Kind != reports.Undecided &&
			(own || f.Reason.Kind == reports.NotClaimed || always && f.Reason.Kind != reports.Blocked):
		default:
			t.Errorf("%s at %s over %s: %s %s %+v", f.Case, f.Revision, f.Transport, f.Status, f.Problem, f.Reason)
		}
	}
	if plain == 0 {
		t.Error("nothing was found out about extensions that the server lacks")
	}
	if (passed > 0) != (name != "none") {
		t.Errorf("%d cases passed: %s", passed, strings.TrimSpace(report.Verdict.Text))
	}
}

// The kit ignores unknown properties: a server that adds its own properties to
// the messages of extensions keeps all their rules.
func TestUnknownPropertiesAreIgnored(t *testing.T) {
	t.Parallel()
	f := &fault.Fault{
		Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok {
				adorn(map[string]any(result), x.Method != "tools/call")
			}
			if failure, failed := m["error"].(map[string]any); failed {
				adorn(failure["data"], true)
			}
		},
		Notify: func(_ fault.Exchange, m fault.Message) {
			adorn(m["params"], true)
		},
	}
	cfg := proof.Config(t)
	cfg.Transport = config.Stdio // messages say the same over HTTP
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: inprocess.Server(f), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, c suite.Case) bool {
			return strings.HasPrefix(s.Name, "ext-") && c.Lane != suite.Waits
		},
	})
	lawful.NothingSaid(t, report)
	if !slices.ContainsFunc(report.Findings, func(f reports.Finding) bool { return f.Status == reports.Pass }) {
		t.Error("nothing passed, so this shows nothing")
	}
}

// adorn adds a property of another vendor to the objects of an answer. It adds
// nothing where a schema or a tool chooses the names.
func adorn(value any, deeper bool) {
	var object map[string]any
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			adorn(item, deeper)
		}
		return
	case fault.Message:
		object = v
	case map[string]any:
		object = v
	default:
		return
	}
	for name, inner := range object {
		named := slices.Contains([]string{
			"inputSchema", "outputSchema", "input_schema", "output_schema", "structuredContent", "arguments", "parameters", "data", "extensions",
			"experimental", "partial_result", "result", "install",
		}, name)
		if !named && (deeper || name == "_meta") {
			adorn(inner, true)
		}
	}
	object["x-vendor.example"] = map[string]any{"colour": "blue", "list": []any{1, nil}}
}
