package proposal

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// extensions are those of the catalogue, in its order. A token that differs from
// the name stands here, and so does what a claim implies.
func extensions() []suite.Extension {
	return []suite.Extension{
		{Name: "manifest"},
		{Name: "intent", Token: "intent_hints"},
		{Name: "cost-latency", Token: "cost_latency"},
		{Name: "permissions"},
		{Name: "idempotency"},
		{Name: "transactions", Implies: []string{"idempotency"}},
		{Name: "confirmation", Token: "human_in_the_loop"},
		{Name: "provenance"},
		{Name: "progress", Token: "progress_notifications"},
		{Name: "streaming"},
		{Name: "data-references", Token: "data_references"},
		{Name: "multimodal", Token: "multimodal_signatures"},
		{Name: "structured-errors", Token: "structured_errors"},
		{Name: "server-discovery", Token: "server_recommendations"},
		{Name: "session-state", Token: "session_state"},
		{Name: "push", Token: "subscribe_notify"},
		// The four parts of dashdash are declared together, under its own prefix.
		{Name: "dashdash-init", Token: protocol.DashdashExtension},
		{Name: "dashdash-tools", Token: protocol.DashdashExtension},
		{Name: "dashdash-ai-help", Token: protocol.DashdashExtension},
		{Name: "dashdash-resources", Token: protocol.DashdashExtension},
		{Name: "well-known"},
	}
}

// Extension is what a suite says of the extension that it judges: by which token
// servers declare it, what is claimed with it, and what it is claimed with. A
// name that the catalogue does not have gives the zero value.
func Extension(name string) suite.Extension {
	all := extensions()
	i := slices.IndexFunc(all, func(e suite.Extension) bool { return e.Name == name })
	if i < 0 {
		return suite.Extension{}
	}
	e := withEvidence(all[i])
	for _, other := range all {
		if slices.Contains(other.Implies, name) {
			e.ImpliedBy = append(e.ImpliedBy, withEvidence(other))
		}
	}
	return e
}

// evidence shows that a server has an extension although it does not declare it.
// It is empty where there is none.
type evidence func(c *probe.Client) (probe.Strength, string)

// own are the kinds of evidence that extensions have beside the manifest.
func own(name string) evidence {
	return map[string]evidence{
		"manifest":          manifestItself,
		"permissions":       permissionsAnswered,
		"streaming":         streamingFlags,
		"structured-errors": recordSeen,
	}[name]
}

// withEvidence has the manifest read: a token in it is a claim by name.
func withEvidence(e suite.Extension) suite.Extension {
	token := e.Token
	if token == "" {
		token = e.Name
	}
	further := own(e.Name)
	e.Evidence = func(c *probe.Client) (probe.Strength, string) {
		document := Manifest(c)
		if listed, _ := document["supported_extensions"].([]any); slices.Contains(listed, any(token)) {
			return probe.Explicit, "supported_extensions of the manifest"
		}
		if further == nil {
			return "", ""
		}
		return further(c)
	}
	return e
}
