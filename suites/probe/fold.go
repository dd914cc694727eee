package probe

import (
	"fmt"
	"strings"
)

// An alike is a problem that may be that of many things at once.
type alike struct {
	text   string // as it is told of the first of them
	kind   string // what it says of any of them
	suffix string // what is added in brackets to that of the first
	name   string // how each of the others is named
}

// How many problems that differ are told, and how many of those that have the same
// are named.
const (
	problemsTold = 3
	othersNamed  = 4
)

// fold tells the first few problems, with the names of those that have the same, and
// counts the rest.
func fold(all []alike) string {
	var kinds []string
	others := map[string][]alike{}
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
		told = append(told, together(others[kind]))
	}
	return strings.Join(told, "; ")
}

// together tells a problem once, and who else has it.
func together(same []alike) string {
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
