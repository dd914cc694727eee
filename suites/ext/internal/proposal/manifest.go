package proposal

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// GetManifest is the method that hands over the document in which a server
// describes itself.
func GetManifest() Method {
	return Method{
		Extension: "manifest", Name: "get_manifest", Aliases: []string{"manifest/get", "capabilities"}, Tools: []string{"get_manifest"},
		Harmless: true,
	}
}

// Manifest is the document in which the server describes itself, nil where it
// hands none over. It is asked for once for a column; what stands in the answer to
// the opening is found there.
func Manifest(c *probe.Client) probe.Object {
	s := c.Survey()
	if s.Manifest != nil {
		return s.Manifest.Document
	}
	found := &probe.Manifest{}
	if document, place := embedded(c); document != nil {
		found.Document, found.Form = document, place
	} else {
		var answer Answer
		why := c.Try(func() { answer = GetManifest().Ask(c, nil) })
		withheld := (*probe.Undecided)(nil)
		if why != nil && !errors.As(why, &withheld) {
			c.Stop(why)
		}
		if IsManifest(answer.Object) {
			found.Document, found.Form = answer.Object, answer.Form
		} else if served := ServedManifest(c); served.Document != nil {
			found.Document, found.Form = served.Document, overHTTP
		}
		if found.Document == nil && withheld != nil {
			// The configuration, which is read later, may allow the tool that may be it.
			return found.Document
		}
	}
	s.Manifest = found
	return found.Document
}

// unasked is how long a document is awaited at least that may not be there: what a server
// claims must not depend on how busy the machine is.
const unasked = 2 * time.Second

// overHTTP is the form of a manifest that has an address of its own.
const overHTTP = "W:/capabilities"

// ServedManifest is the manifest at an address of its own, beside the endpoint. What
// else may be served there is none.
func ServedManifest(c *probe.Client) Handed {
	patience := min(max(c.Waits().Event, unasked), c.Waits().Answer)
	if known := c.Survey().Manifest; Explicit(c, "manifest") || known != nil && known.Document != nil {
		patience = c.Waits().Answer
	}
	served, named := c.CapabilitiesDocument(patience)
	if served.Status != http.StatusOK || !served.Whole {
		return Handed{}
	}
	document := object(frame.Read(served.Body).Value)
	if _, versioned := document["manifest_version"]; !IsManifest(document) || !versioned && !named {
		return Handed{}
	}
	c.Learn("form:manifest/capabilities", func() string { return overHTTP })
	at, unknown := http.ParseTime(served.Header.Get("Date"))
	if unknown != nil {
		at = time.Now()
	}
	return Handed{
		Document: document, Whole: document, Shown: probe.Shown(served), At: at, Type: served.Header.Get("Content-Type"), spot: spot{path: "$"},
	}
}

// IsManifest reports whether a value is recognised as a manifest: an object with
// two of its three main properties.
func IsManifest(document map[string]any) bool {
	n := 0
	for _, name := range []string{"manifest_version", "server", "tools"} {
		if _, ok := document[name]; ok {
			n++
		}
	}
	return n >= 2
}

// embedded looks for a manifest in the answer to the opening.
func embedded(c *probe.Client) (document map[string]any, place string) {
	for _, s := range c.Since(0) {
		if document, p := within(object(s.Message().Members["result"])); document != nil {
			return document, p.name
		}
	}
	return nil, ""
}

// A spot is where a manifest may stand in an answer: in words, as a pointer into the
// message, and as problems show it.
type spot struct{ name, pointer, path string }

func within(result map[string]any) (map[string]any, spot) {
	meta := object(result["_meta"])
	for _, p := range []struct {
		spot
		held any
	}{
		{spot{"result.manifest", "/result/manifest", "$.result.manifest"}, result["manifest"]},
		{spot{"_meta.manifest", "/result/_meta/manifest", "$.result._meta.manifest"}, meta["manifest"]},
		{spot{
			"_meta[" + Prefix + "manifest]", "/result/_meta/" + strings.ReplaceAll(Prefix, "/", "~1") + "manifest",
			`$.result._meta["` + Prefix + `manifest"]`,
		}, meta[Prefix+"manifest"]},
	} {
		if o := object(p.held); IsManifest(o) {
			return o, p.spot
		}
	}
	return nil, spot{}
}

// A server that hands a manifest over has the extension, whatever it declares.
func manifestItself(c *probe.Client) (probe.Strength, string) {
	document := Manifest(c)
	if document == nil {
		return "", ""
	}
	return probe.Strong, "a manifest, by " + c.Survey().Manifest.Form
}
