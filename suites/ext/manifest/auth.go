package manifest

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func authentication() []suite.Case {
	return []suite.Case{
		handed("auth-methods-enum", "auth.methods names known methods", "ext-manifest-auth-methods-enum",
			"send an array of oauth2_device, oauth2_code, api_key, bearer_token and none", fitting("AuthMethods", "auth", "methods")),
		handed("session-ttl", "auth.session_ttl_seconds is an integer above zero", "ext-manifest-session-ttl",
			"send the lifetime of a session as a whole number of seconds", of(sessionTTL)),
		handed("scopes-shape", "each scope has a name, a description and an array of tools that it grants", "ext-manifest-scopes-shape",
			"send each scope as an object with name and description, and grants as an array of tool names", fitting("Scopes", "auth", "scopes")),
		handed("scopes-resolve", "scopes and tools of the manifest refer to each other", "ext-manifest-scopes-resolve",
			"declare each scope that a tool requires, and list in its grants the tools that exist and require it", of(scopesResolve)),
	}
}

func sessionTTL(d *document) error {
	path := []string{"auth", "session_ttl_seconds"}
	value := d.needed(path...)
	d.client.Must(d.fits("SessionTTL", value, steps(path)...))
	return probe.AtMostWarn(d.fits("StrictSessionTTL", value, steps(path)...))
}

// A declared scope, and the tools that it says it grants; a scope need not say.
type declared struct {
	at     int
	grants []string
	says   bool
}

func scopesResolve(d *document) error {
	d.tools()
	d.client.NotSeenIf(nameless(d.Handed), "a tool of the manifest has no name, which ext-manifest/tool-required judges")
	auth := d.needed("auth") // ext-manifest/content-complete says so
	d.client.NotSeenIf(probe.ObjectOf(auth) == nil, "auth of the manifest is not an object, which ext-manifest/content-complete judges")
	listed, has := d.at("auth", "scopes")
	d.client.NotSeenIf(has && d.fits("Scopes", listed, "auth", "scopes") != nil,
		"the scopes do not have their form, which ext-manifest/scopes-shape judges")
	known := map[string]declared{}
	for i, one := range probe.ArrayOf(listed) {
		name, ok := probe.ObjectOf(one)["name"].(string)
		grants, says := probe.ObjectOf(one)["grants"].([]any)
		if ok {
			known[name] = declared{i, probe.Strings(grants), says}
		}
	}
	problems, related := d.dangling(known)
	bears, lacking := names(d.Handed), 0
	for i, one := range probe.ArrayOf(listed) {
		for _, tool := range probe.Strings(probe.ObjectOf(one)["grants"]) {
			related = true
			if !bears[tool] {
				if proposal.Lists(d.client, tool) {
					lacking++
				}
				problems = append(problems, fmt.Sprintf("%s holds %q, want tools of the manifest",
					d.Where("auth", "scopes", i, "grants"), tool))
			}
		}
	}
	switch {
	case len(problems) > 0 && lacking == len(problems):
		return d.violation("%s", some(problems)).
			Unless(probe.Elsewhere{Case: "ext-manifest/tools-equal-list", Why: "the manifest lacks tools that tools/list has"})
	case len(problems) > 0:
		return d.violation("%s", some(problems))
	case !has && !related:
		d.client.NotSeen("the manifest has no scopes")
	case !related:
		d.client.NotSeen("no scope grants a tool, and no tool requires a scope")
	}
	return nil
}

// dangling are the scopes that tools require and that are not declared, or that do
// not grant them.
func (d *document) dangling(known map[string]declared) (problems []string, related bool) {
	for i, one := range probe.ArrayOf(d.Document["tools"]) {
		tool := probe.ObjectOf(one)
		name, _ := tool["name"].(string)
		for _, scope := range probe.Strings(tool["required_scopes"]) {
			related = true
			declaration, ok := known[scope]
			switch {
			case !ok:
				problems = append(problems, fmt.Sprintf("%s holds %q, want scopes of auth.scopes",
					d.Where("tools", i, "required_scopes"), scope))
			case declaration.says && !slices.Contains(declaration.grants, name):
				problems = append(problems, fmt.Sprintf("%s lacks %q, which requires this scope",
					d.Where("auth", "scopes", declaration.at, "grants"), name))
			}
		}
	}
	return problems, related
}
