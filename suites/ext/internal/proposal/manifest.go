package proposal

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
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
	if known := s.Manifest.Load(); known != nil {
		return known.Document
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
		if r := answer.Reply; found.Document == nil && r != nil && r.Answered() && r.Message().Class == frame.Error && !RateLimited(r) {
			found.Refused = r.Outcome()
		}
	}
	s.Manifest.Store(found)
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
	if known := c.Survey().Manifest.Load(); Explicit(c, "manifest") || known != nil && known.Document != nil {
		patience = c.Waits().Answer
	}
	served, named := c.CapabilitiesDocument(patience)
	if served.Status != http.StatusOK || !served.Whole {
		return Handed{}
	}
	document := probe.ObjectOf(frame.Read(served.Body).Value)
	if _, versioned := document["manifest_version"]; !IsManifest(document) || !versioned && !named {
		return Handed{}
	}
	c.Learn("form:manifest/capabilities", func() string { return overHTTP })
	at, unknown := http.ParseTime(served.Header.Get("Date"))
	if unknown != nil {
		at = c.Now()
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
		if document, p := within(probe.ObjectOf(s.Message().Members["result"])); document != nil {
			return document, p.name
		}
	}
	return nil, ""
}

// A spot is where a manifest may stand in an answer: in words, as a pointer into the
// message, and as problems show it.
type spot struct{ name, pointer, path string }

func within(result map[string]any) (map[string]any, spot) {
	meta := probe.ObjectOf(result["_meta"])
	for _, p := range []struct {
		spot
		held any
	}{
		{spot{"result.manifest", "/result/manifest", "$.result.manifest"}, result["manifest"]},
		{spot{"_meta.manifest", "/result/_meta/manifest", "$.result._meta.manifest"}, meta["manifest"]},
		{spot{
			"_meta[" + Prefix + "manifest]", "/result/_meta/" + frame.Escape(Prefix) + "manifest",
			`$.result._meta["` + Prefix + `manifest"]`,
		}, meta[Prefix+"manifest"]},
	} {
		if o := probe.ObjectOf(p.held); IsManifest(o) {
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
	return probe.Strong, "a manifest, by " + c.Survey().Manifest.Load().Form
}

// ToolProperties are those of a tool in the manifest, and in tools/list.
func ToolProperties() []string {
	return []string{
		"name", "description", "input_schema", "output_schema", "input_types", "output_types", "max_input_size_bytes",
		"cost", "latency", "quota", "idempotent", "requires_confirmation", "supports_streaming", "supports_pagination",
		"confirmation_message", "risk_level", "required_scopes", "binary_transport", "supports_batch",
		"title", "inputSchema", "outputSchema", "annotations", "icons", "execution", "_meta", "dashdash",
	}
}

// A Handed manifest is the document as one connection got it, and what shows that.
type Handed struct {
	Document map[string]any // nil where the server hands none over
	Whole    map[string]any // the result that it stands in
	Shown    probe.Evidence
	At       time.Time // of the answer, by the clock of the server where it tells that; zero where that is long ago
	Type     string    // the Content-Type of one that has an address of its own
	Kept     bool      // it stands in an earlier answer on the connection, such as the one that opened it

	spot spot
}

// ReadManifest is the manifest as it is handed over on this connection, read once.
func ReadManifest(c *probe.Client) Handed {
	return probe.Once(c, "manifest", func() (Handed, bool) {
		h := ReadManifestAnew(c)
		return h, h.Document != nil
	})
}

// ReadManifestAnew asks for the manifest. One that stands in the answer to the
// opening alone is the one of this connection, or on revisions without a handshake
// the present one.
func ReadManifestAnew(c *probe.Client) Handed {
	answer := GetManifest().Ask(c, nil)
	if IsManifest(answer.Object) {
		whole, _ := answer.Result()
		return Handed{
			Document: answer.Object, Whole: whole, Shown: probe.Shown(answer.Reply), At: Clock(answer.Reply, c.Now()), spot: answer.place(),
		}
	}
	nothing := Handed{Shown: probe.Shown(answer.Reply)}
	if h := readAgain(c, nothing); h.Document != nil {
		return h
	}
	for _, s := range c.Since(0) {
		whole := probe.ObjectOf(s.Message().Members["result"])
		if document, p := within(whole); document != nil {
			return Handed{Document: document, Whole: whole, Shown: probe.Shown(s), Kept: true, spot: p}
		}
	}
	h := ServedManifest(c)
	if h.Document == nil {
		h = nothing
	}
	return h
}

// readAgain looks into the answer to the opening where that can be asked for again,
// if discovery found a manifest there.
func readAgain(c *probe.Client, nothing Handed) Handed {
	opening := protocol.Opening().At(c.Revision())
	if known := c.Survey().Manifest.Load(); known == nil || known.Document == nil || opening != protocol.Harmless().At(c.Revision()) {
		return nothing
	}
	reply := c.Call(opening, nil)
	whole, _ := reply.Result()
	document, p := within(whole)
	return Handed{Document: document, Whole: whole, Shown: probe.Shown(reply), At: Clock(reply, c.Now()), spot: p}
}

// place finds out where the payload of an answer stands.
func (a Answer) place() spot {
	result, _ := a.Result()
	if strings.HasPrefix(a.Form, "T:") {
		if _, ok := result["structuredContent"].(map[string]any); ok {
			return spot{pointer: "/result/structuredContent", path: "$.result.structuredContent"}
		}
		return spot{path: "manifest"} // the JSON within a text block
	}
	for _, wrapper := range []string{"manifest", "result", "data"} {
		if !IsManifest(result) && IsManifest(probe.ObjectOf(result[wrapper])) {
			return spot{pointer: "/result/" + wrapper, path: "$.result." + wrapper}
		}
	}
	return spot{pointer: "/result", path: "$.result"}
}

// Where is the place of something in the document, as problems show it: names of
// properties, and numbers of items.
func (h Handed) Where(path ...any) string {
	at := h.spot.path
	for _, step := range path {
		if i, ok := step.(int); ok {
			at += fmt.Sprintf("[%d]", i)
		} else {
			at += fmt.Sprintf(".%v", step)
		}
	}
	return at
}

// Pointer is that place as a JSON pointer into the message.
func (h Handed) Pointer(path ...any) string {
	pointer := h.spot.pointer
	for _, step := range path {
		pointer += fmt.Sprintf("/%v", step)
	}
	return pointer
}
