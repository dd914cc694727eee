package discover

import (
	"cmp"
	"slices"
	"strings"
)

// slow reports whether a tool says that it takes its time, by its name, title or description.
func slow(tool map[string]any) bool {
	phrases := []string{ // in the form of spaced
		" slow ", " slowly ", " sleep ", " sleeps ", " wait ", " waits ", " delay ", " delays ", " delayed ",
		" long running ", " long time ",
		" for a while ", " for long ", " for some time ",
		" take a while ", " take long ", " take some time ",
		" takes a while ", " takes long ", " takes some time ",
	}
	units := []string{" seconds ", " minutes "}
	for _, member := range []string{"name", "title", "description"} {
		text, _ := tool[member].(string)
		said := spaced(text)
		within := func(phrase string) bool { return strings.Contains(said, phrase) }
		_, taken, _ := strings.Cut(said, " takes")
		timed := func(unit string) bool { return strings.Contains(taken, unit) }
		if slices.ContainsFunc(phrases, within) || slices.ContainsFunc(units, timed) {
			return true
		}
	}
	return false
}

// spaced gives the words of a text in small letters with one space around each: camel case
// is taken apart, and everything that is no letter is left out. Each tool of a server is
// looked at several times in each run, and regular expressions took a 25th of the time of
// selftest for that.
func spaced(text string) string {
	words := []byte{' '}
	space := func() {
		if words[len(words)-1] != ' ' {
			words = append(words, ' ')
		}
	}
	for i := range len(text) {
		switch letter := text[i]; {
		case 'a' <= letter && letter <= 'z':
			words = append(words, letter)
		case 'A' <= letter && letter <= 'Z':
			if i > 0 && 'a' <= text[i-1] && text[i-1] <= 'z' {
				space()
			}
			words = append(words, letter-'A'+'a')
		default:
			space()
		}
	}
	space()
	return string(words)
}

// handier orders tools for a role that any of them can fill: one that is slow comes last,
// since each call of it would keep the run waiting, and one that demands less comes first,
// since it is the least likely to refuse arguments that are made up.
func handier(a, b map[string]any) bool {
	return cmp.Or(rank(slow(a))-rank(slow(b)), demands(a)-demands(b)) < 0
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}
