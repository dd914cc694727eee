package discover

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func resultCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:     "discover/result",
			Title:  "the server/discover result lists revisions and capabilities as the schema says",
			Checks: []requirements.ID{"discover-result-schema"},
			Fix:    "answer server/discover with an array of strings as supportedVersions and an object of capabilities",
			Owns:   []suite.Part{{Of: "server/discover"}},
			Run:    result,
		},
		{
			ID:     "discover/instructions",
			Title:  "the instructions in the server/discover result are a string",
			Checks: []requirements.ID{"discover-instructions-string"},
			Fix:    "return instructions as one string, or leave the property out",
			Run:    instructions,
		},
		{
			ID:     "discover/current-version",
			Title:  "supportedVersions has the revision it is answered in, and none twice",
			Checks: []requirements.ID{"discover-lists-current-version"},
			Fix:    "list each supported revision once in supportedVersions",
			Run:    currentVersion,
		},
		{
			ID:     "discover/versions-served",
			Title:  "the revisions in supportedVersions are served",
			Checks: []requirements.ID{"discover-versions-accurate"},
			Fix:    "list in supportedVersions only what a request, or an initialize, may name",
			Run:    versionsServed,
		},
	}
	// The page of each list has a rule for it too.
	listed := map[string]requirements.ID{
		"tools": "tools-list-answered", "resources": "resources-list-answered", "prompts": "prompts-list-answered",
	}
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		var proves []suite.Need
		if l.Name != "tools" { // tools/list-answered speaks beside this case, those of the other pages are blocked by it
			proves = []suite.Need{suite.Capability(l.Capability)}
		}
		cases = append(cases, declared.Answered(declared.Row{
			ID: "discover/declared-" + l.Name, List: l, Proves: proves,
			Title:  "the " + l.Name + " that server/discover declares can be listed",
			Checks: []requirements.ID{listed[l.Name], "discover-capabilities-accurate"},
			Fix:    "serve " + l.Method + " or leave " + l.Capability + " out of the capabilities",
		})...)
	}
	return cases
}

// result leaves out the parts that have rules of their own: instructions, extensions
// among the capabilities, the presence of resultType, metadata and caching hints.
func result(c *probe.Client) error {
	reply := discovered(c)
	whole, _ := reply.Result()
	if _, typed := whole["resultType"].(string); typed {
		c.Must(reply.Want("/result/resultType", probe.Equal(protocol.Complete)))
	}
	rest := probe.Object(whole).Without("instructions").Without("_meta").With("resultType", protocol.Complete).
		With("ttlMs", json.Number("0")).With("cacheScope", "private")
	if capabilities, ok := whole["capabilities"].(map[string]any); ok {
		rest["capabilities"] = map[string]any(probe.Object(capabilities).Without("extensions"))
	}
	return reply.Fits("DiscoverResult", "/result", map[string]any(rest))
}

func instructions(c *probe.Client) error {
	return discovered(c).Want("/result/instructions", probe.OrMissing(probe.AString()))
}

func currentVersion(c *probe.Client) error {
	reply := discovered(c)
	current := string(c.Revision())
	once := probe.That("an array with "+current+" and without duplicates", func(v any) bool {
		all := probe.Strings(v)
		slices.Sort(all)
		return slices.Contains(all, current) && len(slices.Compact(all)) == len(all)
	})
	return reply.Want("/result/supportedVersions", once)
}

// versionsServed checks revisions with a handshake against the answers that discovery
// got. Over HTTP the oldest revision may be served at another endpoint.
func versionsServed(c *probe.Client) error {
	listing := discovered(c)
	listed, _ := listing.At("/result/supportedVersions")
	spoken := c.Versions()
	for _, version := range probe.Strings(listed) {
		r := requirements.Revision(version)
		switch {
		case !protocol.HasHandshake(version), slices.Contains(spoken.Echoed, r):
			continue
		case c.Transport() == requirements.HTTP && !slices.Contains(protocol.Streamable(), r):
			continue
		}
		other := c.Another()
		reply := other.Handshake(other.InitializeParams(r))
		if reply.Want("/result/protocolVersion", probe.Equal(version)) != nil {
			return probe.Shown(listing, reply).Violation("$.result.supportedVersions lists %q, and %s at that revision got %s",
				version, reply.Method, reply.Outcome())
		}
	}
	return nil
}
