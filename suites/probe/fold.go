package probe

import (
	"fmt"
	"strings"
)

// A sharedProblem is a problem that several things may share.
type sharedProblem struct {
	text   string // the problem of the first thing
	kind   string // the problem without the thing's name
	suffix string // added in brackets to the first problem
	name   string // how to name each further thing
}

// The most problems that fold tells, and the most names that it adds to one.
const (
	problemsTold = 3
	othersNamed  = 4
)

// fold tells the first few problems, each with the names of the things that
// share it, and counts the rest.
func fold(all []sharedProblem) string {
	var kinds []string
	others := map[string][]sharedProblem{}
	for _, p := range all {
		if others[p.kind] == nil {
			kinds = append(kinds, p.kind)
		}
		others[p.kind] = append(others[p.kind], p)
	}
	var told []string
	for i, kind := range kinds {
		if i == problemsTold {
			told = append(told, fmt.Sprintf("and %d more", len(kinds)-i))
			break
		}
		told = append(told, tellOnce(others[kind]))
	}
	return strings.Join(told, "; ")
}

// tellOnce tells a problem once, with the names of all that share it.
func tellOnce(same []sharedProblem) string {
	var in []string
	if same[0].suffix != "" {
		in = append(in, same[0].suffix)
	}
	var names []string
	for _, p := range same[1:] {
		names = append(names, p.name)
	}
	if left := len(names) - othersNamed; left > 0 {
		names = append(names[:othersNamed:othersNamed], fmt.Sprintf("%d more", left))
	}
	if n := len(names); n > 0 {
		also := strings.Join(names[:n-1], ", ")
		if also != "" {
			also += " and "
		}
		in = append(in, "also "+also+names[n-1])
	}
	if len(in) == 0 {
		return same[0].text
	}
	return same[0].text + " (" + strings.Join(in, ", ") + ")"
}
