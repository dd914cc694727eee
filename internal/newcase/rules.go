package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// data is the file with the row of the rule.
func (n names) data() string {
	area := n.suite
	if rule, ok := n.catalogue.Find(requirements.ID(n.rule)); ok {
		area = rule.Area
	}
	return "suites/requirements/data/" + area + ".json"
}

// rules are the rules that the case checks, the one for the newest revision first.
func (n names) rules() []string {
	switch {
	case n.twin == "":
		return []string{n.rule}
	case strings.Contains(n.rule, legacy):
		return []string{n.twin, n.rule}
	}
	return []string{n.rule, n.twin}
}

const legacy, modern = "-legacy", "-modern"

// twinIn finds the row for the same rule at other revisions, if it says that no case
// checks it yet.
func (n names) twinIn(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for _, id := range []string{
		n.rule + legacy, strings.TrimSuffix(n.rule, legacy),
		strings.Replace(n.rule, legacy, modern, 1), strings.Replace(n.rule, modern, legacy, 1),
	} {
		if id != n.rule && unbuilt(id).Match(data) {
			return id
		}
	}
	return ""
}

// unbuilt matches the beginning of a row up to the words that no case checks it yet.
func unbuilt(rule string) *regexp.Regexp {
	return regexp.MustCompile(`(\{"id": "` + rule + `"[^\n]*?)"unchecked": "not built yet",[ \n]*`)
}

// row marks the rules as checked, or adds the rule to its area.
func row(n names) ([]string, error) {
	path := n.data()
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the catalogue has no area %s: %w", n.suite, err)
	}
	text := string(data)
	if !strings.Contains(text, `{"id": "`+n.rule+`"`) {
		text = strings.TrimRight(text, "] \n") + fmt.Sprintf(newRow, n.rule, n.suite)
	}
	for _, rule := range n.rules() {
		text = unbuilt(rule).ReplaceAllString(text, "$1\n   ")
	}
	text = strings.ReplaceAll(text, ", \n", ",\n")
	return []string{path}, os.WriteFile(path, []byte(text), 0o600)
}

const newRow = `,
  {"id": %q, "area": %q,
   "clauses": [
     {"since": "2024-11-05", "level": "SHOULD", "basis": "keyword", "page": "TODO",
      "text": "TODO: the rule in one sentence of our own."}]}
]
`

// A todo is a line that the author of the case has to fill in.
type todo struct {
	path string
	line int
	text string
}

// same reports whether another todo is this one, perhaps on another line.
func (t todo) same(other todo) bool { return t.path == other.path && t.text == other.text }

// todos lists what says TODO in the files that a case is written to.
func todos(n names) []todo {
	var found []todo
	for _, top := range []string{n.data(), n.dir(), n.faults()} {
		_ = filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			data, unread := os.ReadFile(path)
			if err != nil || unread != nil {
				return nil //nolint:nilerr // what cannot be read holds nothing to fill in
			}
			for i, line := range strings.Split(string(data), "\n") {
				if strings.Contains(line, "TODO") {
					found = append(found, todo{path, i + 1, strings.TrimSpace(line)})
				}
			}
			return nil
		})
	}
	return found
}
