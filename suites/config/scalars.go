package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

// readText reads a text without later placeholders: only the environment may fill
// it in.
func readText(r *reader, n *node, path string) (string, error) {
	if n.kind != text {
		return "", r.want(n, path, "a string")
	}
	return r.expand(n, n.text)
}

// readWord reads a value that is used as text although YAML may read a number: an
// argument of a command, the value of a header.
func readWord(r *reader, n *node, path string) (string, error) {
	switch n.kind {
	case number, boolean:
		return n.text, nil
	default:
		return readText(r, n, path)
	}
}

// oneOf reads one of these words.
func oneOf(allowed ...string) reading[string] {
	return func(r *reader, n *node, path string) (string, error) {
		value, err := readText(r, n, path)
		if err == nil && !slices.Contains(allowed, value) {
			err = r.failNode(n, "%s: want %s, got %q", path, spelling.Or(allowed), n.text)
		}
		return value, err
	}
}

func listOf(read reading[string]) reading[[]string] {
	return func(r *reader, n *node, path string) ([]string, error) {
		if n.kind != list {
			return nil, r.wantList(n, path)
		}
		values := make([]string, len(n.items))
		for i, item := range n.items {
			value, err := read(r, item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			values[i] = value
		}
		return values, nil
	}
}

func readTexts(r *reader, n *node, path string) ([]string, error) {
	return listOf(readText)(r, n, path)
}

func readWordMap(r *reader, n *node, path string) (map[string]string, error) {
	if n.kind != object {
		return nil, r.want(n, path, "a map")
	}
	values := make(map[string]string, len(n.members))
	for _, m := range n.members {
		value, err := readWord(r, m.value, join(path, m.key))
		if err != nil {
			return nil, err
		}
		values[m.key] = value
	}
	return values, nil
}

func readFlag(r *reader, n *node, path string) (bool, error) {
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

// readCount reads a whole number above zero.
func readCount(r *reader, n *node, path string) (int, error) {
	written, err := readNumeral(r, n, path, "a number")
	if err != nil {
		return 0, err
	}
	value, err := strconv.Atoi(written)
	if err != nil || value < 1 {
		return 0, r.failNode(n, "%s: want a whole number above zero, got %s", path, n.text)
	}
	return value, nil
}

func readDuration(r *reader, n *node, path string) (time.Duration, error) {
	written, err := readNumeral(r, n, path, "a duration such as 500ms, 10s or 5m")
	if err != nil {
		return 0, err
	}
	value, err := ParseDuration(written)
	if err != nil {
		return 0, r.failNode(n, "%s: want a duration such as 500ms, 10s or 5m, got %q", path, n.text)
	}
	return value, nil
}

func readSize(r *reader, n *node, path string) (int64, error) {
	written, err := readNumeral(r, n, path, "a size such as 64KiB or 8MiB")
	if err != nil {
		return 0, err
	}
	value, err := ParseSize(written)
	if err != nil || value < 1 {
		return 0, r.failNode(n, "%s: want a size above zero such as 64KiB or 8MiB, got %q", path, n.text)
	}
	return value, nil
}

// readNumeral reads a value that begins with a number: YAML reads it as a number or
// as text.
func readNumeral(r *reader, n *node, path, wanted string) (string, error) {
	switch n.kind {
	case number:
		return strings.ReplaceAll(n.text, "_", ""), nil
	case text:
		return r.expandPublic(n)
	default:
		return "", r.want(n, path, wanted)
	}
}
