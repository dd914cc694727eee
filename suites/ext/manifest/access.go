package manifest

import (
	"mime"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

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

func outlines() []suite.Case {
	return []suite.Case{
		handed("required-fields", "the manifest has manifest_version, server and tools", "ext-manifest-required-fields",
			"send manifest_version, server as an object, and tools as an array", fitting("Outline")),
		handed("version-const", "manifest_version is 0.1.0", "ext-manifest-version-const",
			`send manifest_version "0.1.0": it is the version of the form, and not that of the server`, fitting("Version", "manifest_version")),
	}
}
