// Package guide reads what a server tells models of itself: the rules of its names and
// phrases, the front matter of its guide, and the sections of the guide.
package guide

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Triggers are the phrases that say when to use something. The proposal asks for such
// phrases and lists none.
func Triggers() []string {
	return []string{"use when", "use this", "use for", "use to", "when the user", "when user"}
}

// HasTrigger reports whether a description says when to use the server: by one of the usual
// phrases, or by one that the configuration adds.
func HasTrigger(description string, more []string) bool {
	said := strings.ToLower(strings.Join(strings.Fields(description), " "))
	for _, phrase := range append(Triggers(), more...) {
		if strings.Contains(said, strings.ToLower(phrase)) {
			return true
		}
	}
	return false
}

// Telling reports whether a description says more than that there is an occasion: three
// words that are not part of a phrase.
func Telling(description string, more []string) bool {
	said := strings.ToLower(strings.Join(strings.Fields(description), " "))
	for _, phrase := range append(Triggers(), more...) {
		said = strings.ReplaceAll(said, strings.ToLower(phrase), " ")
	}
	const least = 3
	return len(strings.Fields(said)) >= least || len([]rune(said)) > 0 && !strings.Contains(strings.TrimSpace(said), " ") &&
		len([]rune(said)) > 20
}

// shapes are the patterns of this package, compiled once.
var shapes = sync.OnceValue(func() (s struct{ version, name *regexp.Regexp }) {
	s.version = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:[-+].*)?$`)
	s.name = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)
	return s
})

// IsName reports whether a name may be that of a skill.
func IsName(name string) bool { return shapes().name.MatchString(name) }

// IsVersion reports whether a text is a semantic version, 0.2.0 or later.
func IsVersion(text string) bool {
	parts := shapes().version.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	for i, least := range []int{0, 2} {
		n, err := strconv.Atoi(parts[i+1])
		if n > least || err != nil { // beyond any number that is counted to
			return true
		}
		if n < least {
			return false
		}
	}
	return true
}

// Fold is a title or a key without case, blanks and punctuation.
func Fold(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > '~':
			return r
		}
		return -1
	}, title)
}
