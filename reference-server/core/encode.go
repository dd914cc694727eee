package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

//nolint:gochecknoglobals // a line that grows anew each time takes three times its memory
var lines = sync.Pool{New: func() any { return new([]byte) }}

// Encode writes a message on one line, its members in the customary order.
func Encode(m fault.Message) []byte {
	buffer, _ := lines.Get().(*[]byte)
	defer lines.Put(buffer)
	line := append((*buffer)[:0], '{')
	for _, name := range order(m) {
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(appendText(line, name), ':')
		line = encode(line, m[name])
	}
	*buffer = append(line, '}')
	return bytes.Clone(*buffer)
}

// EncodeList writes messages as one list.
func EncodeList(all []fault.Message) []byte {
	texts := make([][]byte, len(all))
	for i, m := range all {
		texts[i] = Encode(m)
	}
	return slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]"))
}

func order(m fault.Message) []string {
	names := make([]string, 0, len(m))
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if _, given := m[name]; given {
			names = append(names, name)
		}
	}
	if len(names) == len(m) {
		return names
	}
	others := slices.DeleteFunc(sorted(m), func(name string) bool { return slices.Contains(names, name) })
	return append(names, others...)
}

func sorted(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// encode leaves <, > and & as they are: a server has no reason to fear HTML. A value
// of a fault that JSON cannot express becomes null.
func encode(to []byte, value any) []byte {
	if raw, ok := value.(json.RawMessage); ok && json.Valid(raw) {
		return append(to, raw...)
	}
	text, err := appendJSON(to, value)
	if err != nil {
		return append(to, "null"...)
	}
	return text
}

// appendJSON writes the same text as encoding/json. It handles the common kinds of
// values itself to save time and leaves the rest to that package.
func appendJSON(to []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case encodedJSON:
		return append(to, v...), nil
	case string:
		return appendText(to, v), nil
	case int:
		return strconv.AppendInt(to, int64(v), 10), nil
	case bool:
		return strconv.AppendBool(to, v), nil
	case json.RawMessage:
		if natural(string(v)) {
			return append(to, v...), nil
		}
	case json.Number:
		if natural(string(v)) {
			return append(to, v...), nil
		}
	case fault.Message:
		return appendObject(to, v)
	case map[string]any:
		return appendObject(to, v)
	case []fault.Message:
		if v != nil {
			return appendList(to, v)
		}
	case []any:
		if v != nil {
			return appendList(to, v)
		}
	}
	return appendOther(to, value)
}

func appendOther(to []byte, value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return append(to, bytes.TrimSpace(out.Bytes())...), nil
}

// appendText writes a text; encoding/json writes one that needs escapes.
func appendText(to []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			to, _ = appendOther(to, text) // a text never fails
			return to
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

// natural says whether a text is a natural number as JSON writes it, as most ids are.
func natural(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}

func appendObject(to []byte, object map[string]any) (_ []byte, err error) {
	if object == nil {
		return append(to, "null"...), nil
	}
	type member struct {
		name  string
		value any
	}
	var room [12]member // most objects have fewer
	members := room[:0]
	for name, value := range object {
		members = append(members, member{name, value})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	to = append(to, '{')
	for i, m := range members {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendJSON(append(appendText(to, m.name), ':'), m.value); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func appendList[T any](to []byte, list []T) (_ []byte, err error) {
	to = append(to, '[')
	for i, one := range list {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendJSON(to, one); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

// encodedJSON is a value that encode has encoded, to be sent many times.
type encodedJSON []byte

// MarshalJSON lets encoding/json copy the text.
func (w encodedJSON) MarshalJSON() ([]byte, error) { return w, nil }

// preEncoded encodes objects and lists that are sent often, unless a fault may write
// into them.
func (c *Core) preEncoded(value any) any {
	if c.faultEditsMessages() {
		return value
	}
	return encodedJSON(encode(nil, value))
}

// faultEditsMessages says whether a fault changes sent messages, so that several
// requests may share no part of a message.
func (c *Core) faultEditsMessages() bool {
	f := c.Fault
	return f != nil && (f.Reply != nil || f.Send != nil || f.List != nil || f.Ext != nil)
}
