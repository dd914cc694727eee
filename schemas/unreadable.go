package schemas

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dlclark/regexp2"
)

// Unreadable returns the patterns of the schema that no dialect of regular expressions
// can read, in order. JSON Schema asks for ECMA-262, but many languages apply their own.
func (s *Schema) Unreadable() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for source, p := range s.patterns.known {
		if p.expression == nil && unreadable(source) {
			found = append(found, source)
		}
	}
	slices.Sort(found)
	return found
}

// unreadable asks the other engines at hand, and then looks itself: another engine may know a
// word that these do not, but none reads a group without its end.
func unreadable(source string) bool {
	for _, dialect := range []regexp2.RegexOptions{regexp2.ECMAScript, regexp2.None} {
		if _, err := regexp2.Compile(source, dialect); err == nil {
			return false
		}
	}
	if _, err := regexp.Compile(source); err == nil {
		return false
	}
	return beginsWithRepetition(source) || !modal().MatchString(source) && unbalanced(source, false) && unbalanced(source, true)
}

// beginsWithRepetition reports whether there is nothing to repeat, as in *.png.
func beginsWithRepetition(source string) bool {
	return source != "" && strings.ContainsRune("*+?", rune(source[0]))
}

// modal finds what gives brackets another meaning in some dialects: quotations, control
// characters, comments, and the mode in which a # begins a comment.
func modal() *regexp.Regexp { return regexp.MustCompile(`\\[QcE]|\(\?#|\(\?\^?[a-zA-Z-]*x`) }

// unbalanced reports whether a group or a class surely has no end, or a group no begin.
// Dialects differ in whether a ] that comes first in a class ends it, and some have
// classes in classes, which are not judged.
func unbalanced(source string, literal bool) bool {
	depth := 0
	for i := 0; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return true
			}
		case '[':
			end, sure := classEnd(source, i+1, literal)
			if !sure {
				return false
			}
			if end < 0 {
				return true
			}
			i = end
		}
	}
	return depth > 0
}

// classEnd is the place of the ] that ends a class, and -1 if there is no ] at all.
func classEnd(source string, at int, literal bool) (end int, sure bool) {
	first := at
	if strings.HasPrefix(source[at:], "^") {
		first++
	}
	for i := first; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case '[':
			return 0, false
		case ']':
			if i > first || !literal {
				return i, true
			}
		}
	}
	return -1, !strings.Contains(source[at:], "]")
}
