package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
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

// MarshalJSON writes what tells requests apart first, as the name of a tool, then what
// may be long, and metadata last: a reader may see the beginning of it only.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	rank := func(name string) int {
		if name == "_meta" {
			return 2
		}
		switch o[name].(type) {
		case Object, map[string]any, []any, json.RawMessage:
			return 1
		}
		return 0
	}
	names := slices.SortedFunc(maps.Keys(o), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(JSON(name) + ":" + JSON(o[name]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// JSON is the text of a value, as the client sends it.
func JSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // channels and functions only, which no case sends
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// Strings are the strings of an array, empty when the value is none.
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

// Request is the text of a request with exactly these members: nothing is
// added. An id is given as JSON text; params that are nil are left out.
func Request(id, method string, params any) string {
	return message(id, method, params)
}

// Notification is the text of a notification with exactly these members.
func Notification(method string, params any) string {
	return message("", method, params)
}

func message(id, method string, params any) string {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != "" {
		b.WriteString(`,"id":` + id)
	}
	b.WriteString(`,"method":` + JSON(method))
	if o, ok := params.(Object); params != nil && (!ok || o != nil) {
		b.WriteString(`,"params":` + JSON(params))
	}
	b.WriteString("}")
	return b.String()
}

// record is a value as an object, nil when it is of another type.
func record(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}
