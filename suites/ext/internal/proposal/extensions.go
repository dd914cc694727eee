package proposal

import (
	"maps"
	"slices"
	"strings"

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
		"confirmation":       confirmationFlags,
		"cost-latency":       costsStated,
		"manifest":           manifestItself,
		"permissions":        permissionsAnswered,
		"streaming":          streamingFlags,
		"structured-errors":  recordSeen,
		"well-known":         documentServed,
		"dashdash-init":      blockSeen,
		"dashdash-tools":     itemsSeen(protocol.Tools()),
		"dashdash-ai-help":   helpSeen,
		"dashdash-resources": itemsSeen(protocol.Resources()),
		"multimodal":         signatures,
		"server-discovery":   recommendationsListed,
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
		if listed, _ := Manifest(c)["supported_extensions"].([]any); slices.Contains(listed, any(token)) {
			return probe.Explicit, "supported_extensions of the manifest"
		}
		if further == nil {
			return "", ""
		}
		return further(c)
	}
	return e
}

// Offers reports whether a server shows in any way that it has an extension, be it
// one that no suite judges: by a claim, or by its token under any prefix or none.
func Offers(c *probe.Client, name string) bool {
	s := c.Survey()
	if _, claimed := s.Claims[name]; claimed {
		return true
	}
	listed, _ := Manifest(c)["supported_extensions"].([]any)
	for _, held := range []any{s.Capabilities["extensions"], s.Capabilities["experimental"], s.Capabilities["tools"], listed} {
		if slices.Contains(names(held), token(name)) {
			return true
		}
	}
	return false
}

// Tokens are the names that the extensions have behind their prefix, sorted.
func Tokens() []string {
	var all []string
	for _, e := range extensions() {
		all = append(all, last(e.Key()))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// token is the last part of the key of an extension.
func token(name string) string { return last(Extension(name).Key()) }

func last(key string) string {
	_, name, _ := strings.Cut(key, "/")
	return name
}

// names are the keys of an object, or the strings of an array, without prefixes.
func names(held any) []string {
	all := probe.Strings(held)
	if o, ok := held.(map[string]any); ok {
		all = slices.Collect(maps.Keys(o))
	}
	for i, name := range all {
		if _, last, prefixed := strings.Cut(name, "/"); prefixed {
			all[i] = last
		}
	}
	return all
}

// StreamingTools are the tools that are flagged to hand out their results piece by
// piece, in the manifest or in tools/list. Anywhere reports whether the server has
// a place for such flags: a manifest, or an entry with one.
func StreamingTools(c *probe.Client) (flagged []string, anywhere bool) {
	document := Manifest(c)
	inManifest, stated := flaggedAmong(document["tools"])
	inList, listed := flaggedAmong(c.Survey().Lists[protocol.Tools().Method])
	return append(inManifest, inList...), document != nil || stated || listed
}

// flaggedAmong gives the names of the entries with the flag, and whether any entry
// has it, set or not.
func flaggedAmong(tools any) (flagged []string, stated bool) {
	for _, entry := range probe.ArrayOf(tools) {
		tool := probe.ObjectOf(entry)
		name, _ := tool["name"].(string)
		meta := probe.ObjectOf(tool["_meta"])
		for _, held := range []any{tool["supports_streaming"], meta["supports_streaming"], meta[Prefix+"supports_streaming"]} {
			stated = stated || held != nil
			if held == true {
				flagged = append(flagged, name)
			}
		}
	}
	return flagged, stated
}

// A manifest with recommendations shows the extension; the method may be missing then.
func recommendationsListed(c *probe.Client) (probe.Strength, string) {
	if len(probe.ArrayOf(Manifest(c)["recommendations"])) > 0 {
		return probe.Strong, "recommendations of the manifest"
	}
	return "", ""
}

// A manifest that says of a tool that it streams shows the extension; the same
// flag in tools/list may mean something else.
func streamingFlags(c *probe.Client) (probe.Strength, string) {
	if flagged, _ := flaggedAmong(Manifest(c)["tools"]); len(flagged) > 0 {
		return probe.Strong, "supports_streaming of " + flagged[0] + " in the manifest"
	}
	if flagged, _ := flaggedAmong(c.Survey().Lists[protocol.Tools().Method]); len(flagged) > 0 {
		return probe.Weak, "supports_streaming of " + flagged[0] + " in tools/list"
	}
	return "", ""
}

// SignatureMembers are what a tool says of its binary data.
func SignatureMembers() []string {
	return []string{"input_types", "output_types", "max_input_size_bytes", "binary_transport"}
}

// A manifest that has a signature shows the extension; the same properties in tools/list
// may mean something else.
func signatures(c *probe.Client) (probe.Strength, string) {
	for _, held := range []struct {
		tools    any
		strength probe.Strength
		where    string
	}{{Manifest(c)["tools"], probe.Strong, "the manifest"}, {c.Survey().Lists[protocol.Tools().Method], probe.Weak, "tools/list"}} {
		for _, entry := range probe.ArrayOf(held.tools) {
			tool := probe.ObjectOf(entry)
			for _, name := range SignatureMembers() {
				if tool[name] != nil {
					return held.strength, name + " of " + probe.TextOf(tool["name"]) + " in " + held.where
				}
			}
		}
	}
	return "", ""
}
