package discover

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
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
	return says(tool, func(said string) bool {
		within := func(phrase string) bool { return strings.Contains(said, phrase) }
		_, taken, _ := strings.Cut(said, " takes")
		timed := func(unit string) bool { return strings.Contains(taken, unit) }
		return slices.ContainsFunc(phrases, within) || slices.ContainsFunc(units, timed)
	})
}

// asking reports whether a tool says that it asks the client for something before it
// answers: a call by a case that does not expect this is left without an answer.
func asking(tool map[string]any) bool {
	phrases := []string{ // in the form of spaced
		" elicit ", " elicits ", " elicitation ", " sampling ",
		" ask user ", " ask the user ", " asks user ", " asks the user ", " asks you ", " asks the client ",
		" prompt the user ", " prompts the user ", " user input ", " input from the user ",
		" ask the client ", " list roots ", " roots list ", " roots of the client ",
	}
	return says(tool, func(said string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(said, phrase) })
	})
}

// failing reports whether a tool says that it fails whatever it is given.
func failing(tool map[string]any) bool {
	name, _ := tool["name"].(string)
	words := strings.Fields(spaced(name))
	if len(words) > 0 && slices.Contains([]string{"fail", "fails", "failing", "throw", "throws"}, words[0]) {
		return true
	}
	phrases := []string{ // in the form of spaced
		" always fails ", " fails always ", " always errors ",
		" raises an error ", " raises an exception ", " throws an error ", " throws an exception ",
	}
	return says(tool, func(said string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(said, phrase) })
	})
}

// says reports whether the words of the name, the title or the description of a tool hold.
func says(tool map[string]any, holds func(said string) bool) bool {
	return slices.ContainsFunc([]string{"name", "title", "description"}, func(member string) bool {
		return holds(spaced(probe.TextOf(tool[member])))
	})
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

// handier orders tools for a role that any of them can fill: one that asks the client comes
// last, since cases that expect no question stay undecided by it, before it one that fails by
// nature, since cases that need a good result stay so, before it one that is slow, since each
// call of it would keep the run waiting, and one that demands less comes first, since it is the
// least likely to refuse arguments that are made up.
func handier(a, b map[string]any) bool {
	return cmp.Or(trouble(a)-trouble(b), demands(a)-demands(b)) < 0
}

// trouble is how ill a call of a tool suits cases that want a good answer soon.
func trouble(tool map[string]any) int {
	switch {
	case tool == nil:
		return 4
	case asking(tool):
		return 3
	case failing(tool):
		return 2
	case slow(tool):
		return 1
	}
	return 0
}
