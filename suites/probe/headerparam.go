package probe

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A HeaderParam is an argument of a tool that a call over HTTP repeats in a header.
type HeaderParam struct {
	Path   []string // names of properties, from the arguments down
	Header string
	Type   string // of the argument in the schema
}

// HeaderParams are the header parameters of a listed tool, in the order of their names.
func (h *headers) HeaderParams(tool string) []HeaderParam {
	return once(h.kept, "mirrors:"+tool, func() ([]HeaderParam, bool) {
		if h.column.setup.Survey == nil {
			return nil, false
		}
		for _, listed := range h.column.setup.Survey.Lists[protocol.Tools().Method] {
			if item := ObjectOf(listed); item["name"] == tool {
				return mirrors(ObjectOf(item["inputSchema"]), nil), true
			}
		}
		return nil, false
	})
}

// mirrors looks for annotations in the only place where they may stand, below
// properties. No request can have a header whose name HTTP does not allow.
func mirrors(schema map[string]any, path []string) []HeaderParam {
	const deepest = 8
	var all []HeaderParam
	properties := ObjectOf(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, at := ObjectOf(properties[name]), append(slices.Clone(path), name)
		if header := TextOf(property[protocol.AnnotatedHeader]); protocol.NamesHeader(header) {
			all = append(all, HeaderParam{Path: at, Header: protocol.HeaderParam + header, Type: TextOf(property["type"])})
		}
		if len(at) < deepest {
			all = append(all, mirrors(property, at)...)
		}
	}
	return all
}

// Of is the value of the mirrored argument, and reports whether the call has one.
func (m HeaderParam) Of(arguments map[string]any) (any, bool) {
	var value any = arguments
	for _, name := range m.Path {
		o, ok := value.(map[string]any)
		if value = o[name]; !ok || value == nil {
			return nil, false
		}
	}
	return value, true
}

// mirror adds to the headers of a call the arguments that they repeat.
func (h *headers) mirror(header http.Header, call frame.Message) {
	name, arguments := TextOf(member(call, "/params/name")), ObjectOf(member(call, "/params/arguments"))
	if name == "" || len(arguments) == 0 {
		return
	}
	for _, m := range h.HeaderParams(name) {
		if value, ok := m.Of(arguments); ok {
			if text, ok := mirrored(value); ok {
				header.Set(m.Header, text)
			}
		}
	}
}

// mirrored is the text of a value in a header; arrays and objects have none.
func mirrored(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return headerText(v), true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		if n, ok := frame.Integer(v.String()); ok {
			return strconv.Itoa(n), true
		}
		return v.String(), true
	}
	return "", false
}

// headerText writes a value so that a header can carry it: plain where it is
// visible ASCII, in the specification's base64 form otherwise.
func headerText(s string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, protocol.Base64Prefix)
	for _, r := range s {
		plain = plain && r >= ' ' && r <= '~'
	}
	if plain {
		return s
	}
	return HeaderBase64(s)
}

// HeaderBase64 is a value in the specification's base64 form.
func HeaderBase64(s string) string {
	return protocol.Base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + protocol.Base64Suffix
}
