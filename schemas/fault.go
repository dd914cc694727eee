package schemas

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Fault is one problem of a value. "<Pointer> is <Got>, want <Want>" reads as a
// sentence. For a missing member Pointer names its place and Got is "missing".
type Fault struct {
	Pointer string // JSON pointer into the value; "" is the value itself
	Want    string // "a string", `"text"`, "an object with text or blob"
	Got     string // the JSON found there, at most 80 characters
}

// faultLimit bounds the faults of one value, which can be a hundred thousand: nobody
// reads past the limit.
const faultLimit = 100

func toFaults(leaves []leaf, wanted func(leaf) bool) []Fault {
	kept := make([]leaf, 0, len(leaves))
	for _, l := range leaves {
		if wanted(l) {
			kept = append(kept, l)
		}
	}
	// The library walks maps, so its order changes from run to run.
	slices.SortFunc(kept, compareLeaves)
	var faults []Fault
	for i, l := range kept {
		if i > 0 && repeats(kept[i-1], l) {
			kept[i] = kept[i-1] // the next leaf is compared with the first of its place
			continue
		}
		faults = append(faults, Fault{Pointer: pointer(l.at), Want: l.want, Got: l.got})
		if len(faults) == faultLimit {
			break
		}
	}
	return faults
}

// repeats tells whether b adds nothing to the leaf a before it: b is equal, or is a
// wider wish for the same value. A definition that builds on another, as a notification
// on the envelope, states both.
func repeats(a, b leaf) bool {
	if !slices.Equal(a.at, b.at) {
		return false
	}
	sameWish := a.kind == b.kind && a.want == b.want
	narrower := (a.kind == constantLeaf || a.kind == typeLeaf) && (b.kind == constantLeaf || b.kind == typeLeaf)
	return sameWish || narrower
}

func compareLeaves(a, b leaf) int {
	return cmp.Or(
		slices.CompareFunc(a.at, b.at, compareTokens),
		cmp.Compare(a.kind, b.kind),
		cmp.Compare(len(a.options), len(b.options)),
		cmp.Compare(a.want, b.want),
		cmp.Compare(a.got, b.got),
	)
}

// compareTokens puts /tools/9 before /tools/10, and numbers before names.
func compareTokens(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil:
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a, b))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

func pointer(tokens []string) string {
	var text strings.Builder
	for _, token := range tokens {
		text.WriteByte('/')
		text.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return text.String()
}

// lookup follows tokens through a tree.
func lookup(tree any, tokens []string) (any, bool) {
	for _, token := range tokens {
		switch node := tree.(type) {
		case map[string]any:
			member, found := node[token]
			if !found {
				return nil, false
			}
			tree = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			tree = node[i]
		default:
			return nil, false
		}
	}
	return tree, true
}
