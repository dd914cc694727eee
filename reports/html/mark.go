package html

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mark makes lines of indented JSON, in which each value has its own line, and marks the
// value at a path: all its lines, unless it is long.
func mark(pretty string, want []string) (lines []line, found bool) {
	lines = plain(pretty)
	if len(want) == 0 {
		return lines, false
	}
	var w walk
	for i := range lines {
		if !w.step(lines[i].text) || !slices.Equal(w.path, want) {
			continue
		}
		lines[i].mark = true
		for j := i + 1; w.opened && j < len(lines) && j < i+longestMark; j++ {
			lines[j].mark = true
			if indentOf(lines[j].text) == indentOf(lines[i].text) {
				break
			}
		}
		return lines, true
	}
	return lines, false
}

const longestMark = 30

func indentOf(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// A walk knows the path to the value of each line of indented JSON.
type walk struct {
	path   []string
	above  []container
	opened bool // the value of the line continues on the next
}

type container struct {
	array bool
	next  int
}

// step reads one line, and tells whether a value begins there.
func (w *walk) step(text string) bool {
	if w.opened {
		w.opened = false
	} else if len(w.path) > 0 {
		w.path = w.path[:len(w.path)-1]
	}
	t := strings.TrimLeft(text, " ")
	if strings.HasPrefix(t, "}") || strings.HasPrefix(t, "]") {
		// The path names the container again, which the next line leaves.
		if len(w.above) > 0 {
			w.above = w.above[:len(w.above)-1]
		}
		return false
	}
	value := t
	if last := len(w.above) - 1; last >= 0 {
		name := ""
		if w.above[last].array {
			name = fmt.Sprintf("[%d]", w.above[last].next)
			w.above[last].next++
		} else {
			end := stringEnd(t)
			if json.Unmarshal([]byte(t[:end]), &name) != nil {
				name = t[:end]
			}
			value = strings.TrimPrefix(t[end:], ": ")
		}
		w.path = append(w.path, name)
	}
	if value == "{" || value == "[" {
		w.above = append(w.above, container{array: value == "["})
		w.opened = true
	}
	return true
}

// stringEnd finds the end of the JSON string at the beginning of s.
func stringEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
