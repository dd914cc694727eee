package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

// reader holds what reading a file needs, and remembers what was met on the way: the
// values of the environment, what there is none of, names that roles
// mention.
type reader struct {
	source
	env      Environment
	known    Known
	dir      string
	expanded []string
	none     []None
	mentions []Mention
	programs []Program
	ca       *node // the value of target.ca; nil: not given
}

// reading turns a node into a value; path names the node for messages.
type reading[T any] func(r *reader, n *node, path string) (T, error)

// handler reads the value of one key and stores it.
type handler func(r *reader, n *node, path string) error

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

// wantList shows a short word as the list that it would be. Longer texts may hold a secret.
func (r *reader) wantList(n *node, path string) error {
	const short = 20
	if n.kind == text && len(n.text) <= short && !strings.ContainsFunc(n.text, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) }) {
		return r.want(n, path, "a list such as ["+n.text+"]")
	}
	return r.want(n, path, "a list")
}

// wantedMap says what stands in the place of a word: a role is a map or none, in small letters.
func wantedMap(n *node, path string, known keys) string {
	role, isRole := strings.CutPrefix(path, "roles.")
	if !isRole || strings.Contains(role, ".") || n.kind != text {
		return "a map"
	}
	if _, called := known["tool"]; called && !strings.EqualFold(n.text, none) {
		return "a map such as {tool: NAME}, or none"
	}
	return "a map, or none in small letters"
}

func (r *reader) object(n *node, path string, known keys) error {
	if n.kind != object {
		return r.want(n, path, wantedMap(n, path, known))
	}
	for _, m := range n.members {
		read, ok := known[m.key]
		if !ok {
			return r.unknown(m, path, slices.Sorted(maps.Keys(known)))
		}
		if m.value.kind == null {
			continue
		}
		if err := read(r, m.value, join(path, m.key)); err != nil {
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

// section makes a handler of the keys of a map.
func section(known keys) handler {
	return func(r *reader, n *node, path string) error { return r.object(n, path, known) }
}

// into makes a handler of a reading and a place for the value.
func into[T any](read reading[T], place *T) handler {
	return func(r *reader, n *node, path string) error {
		value, err := read(r, n, path)
		if err == nil {
			*place = value
		}
		return err
	}
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
