package proposal

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

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
			Document: answer.Object, Whole: whole, Shown: probe.Shown(answer.Reply), At: clock(answer.Reply), spot: answer.place(),
		}
	}
	nothing := Handed{Shown: probe.Shown(answer.Reply)}
	if h := readAgain(c, nothing); h.Document != nil {
		return h
	}
	for _, s := range c.Since(0) {
		whole := object(s.Message().Members["result"])
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
	if known := c.Survey().Manifest; known == nil || known.Document == nil || opening != protocol.Harmless().At(c.Revision()) {
		return nothing
	}
	reply := c.Call(opening, nil)
	whole, _ := reply.Result()
	document, p := within(whole)
	return Handed{Document: document, Whole: whole, Shown: probe.Shown(reply), At: clock(reply), spot: p}
}

// clock is the time of an answer: by the server's own clock where HTTP tells it.
func clock(r *probe.Reply) time.Time {
	if at, err := http.ParseTime(r.Header("Date")); err == nil {
		return at
	}
	return time.Now()
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
		if !IsManifest(result) && IsManifest(object(result[wrapper])) {
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
