package probe

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
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

// names are the names of the members in the order of writing.
func (o Object) names() []string {
	var short, long, last []string
	for name, value := range o {
		to := &short
		switch value.(type) {
		case Object, map[string]any, []any, json.RawMessage:
			to = &long
		}
		if name == "_meta" {
			to = &last
		}
		*to = append(*to, name)
	}
	slices.Sort(short)
	slices.Sort(long)
	return slices.Concat(short, long, last)
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
		return appendMembers(b, v, v.names())
	case map[string]any:
		if v != nil {
			return appendMembers(b, v, slices.Sorted(maps.Keys(v)))
		}
	case []any:
		if v != nil {
			return appendItems(b, v)
		}
	}
	return appendOther(b, v)
}

func appendMembers(b []byte, members map[string]any, names []string) []byte {
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendJSON(b, members[name])
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
