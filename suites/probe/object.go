package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An Object is a JSON object to be sent.
type Object map[string]any

// With returns a copy with one more member.
func (o Object) With(name string, value any) Object {
	c := o.copy()
	c[name] = value
	return c
}

// Without returns a copy that lacks a member.
func (o Object) Without(name string) Object {
	c := o.copy()
	delete(c, name)
	return c
}

func (o Object) copy() Object {
	c := make(Object, len(o)+1)
	maps.Copy(c, o)
	return c
}

// MarshalJSON writes the members that tell requests apart first, such as the name of a
// tool, then long members, and metadata last: reports may show only the beginning.
func (o Object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o), nil }

// A written is a member of an object to be written; those with a lower rank come first.
type written struct {
	rank  int
	name  string
	value any
}

// rank puts long members behind short ones, and metadata last.
func rank(name string, value any) int {
	if name == "_meta" {
		return 2
	}
	switch value.(type) {
	case Object, map[string]any, []any, json.RawMessage:
		return 1
	}
	return 0
}

// JSON is the text of a value, as the client sends it.
func JSON(v any) string { return string(appendJSON(nil, v)) }

// appendJSON writes the usual types of requests itself: encoding/json reads the
// output of each nested MarshalJSON again.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case Object:
		if v == nil {
			return append(b, "null"...)
		}
		return appendMembers(b, v, rank)
	case map[string]any:
		if v != nil {
			return appendMembers(b, v, func(string, any) int { return 0 })
		}
	case []any:
		if v != nil {
			return appendItems(b, v)
		}
	}
	return appendOther(b, v)
}

func appendMembers(b []byte, object map[string]any, rank func(name string, value any) int) []byte {
	var room [12]written // most objects have fewer
	members := room[:0]
	for name, value := range object {
		members = append(members, written{rank(name, value), name, value})
	}
	slices.SortFunc(members, func(a, b written) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.name, b.name))
	})
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, m.name), ':')
		b = appendJSON(b, m.value)
	}
	return append(b, '}')
}

func appendItems(b []byte, items []any) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, item)
	}
	return append(b, ']')
}

// appendText lets encoding/json write texts that need escapes.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendOther(b, text)
		}
	}
	b = append(append(b, '"'), text...)
	return append(b, '"')
}

func appendOther(b []byte, v any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return append(b, "null"...) // channels and functions only, which no case sends
	}
	return append(b, bytes.TrimRight(text.Bytes(), "\n")...)
}

// Strings are the strings of an array, empty for any other value.
func Strings(v any) []string {
	all, _ := v.([]any)
	var found []string
	for _, each := range all {
		if text, ok := each.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// RequestText is the text of a request with exactly these members. The id is
// JSON text; nil params are left out.
func RequestText(id, method string, params any) string {
	return message(id, method, params)
}

// NotificationText is the text of a notification with exactly these members.
func NotificationText(method string, params any) string {
	return message("", method, params)
}

//nolint:gochecknoglobals // most of a new buffer would stay empty
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func message(id, method string, params any) string {
	buffer, _ := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	b := append((*buffer)[:0], `{"jsonrpc":"2.0"`...)
	if id != "" {
		b = append(append(b, `,"id":`...), id...)
	}
	b = appendText(append(b, `,"method":`...), method)
	if o, ok := params.(Object); params != nil && (!ok || o != nil) {
		b = appendJSON(append(b, `,"params":`...), params)
	}
	*buffer = append(b, '}')
	return string(*buffer)
}
