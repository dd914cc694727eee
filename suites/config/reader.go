package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

// reader turns nodes into values and remembers the values of the environment.
type reader struct {
	source
	env      Environment
	known    Known
	dir      string
	expanded []string
	ignored  []Ignored
	mentions []Mention
}

// handler reads the value of one key; path names it for messages.
type handler func(n *node, path string) error

// keys are the keys of one map. A key without a value counts as left out.
type keys map[string]handler

func (r *reader) failNode(n *node, format string, args ...any) error {
	return r.fail(n.line, n.column, fmt.Sprintf(format, args...))
}

func (r *reader) want(n *node, path, wanted string) error {
	got := string(n.kind)
	if n.kind == number || n.kind == boolean {
		got = n.text
		if wanted == "a string" {
			got += "; quote it"
		}
	}
	return r.failNode(n, "%s: want %s, got %s", path, wanted, got)
}

func (r *reader) object(n *node, path string, known keys) error {
	if n.kind != object {
		return r.want(n, path, "a map")
	}
	for _, m := range n.members {
		read, ok := known[m.key]
		if !ok {
			return r.unknown(m, path, slices.Sorted(maps.Keys(known)))
		}
		if m.value.kind == null {
			continue
		}
		r.note(join(path, m.key), m.line)
		if err := read(m.value, join(path, m.key)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) unknown(m member, path string, known []string) error {
	message := fmt.Sprintf("unknown key %q", m.key)
	if path != "" {
		message += " in " + path
	}
	return r.fail(m.line, m.column, message+hint(m.key, known))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// into makes a handler of a reading function and a place for the value.
func into[T any](read func(n *node, path string) (T, error), place *T) handler {
	return func(n *node, path string) error {
		value, err := read(n, path)
		if err == nil {
			*place = value
		}
		return err
	}
}

// plain reads a text without later placeholders: only the environment may fill
// it in.
func (r *reader) plain(n *node, path string) (string, error) {
	if n.kind != text {
		return "", r.want(n, path, "a string")
	}
	return r.expand(n, n.text)
}

// word reads a value that is used as text although YAML may read a number: an
// argument of a command, the value of a header.
func (r *reader) word(n *node, path string) (string, error) {
	switch n.kind {
	case number, boolean:
		return n.text, nil
	default:
		return r.plain(n, path)
	}
}

func (r *reader) oneOf(allowed ...string) func(n *node, path string) (string, error) {
	return func(n *node, path string) (string, error) {
		value, err := r.plain(n, path)
		if err == nil && !slices.Contains(allowed, value) {
			err = r.failNode(n, "%s: want %s, got %q", path, spelling.Or(allowed), n.text)
		}
		return value, err
	}
}

func (r *reader) listOf(read func(n *node, path string) (string, error)) func(n *node, path string) ([]string, error) {
	return func(n *node, path string) ([]string, error) {
		if n.kind != list {
			return nil, r.want(n, path, "a list")
		}
		values := make([]string, len(n.items))
		for i, item := range n.items {
			value, err := read(item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			values[i] = value
		}
		return values, nil
	}
}

func (r *reader) texts(n *node, path string) ([]string, error) { return r.listOf(r.plain)(n, path) }

func (r *reader) wordMap(n *node, path string) (map[string]string, error) {
	if n.kind != object {
		return nil, r.want(n, path, "a map")
	}
	values := make(map[string]string, len(n.members))
	for _, m := range n.members {
		value, err := r.word(m.value, join(path, m.key))
		if err != nil {
			return nil, err
		}
		values[m.key] = value
	}
	return values, nil
}

func (r *reader) flag(n *node, path string) (bool, error) {
	if n.kind == boolean {
		return n.value.(bool), nil
	}
	if n.kind != text {
		return false, r.want(n, path, "true or false")
	}
	value, err := r.expandPublic(n)
	if err != nil {
		return false, err
	}
	if value != "true" && value != "false" {
		return false, r.failNode(n, "%s: want true or false, got %q", path, n.text)
	}
	return value == "true", nil
}

// count reads a whole number above zero.
func (r *reader) count(n *node, path string) (int, error) {
	written, err := r.numeral(n, path, "a number")
	if err != nil {
		return 0, err
	}
	value, err := strconv.Atoi(written)
	if err != nil || value < 1 {
		return 0, r.failNode(n, "%s: want a whole number above zero, got %s", path, n.text)
	}
	return value, nil
}

func (r *reader) duration(n *node, path string) (time.Duration, error) {
	written, err := r.numeral(n, path, "a duration such as 500ms, 10s or 5m")
	if err != nil {
		return 0, err
	}
	value, err := ParseDuration(written)
	if err != nil {
		return 0, r.failNode(n, "%s: want a duration such as 500ms, 10s or 5m, got %q", path, n.text)
	}
	return value, nil
}

func (r *reader) size(n *node, path string) (int64, error) {
	written, err := r.numeral(n, path, "a size such as 64KiB or 8MiB")
	if err != nil {
		return 0, err
	}
	value, err := ParseSize(written)
	if err != nil || value < 1 {
		return 0, r.failNode(n, "%s: want a size above zero such as 64KiB or 8MiB, got %q", path, n.text)
	}
	return value, nil
}

// numeral reads a value that begins with a number: YAML reads it as a number or
// as text.
func (r *reader) numeral(n *node, path, wanted string) (string, error) {
	switch n.kind {
	case number:
		return strings.ReplaceAll(n.text, "_", ""), nil
	case text:
		return r.expandPublic(n)
	default:
		return "", r.want(n, path, wanted)
	}
}

// expandPublic expands a flag or a number. Its value is no secret: hiding every "true"
// would make a report unreadable.
func (r *reader) expandPublic(n *node) (string, error) {
	kept := r.expanded
	defer func() { r.expanded = kept }()
	return r.expand(n, n.text)
}

// hint names the known keys that the user may have meant, or else all of them.
func hint(written string, known []string) string {
	if near := near(written, known); near != "" {
		return near
	}
	if len(known) > 0 {
		return "; known are " + strings.Join(known, ", ")
	}
	return ""
}

func near(written string, known []string) string {
	if near := spelling.Near(written, known); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", spelling.Or(quoted(near)))
	}
	return ""
}

func quoted(words []string) []string {
	var all []string
	for _, w := range words {
		all = append(all, strconv.Quote(w))
	}
	return all
}
