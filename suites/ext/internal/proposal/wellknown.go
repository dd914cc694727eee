package proposal

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A WellKnown is what stands at the well-known address of a server.
type WellKnown struct {
	probe.Document
	At     string
	Value  any            // the JSON of the body, nil where it is none
	Object map[string]any // the value where it is an object, else nil
}

// ReadWellKnown asks for the document, once for the connection.
func ReadWellKnown(c *probe.Client) WellKnown {
	return probe.Once(c, "well-known", func() (WellKnown, bool) {
		w := ReadWellKnownAnew(c, http.MethodGet)
		return w, w.Status != 0
	})
}

// ReadWellKnownAnew asks for the document with an HTTP method and without credentials. A
// server that is not known to have one is awaited for a shorter time.
func ReadWellKnownAnew(c *probe.Client, method string) WellKnown {
	w := WellKnown{At: c.WellKnownAddress()}
	if w.At == "" {
		return w
	}
	v := probe.Visit{Method: method, At: w.At}
	if _, claimed := c.Survey().Claims["well-known"]; !claimed {
		v.Within = min(max(c.Waits().Event, unasked), c.Waits().Answer)
	}
	w.Document = c.Visit(v)
	if w.Whole {
		w.Value = frame.Read(w.Body).Value
		w.Object = probe.ObjectOf(w.Value)
	}
	return w
}

// Described reports whether the document is one of the proposal, by its shape: other
// documents have the same address.
func (w WellKnown) Described() bool {
	_, features := w.Object["features"]
	_, version := w.Object["schemaVersion"]
	return w.Status == http.StatusOK && (features || version && (w.Object["git"] != nil || w.Object["language"] != nil))
}

// Card reports whether the document is a server card, which drafts have put there.
func (w WellKnown) Card() bool {
	return !w.Described() && (w.Object["remotes"] != nil || w.Object["serverInfo"] != nil ||
		strings.Contains(strings.ToLower(probe.TextOf(w.Object["$schema"])), "server"))
}

// A document of that shape shows the extension, whatever the server declares.
func documentServed(c *probe.Client) (probe.Strength, string) {
	if w := ReadWellKnown(c); w.Described() {
		return probe.Strong, "the document at " + w.At
	}
	return "", ""
}
