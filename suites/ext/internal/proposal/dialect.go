package proposal

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Dialect is where the properties of an extension travel in a request: places as
// letters, the first of which is one that the server was seen to read.
type Dialect string

// The places, in the order in which they are tried.
const (
	Bare     Dialect = "B" // _meta.<name>, the canonical one
	Prefixed Dialect = "P" // the same under the prefix of the proposals
	Beside   Dialect = "I" // params.<name>, beside name and arguments
	Header   Dialect = "H" // an HTTP header of the extension's own
	Within   Dialect = "A" // among the arguments
)

// Has reports whether properties are sent to a place.
func (d Dialect) Has(place Dialect) bool { return strings.Contains(string(d), string(place)) }

// Leads reports whether a place is the one that the server was seen to read.
func (d Dialect) Leads(place Dialect) bool { return strings.HasPrefix(string(d), string(place)) }

// headers are the properties that have an HTTP header of their own.
func headers() map[string]string {
	return map[string]string{"idempotency_key": "X-Idempotency-Key", "session_token": "X-MCP-Session-Token"}
}

// olderNames are spellings that stand beside name and arguments too: that of a core
// draft which was closed.
func olderNames() map[string]string { return map[string]string{"idempotency_key": "idempotencyKey"} }

// Placed puts properties of an extension wherever the dialect says: it gives the call,
// what stands beside its name and arguments, and the headers.
func (d Dialect) Placed(call *probe.ToolCall, values probe.Object) (*probe.ToolCall, probe.Object, http.Header) {
	params, meta, given, arguments := probe.Object{}, probe.Object{}, http.Header{}, call.Arguments
	for name, value := range values {
		if d.Has(Bare) {
			meta[name] = value
		}
		if d.Has(Prefixed) {
			meta[Prefix+name] = value
		}
		if d.Has(Beside) {
			params[name] = value
			if older := olderNames()[name]; older != "" {
				params[older] = value
			}
		}
		if d.Has(Within) {
			arguments = arguments.With(name, value)
		}
		if own := headers()[name]; own != "" && d.Has(Header) && Visible(value) {
			given.Set(own, fmt.Sprint(value))
		}
	}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	placed := *call
	placed.Arguments = arguments
	return &placed, params, given
}

// Visible reports whether a header can carry the value as it is.
func Visible(value any) bool {
	text, ok := value.(string)
	beyond := func(r rune) bool { return r < ' ' || r > '~' }
	return ok && text != "" && text == strings.TrimSpace(text) && !strings.ContainsFunc(text, beyond)
}

// A Trial sends something in a dialect. It reports whether an answer shows that it
// was read there, and whether what was sent was accepted.
type Trial func(d Dialect) (read, accepted bool)

// LearnDialect finds out where the server reads an extension, once for the column
// unless the configuration pins it. It adds one place after the other until an
// answer shows that the properties were read; a place that is refused is left out
// again. Where no answer shows anything all places stay, in the order in which the last
// function puts them: the effects will tell.
func LearnDialect(c *probe.Client, extension string, places []Dialect, try Trial, silent ...func(all Dialect) Dialect) Dialect {
	text := c.Learn("dialect:"+extension, func() string {
		d := Bare + Prefixed
		for _, place := range append([]Dialect{""}, places...) {
			if place == Header && c.Transport() != requirements.HTTP {
				continue
			}
			read, accepted := try(d + place)
			switch {
			case read:
				return string(place + d)
			case accepted && !d.Has(place):
				d += place
			}
		}
		for _, order := range silent {
			d = order(d)
		}
		return string(d)
	})
	return Dialect(text)
}

// NoteOlder says that the server reads properties from an older place.
func (d Dialect) NoteOlder(c *probe.Client, what string, older map[Dialect]string, canonical string) {
	for _, place := range slices.Sorted(maps.Keys(older)) {
		if d.Leads(place) {
			c.Note(what + " are read from " + older[place] + ", an older form; the canonical place is " + canonical)
		}
	}
}

// Agree warns of a property that other places contradict.
func Agree(reply *probe.Reply, name string, found Located) error {
	if found.Disagree == "" {
		return nil
	}
	return reply.Violation("%s is %s, and %s holds another %s, want the same in both places",
		found.Place, probe.Show(found.Value), found.Disagree, name).AtMostWarn()
}

// Explicit reports whether the server claims the extension by name.
func Explicit(c *probe.Client, extension string) bool {
	return c.Survey().Claims[extension].Strength == probe.Explicit
}
