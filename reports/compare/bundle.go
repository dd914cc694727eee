package compare

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// namedCases is how many cases of a bundle are named; JSON has all of them.
const namedCases = 8

// A bundle joins cases that are skipped now for one reason, in the same columns.
type bundle struct {
	reason, places, was string
	cases               []string
}

func bundles(of []Change) []bundle {
	type key struct{ reason, places, was string }
	var all []bundle
	at := map[key]int{}
	for _, c := range of {
		k := key{places: layout.Places(c.Places), was: c.formerly()}
		if c.Finding.Reason != nil {
			k.reason = c.Finding.Reason.String()
		}
		i, known := at[k]
		if !known {
			i = len(all)
			at[k] = i
			all = append(all, bundle{reason: k.reason, places: k.places, was: k.was})
		}
		all[i].cases = append(all[i].cases, c.Finding.Case)
	}
	return all
}

// bundled tells whether changes of the kind differ in little but their case.
func (k Kind) bundled() bool { return k == NewlySkipped || k == Inapplicable || k == Gone }

func (b bundle) names(turn func(string) string) string {
	var names []string
	for _, c := range b.cases[:min(len(b.cases), namedCases)] {
		names = append(names, turn(c))
	}
	text := strings.Join(names, ", ")
	if left := len(b.cases) - namedCases; left > 0 {
		text += ", and " + layout.Number(left) + " more"
	}
	return text
}
