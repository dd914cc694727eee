package caching

import (
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// These properties are the hints.
const (
	ttl   = "ttlMs"
	scope = "cacheScope"
)

// hintCases watch whether results have the hints, separately for each method.
func hintCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, method, capability string
		rule                     requirements.ID
	}{
		{"discover", "server/discover", "", "caching-hints-discover"},
		{"tools-list", "tools/list", "tools", "caching-hints-tools-list"},
		{"prompts-list", "prompts/list", "prompts", "caching-hints-prompts-list"},
		{"resources-list", "resources/list", "resources", "caching-hints-resources-list"},
		{"templates-list", "resources/templates/list", "resources", "caching-hints-resource-templates-list"},
		{"resources-read", "resources/read", "resources", "caching-hints-resources-read"},
	} {
		var needs []suite.Need
		if row.capability != "" {
			needs = append(needs, suite.Capability(row.capability))
		}
		cases = append(cases, suite.Case{
			ID:     "caching/hints-" + row.slug,
			Title:  "complete results of " + row.method + " have ttlMs and cacheScope",
			Checks: []requirements.ID{row.rule},
			Needs:  needs,
			Fix:    "add ttlMs and cacheScope to every complete result of " + row.method + "; 0 and private promise nothing",
			Sees:   "a complete result of " + row.method,
			Watch:  probe.OnResult(row.method, hinted),
		})
	}
	return cases
}

func hinted(a probe.Answer) probe.Opinion {
	if !complete(a) {
		return probe.Nothing()
	}
	var missing []string
	for _, hint := range []string{ttl, scope} {
		if _, ok := a.Result[hint]; !ok {
			missing = append(missing, a.Where("/result/"+hint))
		}
	}
	if len(missing) > 0 {
		return probe.Breaks("%s is missing, want both caching hints", strings.Join(missing, " and "))
	}
	return probe.Kept()
}

// complete reports whether a result is final. For clients a result without a type is
// final; jsonrpc/result-type-present judges the missing type.
func complete(a probe.Answer) bool {
	kind, typed := a.Result["resultType"]
	return !typed || kind == protocol.Complete
}

// valueCases watch the values of the hints.
func valueCases() []suite.Case {
	return append(shapes.Cases(shapes.In{Suite: "caching", Methods: protocol.Cacheable(), Sees: "a result with caching hints"},
		shapes.Row{
			Slug: "ttl", Title: "ttlMs is an integer of 0 or more", Rule: "caching-ttl-valid",
			Fix:    "write ttlMs as a whole number of milliseconds, and 0 for a result that is stale at once",
			Values: []shapes.Value{{At: "/" + ttl, Given: true, Want: probe.That("an integer of 0 or more", natural)}},
		},
		shapes.Row{
			Slug: "scope", Title: "cacheScope is public or private", Rule: "caching-scope-valid",
			Fix:    "write public or private as cacheScope",
			Values: []shapes.Value{{At: "/" + scope, Given: true, Want: shapes.OneOf("public", "private")}},
		},
	), suite.Case{
		ID:     "caching/none-on-interim",
		Title:  "a result that asks for input has no caching hints",
		Checks: []requirements.ID{"caching-none-on-interim"},
		Fix:    "leave ttlMs and cacheScope out of results whose resultType is input_required",
		Sees:   "a result that asks for input",
		Watch:  onInterim,
	})
}

func natural(v any) bool {
	number, _ := v.(json.Number)
	n, whole := frame.Integer(number.String())
	return whole && n >= 0
}

func onInterim() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		_, asks := m.At("/result/inputRequests")
		_, waits := m.At("/result/requestState")
		if m.Class != frame.Result || m.Value("/result/resultType") != protocol.InputRequired || !asks && !waits {
			return probe.Nothing() // jsonrpc/result-type-complete judges a result that only claims to need input
		}
		for _, hint := range []string{ttl, scope} {
			if v, ok := m.At("/result/" + hint); ok {
				return probe.Breaks("%s is %s in a result that asks for input, want no caching hints", m.Where("/result/"+hint), probe.Show(v))
			}
		}
		return probe.Kept()
	})()
}
