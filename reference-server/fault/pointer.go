package fault

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// set puts a value at a JSON pointer.
func (m Message) set(pointer string, value any) { m.edit(pointer, edit{value: value}) }

// drop removes the values at JSON pointers.
func (m Message) drop(pointers []string) {
	for _, pointer := range pointers {
		m.edit(pointer, edit{drop: true})
	}
}

// edit changes the value at a pointer. It adds no result, error or params to a
// message. The objects on the way are copied, since other messages may share them.
func (m Message) edit(pointer string, e edit) {
	var path []string
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		path = append(path, strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~"))
	}
	if _, there := m[path[0]]; there {
		e.object(m, path)
	}
}

// An edit replaces a value or removes it.
type edit struct {
	value any
	drop  bool
}

// in returns a copy of a value with the edit applied.
func (e edit) in(value any, path []string) any {
	switch value := value.(type) {
	case map[string]any:
		value = maps.Clone(value)
		e.object(value, path)
		return value
	case Message:
		value = maps.Clone(value)
		e.object(value, path)
		return value
	case []any:
		return e.list(slices.Clone(value), path)
	case []Message:
		list := slices.Clone(value)
		for i, one := range list {
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				list[i] = maps.Clone(one)
				e.object(list[i], path[1:])
			}
		}
		return list
	case []string:
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = one
		}
		return e.list(list, path)
	case nil:
		if !e.drop {
			return e.in(map[string]any{}, path)
		}
	}
	return value
}

func (e edit) object(object map[string]any, path []string) {
	names := path[:1]
	if path[0] == "*" {
		names = slices.Collect(maps.Keys(object))
	}
	for _, name := range names {
		switch inner, there := object[name]; {
		case len(path) > 1 && (there || !e.drop):
			object[name] = e.in(inner, path[1:])
		case len(path) > 1:
		case e.drop:
			delete(object, name)
		default:
			object[name] = e.value
		}
	}
}

func (e edit) list(list []any, path []string) []any {
	if path[0] == "-" {
		return append(list, e.value)
	}
	for i := range slices.Backward(list) {
		switch {
		case path[0] != "*" && path[0] != strconv.Itoa(i):
		case len(path) > 1:
			list[i] = e.in(list[i], path[1:])
		case e.drop:
			list = slices.Delete(list, i, i+1)
		default:
			list[i] = e.value
		}
	}
	return list
}
