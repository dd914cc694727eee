package manifest

import (
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const list = "supported_extensions"

func claims() []suite.Case {
	return []suite.Case{
		handed("extensions-enum", "supported_extensions holds defined names only", "ext-manifest-extensions-enum",
			"send an array of names out of these, each at most once: "+strings.Join(tokens(), ", "), of(extensionsEnum)),
		handed("claims-agree", "the manifest and the capabilities name the same extensions", "ext-manifest-claims-agree",
			"make supported_extensions and capabilities.extensions from the same list", of(claimsAgree)),
		handed("claims-agree-later", "supported_extensions is the same after a failed request", "ext-manifest-claims-agree",
			"decide what the server supports before it accepts its first request", of(claimsAgreeLater)),
	}
}

func extensionsEnum(d *document) error {
	value, ok := d.Document[list]
	if !ok {
		d.absent(list)
		return nil
	}
	d.client.Must(d.fits("Extensions", value, list))
	seen := map[string]bool{}
	for i, name := range probe.Strings(value) {
		if seen[name] {
			return d.violation("%s is %q, which occurs before, want each name once", d.Where(list, i), name).AtMostWarn()
		}
		seen[name] = true
	}
	return nil
}

// A server may declare its extensions in the manifest alone: then there is nothing
// that could disagree.
func claimsAgree(d *document) error {
	value, ok := d.Document[list].([]any)
	if !ok {
		d.absent(list)
		return nil
	}
	listed, declared := set(probe.Strings(value)), declaredTokens(d.client.Survey().Capabilities)
	if len(declared) == 0 {
		d.client.NotSeen("the capabilities name none of the extensions that have a name in the manifest")
	}
	var problems []string
	for _, token := range slices.Sorted(maps.Keys(declared)) {
		if !listed[token] {
			problems = append(problems, fmt.Sprintf("%s lacks %q, which the capabilities declare", d.Where(list), token))
		}
	}
	for _, token := range slices.Sorted(maps.Keys(listed)) {
		if !declared[token] && slices.Contains(tokens(), token) {
			problems = append(problems, fmt.Sprintf("%s holds %q, which the capabilities do not declare", d.Where(list), token))
		}
	}
	return d.none(problems)
}

// declaredTokens are the names of the manifest that the capabilities declare.
func declaredTokens(capabilities map[string]any) map[string]bool {
	declared := map[string]bool{}
	for _, member := range []string{"extensions", "experimental"} {
		for key := range probe.ObjectOf(capabilities[member]) {
			declared[strings.TrimPrefix(key, proposal.Prefix)] = strings.HasPrefix(key, proposal.Prefix)
		}
		for _, token := range probe.Strings(capabilities[member]) {
			declared[token] = true
		}
	}
	maps.DeleteFunc(declared, func(token string, claimed bool) bool { return !claimed || !slices.Contains(tokens(), token) })
	return declared
}

// tokens are the names that a manifest has for extensions.
func tokens() []string {
	return []string{
		"streaming", "progress_notifications", "idempotency", "transactions", "session_state", "intent_hints", "provenance",
		"human_in_the_loop", "data_references", "subscribe_notify", "server_recommendations", "structured_errors",
		"multimodal_signatures", "conformance",
	}
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// The first document is that of discovery, which causes no failure of a tool.
func claimsAgreeLater(d *document) error {
	early := proposal.Manifest(d.client)
	if early == nil {
		d.client.NotSeen("the server handed no manifest over at first")
	}
	before, ok := early[list]
	if !ok {
		before = probe.Absent{}
	}
	failed := d.client.Call("tools/call", probe.Object{"name": "kit_" + d.client.Nonce(), "arguments": probe.Object{}})
	later := proposal.ReadManifestAnew(d.client)
	if later.Document == nil {
		d.client.Undecide("the server hands over no manifest any more; ext-manifest/available says so")
	}
	after, ok := later.Document[list]
	if !ok {
		after = probe.Absent{}
	}
	if !probe.Same(sorted(before), sorted(after)) {
		return probe.Shown(failed).And(later.Shown).Violation("%s is %s after a failed request, want %s as at first",
			later.Where(list), probe.Show(after), probe.Show(before))
	}
	return nil
}

// sorted is an array of strings whatever its order.
func sorted(v any) any {
	names := probe.Strings(v)
	if all, ok := v.([]any); !ok || len(names) != len(all) {
		return v
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

func access() []suite.Case {
	return []suite.Case{
		{
			ID:     "ext-manifest/available",
			Title:  "the manifest is available as soon as the connection is",
			Checks: []requirements.ID{"ext-manifest-available"},
			Proves: []suite.Need{suite.Claim("manifest")},
			Fix:    "answer get_manifest with the document itself as the result, from the first request on",
			Run:    available,
		},
		handed("available-form", "the manifest is available in a form that clients find", "ext-manifest-available",
			"offer the JSON-RPC method get_manifest, or list the tool of that name in tools/list", availableForm),
		handed("required-fields", "the manifest has manifest_version, server and tools", "ext-manifest-required-fields",
			"send manifest_version, server as an object, and tools as an array", fitting("Outline")),
		handed("version-const", "manifest_version is 0.1.0", "ext-manifest-version-const",
			`send manifest_version "0.1.0": it is the version of the form, and not that of the server`, fitting("Version", "manifest_version")),
	}
}

// Discovery has asked before any tool was called. What it did not get, and this
// connection does, has to come over a new connection as well.
func available(c *probe.Client) error {
	at := proposal.ReadManifest(c)
	early := proposal.Manifest(c)
	if at.Document != nil && early == nil {
		c = c.Opened()
		at = proposal.ReadManifestAnew(c)
	}
	if at.Document != nil {
		return nil
	}
	answer := proposal.GetManifest().Ask(c, nil)
	if proposal.IsManifest(answer.Object) {
		// A limit or a gateway stood in the way: who asks again gets it.
		c.Undecide("one request for the manifest was not answered with it, and the next one was")
	}
	got := answer.Outcome()
	if value, ok := answer.At("/result"); ok {
		got = "a result without a manifest: " + probe.Show(value)
	}
	return answer.Violation("the answer to get_manifest is %s, want an object with manifest_version, server and tools", got)
}

// availableForm says in which form the document came, if it is not the canonical one.
func availableForm(c *probe.Client) error {
	answer := proposal.GetManifest().Ask(c, nil)
	served := proposal.ServedManifest(c)
	switch {
	case proposal.IsManifest(answer.Object):
		if served.Document != nil {
			compare(c, served, answer.Object)
		}
		return proposal.GetManifest().NoteForm(c, answer)
	case served.Document != nil:
		c.Note("the manifest is handed over by GET /capabilities only; the canonical form is the method get_manifest")
		compare(c, served, served.Document)
	default:
		c.Note("the manifest stands in the answer to the opening only; the canonical form is the method get_manifest")
	}
	return nil
}

// compare notes what a manifest with an address of its own lacks. Nobody has to
// serve one, so that this is no more than a note.
func compare(c *probe.Client, served proposal.Handed, document map[string]any) {
	if kind, _, err := mime.ParseMediaType(served.Type); err != nil || kind != "application/json" {
		c.Note("GET /capabilities serves the manifest as " + probe.Show(served.Type) + ", not as application/json")
	}
	if !probe.Same(proposal.Steady(served.Document), proposal.Steady(document)) {
		c.Note("GET /capabilities serves another document than the method does")
	}
}
