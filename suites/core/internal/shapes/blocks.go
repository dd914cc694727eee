package shapes

import (
	"encoding/base64"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Media are the values of a block that holds an image or a recording.
func Media() []Value { return append(Base64("/data"), Value{At: "/mimeType", Want: probe.AString()}) }

// MediaType is the value that names a media type.
func MediaType(at string) Value {
	return Value{At: at, When: Text, Want: probe.That("a media type such as image/png", func(v any) bool {
		kind, subtype, found := strings.Cut(probe.TextOf(v), "/")
		return found && kind != "" && subtype != ""
	})}
}

// Embedded judges the resource of a block by values that it has in any case, and by its text or
// its blob.
func Embedded(values ...Value) Judge {
	return func(m probe.Message, block string) probe.Opinion {
		at := block + "/resource"
		if _, ok := m.Value(at).(map[string]any); !ok {
			return probe.Breaks("%s is %s, want an object", m.Where(at), probe.Show(m.Value(at)))
		}
		all := append([]Value{{At: "/uri", Want: probe.AString()}}, values...)
		text, blob := m.Value(at+"/text"), m.Value(at+"/blob")
		switch {
		case blob != probe.Absent{}:
			all = append(all, Base64("/blob")...)
		case text != probe.Absent{}:
			all = append(all, Value{At: "/text", Want: probe.AString()})
		default:
			return Of(all...)(m, at).And(probe.Breaks("%s has neither text nor blob, want one of them", m.Where(at)))
		}
		return Of(all...)(m, at)
	}
}

// Base64 are the values of a string that holds bytes. What decoders mostly forgive is worth
// a warning only.
func Base64(at string) []Value {
	const want = "base64 as RFC 4648 has it"
	return []Value{
		{At: at, Want: probe.That("a string of base64", Text)},
		{At: at, Want: probe.That(want, func(v any) bool { _, ok := Bytes(v); return ok })},
		{At: at, Want: probe.That(want, strict), Mild: true},
	}
}

func strict(v any) bool {
	text, _ := v.(string)
	_, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

//nolint:gochecknoglobals // nobody changes it
var loosely = strings.NewReplacer("\r", "", "\n", "", " ", "", "-", "+", "_", "/")

// Bytes are the bytes of a string in base64, read as loosely as decoders read it.
func Bytes(v any) ([]byte, bool) {
	text, _ := v.(string)
	text = loosely.Replace(strings.TrimRight(text, "=\r\n "))
	decoded, err := base64.RawStdEncoding.DecodeString(text)
	return decoded, err == nil
}

// Text reports whether a value is a string.
func Text(v any) bool { _, ok := v.(string); return ok }
