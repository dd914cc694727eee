package proposal

import (
	"context"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// GetManifest is the method that hands over the document in which a server
// describes itself. The older names are too common to be tried on servers that do
// not claim the extension by name.
func GetManifest(c *probe.Client) Method {
	m := Method{Extension: "manifest", Name: "get_manifest", Tools: []string{"get_manifest"}, Harmless: true}
	if Explicit(c, "manifest") {
		m.Aliases = []string{"manifest/get", "capabilities"}
	}
	return m
}

// Manifest is the document in which the server describes itself, nil where it
// hands none over. It is asked for once for a column; what stands in the answer to
// the opening is found there.
func Manifest(ctx context.Context, c *probe.Client) (probe.Object, error) {
	s := c.Survey()
	if s.Manifest != nil {
		return s.Manifest.Document, nil
	}
	found := &probe.Manifest{}
	if document, place := embedded(c); document != nil {
		found.Document, found.Form = document, place
	} else {
		answer, err := GetManifest(c).Ask(ctx, c, nil)
		if err != nil {
			return nil, err
		}
		if IsManifest(answer.Object) {
			found.Document, found.Form = answer.Object, answer.Form
		}
	}
	s.Manifest = found
	return found.Document, nil
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
func manifestItself(ctx context.Context, c *probe.Client) (probe.Strength, string, error) {
	document, err := Manifest(ctx, c)
	if err != nil || document == nil {
		return "", "", err
	}
	return probe.Strong, "a manifest, by " + c.Survey().Manifest.Form, nil
}
