package suite

import "slices"

// Needing returns the cases with the needs that they have in common ahead of their own.
func Needing(common []Need, cases ...[]Case) []Case {
	all := slices.Concat(cases...)
	for i := range all {
		all[i].Needs = slices.Concat(common, all[i].Needs)
	}
	return all
}
