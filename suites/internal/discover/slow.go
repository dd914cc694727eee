package discover

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/internal/memo"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A self is what a tool says of itself by its name, its title and its description.
type self [3]string

// spaced gives the texts in the form that mentions looks into.
func (s self) spaced() (said self) {
	for i, text := range s {
		said[i] = spaced(text)
	}
	return said
}

// mentions reports whether one of the phrases occurs.
func (s self) mentions(phrases ...string) bool {
	return slices.ContainsFunc(s[:], func(text string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
	})
}

// slow reports whether a tool says that it takes its time.
func (s self) slow() bool {
	if s.mentions(
		" slow ", " slowly ", " sleep ", " sleeps ", " wait ", " waits ", " delay ", " delays ", " delayed ",
		" long running ", " long time ",
		" for a while ", " for long ", " for some time ",
		" take a while ", " take long ", " take some time ",
		" takes a while ", " takes long ", " takes some time ",
	) {
		return true
	}
	var taken self
	for i, text := range s {
		_, taken[i], _ = strings.Cut(text, " takes")
	}
	return taken.mentions(" seconds ", " minutes ")
}

// asking reports whether a tool says that it asks the client for something before it
// answers: a call by a case that does not expect this is left without an answer.
func (s self) asking() bool {
	return s.mentions(
		" elicit ", " elicits ", " elicitation ", " sampling ",
		" ask user ", " ask the user ", " asks user ", " asks the user ", " asks you ", " asks the client ",
		" prompt the user ", " prompts the user ", " user input ", " input from the user ",
		" ask the client ", " list roots ", " roots list ", " roots of the client ",
	)
}

// failing reports whether a tool says that it fails whatever it is given.
func (s self) failing() bool {
	begins := func(word string) bool { return strings.HasPrefix(s[0], word) }
	return slices.ContainsFunc([]string{" fail ", " fails ", " failing ", " throw ", " throws "}, begins) || s.mentions(
		" always fails ", " fails always ", " always errors ",
		" raises an error ", " raises an exception ", " throws an error ", " throws an exception ",
	)
}

// spaced gives the words of a text in small letters with one space around each: camel case
// is taken apart, and everything that is no letter is left out.
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

// A candidate is a tool that can fill a role, with the trouble of calling it.
type candidate struct {
	tool    map[string]any // nil: none yet
	trouble int
}

// easier reports whether a call of the tool suits more cases than one of the best tool so far: one
// that asks the client comes last, since cases that expect no question stay undecided by it, before
// it one that fails by nature, since cases that need a good result stay so, and before it one that
// is slow, since each call of it would keep the run waiting.
func (c candidate) easier(best candidate) bool { return best.tool == nil || c.trouble < best.trouble }

// handier is easier for a role that any tool can fill: among equals one that demands less comes
// first, since it is the least likely to refuse arguments that are made up.
func (c candidate) handier(best candidate) bool {
	return c.easier(best) || c.trouble == best.trouble && demands(c.tool) < demands(best.tool)
}

// most is the trouble of a tool that asks the client.
const most = 3

// trouble is how ill a call of a tool suits cases that want a good answer soon.
func trouble(tool map[string]any) int {
	var said self
	for i, member := range []string{"name", "title", "description"} {
		said[i] = probe.TextOf(tool[member])
	}
	return troubles.Of(said)
}

// troubles keeps the troubles of tools: each tool of a server is looked at several times
// in each run.
//
//nolint:gochecknoglobals // see above
var troubles = memo.New(2_000, func(s self) int {
	switch said := s.spaced(); {
	case said.asking():
		return most
	case said.failing():
		return 2
	case said.slow():
		return 1
	}
	return 0
})
