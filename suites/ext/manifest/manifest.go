// Package manifest holds the cases of the manifest proposal: one document in which a
// server describes itself, and which is true of it.
package manifest

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-manifest",
		Title:     "one document describes the server, and is true",
		Extension: proposal.Extension("manifest"),
		Cases: slices.Concat(
			access(), servers(), tools(), schemaCases(), claims(), backed(),
			authentication(), limits(), runtime(),
		),
	}
}

// manifests are the needs of cases that rest on there being a manifest at all, which
// ext-manifest/available proves.
func manifests(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Claim("manifest")}, more...)
}

// handed is a case about a manifest that the server hands over.
func handed(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, more ...suite.Need) suite.Case {
	return bench.Case("ext-manifest/"+slug, title, rule, fix, run, manifests(more...)...)
}

// A document is the manifest that a case judges.
type document struct {
	proposal.Handed
	client *probe.Client
}

// of makes a case of a judgement of the document.
func of(judge func(d *document) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		h := proposal.ReadManifest(c)
		c.UndecideIf(h.Document == nil, "the server hands over no manifest; ext-manifest/available says so")
		return judge(&document{h, c})
	}
}

// at is what stands at a place of the document, and whether anything does.
func (d *document) at(path ...string) (any, bool) {
	var value any = d.Document
	for _, name := range path {
		inner, ok := probe.ObjectOf(value)[name]
		if !ok {
			return nil, false
		}
		value = inner
	}
	return value, true
}

// none expects that no problems were found; it shows the answer that holds the document.
func (d *document) none(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return d.violation("%s", some(problems))
}

// violation is shown by the answer that holds the document.
func (d *document) violation(format string, args ...any) *probe.Violation {
	return d.Shown.Violation(format, args...)
}

// fits expects a part of the document to fit a definition of the schema.
func (d *document) fits(definition string, value any, path ...any) error {
	problem := d.client.ExtensionProblem("manifest", definition, d.Pointer(path...), value)
	if problem == "" {
		return nil
	}
	return d.violation("%s", problem)
}

// fitting makes a case of a part of the document that has to fit a definition. Where
// it is absent, there is nothing to judge.
func fitting(definition string, path ...string) func(*probe.Client) error {
	return of(func(d *document) error {
		return d.fits(definition, d.needed(path...), steps(path)...)
	})
}

// needed is what stands at a place of the document. The case ends where nothing does.
func (d *document) needed(path ...string) any {
	value, ok := d.at(path...)
	if !ok {
		d.absent(path...)
	}
	return value
}

// absent ends a case whose part of the document is not there.
func (d *document) absent(path ...string) {
	d.client.NotSeen("the manifest has no " + strings.Join(path, "."))
}

// tools are the tools of the document. The case ends where these are no array.
func (d *document) tools() []any {
	listed, ok := d.Document["tools"].([]any)
	d.client.UndecideIf(!ok, "the manifest has no array of tools; ext-manifest/required-fields says so")
	return listed
}

// entries are the tools of the document that are objects; the others are a matter
// of ext-manifest/tool-required.
func (d *document) entries() []entry {
	var all []entry
	for i, value := range d.tools() {
		if tool, ok := value.(map[string]any); ok {
			all = append(all, entry{tool, i})
		}
	}
	d.client.NotSeenIf(len(all) == 0, "the manifest lists no tools")
	return all
}

// An entry is one tool of the document.
type entry struct {
	tool map[string]any
	at   int // among the tools
}

// name is the tool's name, empty where it has none that is a string.
func (e entry) name() string {
	return probe.TextOf(e.tool["name"])
}

func steps(path []string) []any {
	all := make([]any, len(path))
	for i, name := range path {
		all[i] = name
	}
	return all
}

// some puts the first few problems of one kind together, and counts the others.
func some(problems []string) string {
	const most = 3
	if len(problems) <= most {
		return strings.Join(problems, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(problems[:most], "; "), len(problems)-most)
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
	if known := c.Survey().Manifest.Load(); at.Document != nil && early == nil && known != nil && known.Refused != "" {
		return at.Shown.Violation("the answer to get_manifest was %s before any tool was called, "+
			"and is the manifest now, want it from the first request on",
			known.Refused)
	}
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
	return answer.Violation("the answer to get_manifest is %s, want an object with manifest_version, server and tools", got).
		Unless(answer.NotObject())
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
		c.Note("get_manifest was not answered with the manifest, which stands in another answer, such as that to " +
			protocol.Opening().At(c.Revision()) + "; the canonical form is the method get_manifest")
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
