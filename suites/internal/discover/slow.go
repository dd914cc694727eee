package discover

import (
	"cmp"
	"regexp"
	"strings"
)

var (
	hump  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	words = regexp.MustCompile(`[a-z]+`)
	slows = regexp.MustCompile(` (slow(ly)?|sleeps?|waits?|delay(s|ed)?|long running|long time|(for|take|takes) (a while|long|some time)|` +
		`takes [a-z ]*(seconds|minutes)) `)
)

// slow reports whether a tool says that it takes its time, by its name, title or description.
func slow(tool map[string]any) bool {
	for _, member := range []string{"name", "title", "description"} {
		text, _ := tool[member].(string)
		said := words.FindAllString(strings.ToLower(hump.ReplaceAllString(text, "$1 $2")), -1)
		if slows.MatchString(" " + strings.Join(said, " ") + " ") {
			return true
		}
	}
	return false
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
