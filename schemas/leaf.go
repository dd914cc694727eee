package schemas

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A leaf is one failed keyword, before it becomes a Fault. Most leaves belong to
// alternatives that are dropped, so the words of a leaf are made last.
type leaf struct {
	at      []string
	kind    leafKind
	failed  jsonschema.ErrorKind // nil when the words are made
	want    string
	got     string
	options []string // for types and constants: the alternatives, unjoined
}

// A leafKind is also an order: of two leaves in one place the lower kind says more.
type leafKind int

const (
	missingLeaf leafKind = iota
	constantLeaf
	typeLeaf
	otherLeaf
	encodingLeaf
)

// leavesOf flattens the errors of the library about value. The document is the schema's
// own tree; it describes missing members.
func leavesOf(err error, value, document any) []leaf {
	if err == nil {
		return nil
	}
	var failure *jsonschema.ValidationError
	if !errors.As(err, &failure) {
		return []leaf{{want: "a value that can be judged", got: err.Error(), kind: otherLeaf}}
	}
	r := reader{value: value, document: document}
	leaves := r.read(failure)
	for i := range leaves {
		leaves[i] = r.worded(leaves[i])
	}
	return leaves
}

type reader struct {
	value    any
	document any
}

func (r reader) read(e *jsonschema.ValidationError) []leaf {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return r.closest(e)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return []leaf{r.plain(e.InstanceLocation, "a value that fits only one of the alternatives")}
		}
		return r.closest(e)
	case *kind.Required:
		return r.missing(e, k.Missing)
	case *kind.DependentRequired:
		return r.missing(e, k.Missing)
	case *kind.Dependency:
		return r.missing(e, k.Missing)
	case *kind.AdditionalProperties:
		var leaves []leaf
		for _, name := range k.Properties {
			leaves = append(leaves, r.plain(below(e.InstanceLocation, name), "nothing here"))
		}
		return leaves
	case *kind.PropertyNames:
		return []leaf{r.badName(e, k.Property)}
	case *kind.Contains, *kind.MinContains:
		return []leaf{r.single(e)} // the causes say why each other item does not fit
	}
	if len(e.Causes) == 0 {
		return []leaf{r.single(e)}
	}
	return r.readAll(e.Causes)
}

func (r reader) readAll(failures []*jsonschema.ValidationError) []leaf {
	var leaves []leaf
	for _, failure := range failures {
		leaves = append(leaves, r.read(failure)...)
	}
	return leaves
}

func (r reader) single(e *jsonschema.ValidationError) leaf {
	l := leaf{at: e.InstanceLocation, kind: otherLeaf, failed: e.ErrorKind}
	switch e.ErrorKind.(type) {
	case *kind.Type:
		l.kind = typeLeaf
	case *kind.Const, *kind.Enum:
		l.kind = constantLeaf
	case *kind.ContentEncoding:
		l.kind = encodingLeaf
	}
	return l
}

// worded puts a leaf into words, unless it has them.
func (r reader) worded(l leaf) leaf {
	if l.failed == nil {
		return l
	}
	l.want, l.options = wantOf(l.failed)
	switch k := l.failed.(type) {
	case *kind.UniqueItems:
		l.got = fmt.Sprintf("the same at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.InvalidJsonValue:
		l.got = fmt.Sprintf("a %T", k.Value)
	default:
		l.got = r.gotAt(l.at)
	}
	l.failed = nil
	return l
}

func (r reader) gotAt(at []string) string {
	if found, ok := lookup(r.value, at); ok {
		return excerpt(found)
	}
	return "missing"
}

func (r reader) plain(at []string, want string) leaf {
	return leaf{at: at, kind: otherLeaf, want: want, got: r.gotAt(at)}
}

func (r reader) missing(e *jsonschema.ValidationError, names []string) []leaf {
	leaves := make([]leaf, 0, len(names))
	for _, name := range names {
		want := wantOfMember(r.document, e.SchemaURL, name)
		leaves = append(leaves, leaf{at: below(e.InstanceLocation, name), want: want, got: "missing", kind: missingLeaf})
	}
	return leaves
}

// badName does not trust the location: the library hands out the slice it goes on
// writing to, so a later sibling may stand in its last token.
func (r reader) badName(e *jsonschema.ValidationError, name string) leaf {
	l := leaf{at: below(e.InstanceLocation, name), want: "a member name that the schema allows", got: excerpt(name), kind: otherLeaf}
	if _, there := lookup(r.value, l.at); !there {
		l.at = nil
	}
	return l
}

func below(at []string, name string) []string {
	return append(slices.Clone(at), name)
}

// closest explains a value that fits none of several alternatives: it returns the faults
// of the alternative that was most likely meant.
func (r reader) closest(e *jsonschema.ValidationError) []leaf {
	at := e.InstanceLocation
	branches := make([][]leaf, 0, len(e.Causes))
	for _, cause := range e.Causes {
		branches = append(branches, r.read(cause))
	}
	// A constant one level down tells the alternatives apart: the type of a
	// content block, the method of a message.
	meant, others := split(branches, func(l leaf) bool {
		return l.kind == constantLeaf && len(l.at) == len(at)+1
	})
	if len(meant) == 0 {
		return r.union(others)
	}
	meant, others = split(meant, func(l leaf) bool {
		return (l.kind == typeLeaf || l.kind == constantLeaf) && len(l.at) == len(at)
	})
	if len(meant) == 0 {
		return r.union(others)
	}
	if names, all := onlyMissing(meant, len(at)+1); all && len(names) > 1 {
		return []leaf{r.plain(at, "an object with "+oneOf(names))}
	}
	return slices.MinFunc(meant, func(a, b []leaf) int { return distance(a) - distance(b) })
}

// split returns the branches without a decisive leaf, and the decisive leaves of the
// others.
func split(branches [][]leaf, decisive func(leaf) bool) (meant [][]leaf, others []leaf) {
	for _, branch := range branches {
		if i := slices.IndexFunc(branch, decisive); i >= 0 {
			others = append(others, branch[i])
			continue
		}
		meant = append(meant, branch)
	}
	return meant, others
}

// union joins the wants of all alternatives in one place.
func (r reader) union(leaves []leaf) []leaf {
	first := r.worded(leaves[0])
	var options []string
	for _, l := range leaves {
		if !slices.Equal(l.at, first.at) {
			return []leaf{first}
		}
		if len(options) > optionLimit {
			break // the fault shows no more
		}
		for _, option := range r.worded(l).options {
			if !slices.Contains(options, option) {
				options = append(options, option)
			}
		}
	}
	first.options = options
	first.want = oneOf(options)
	return []leaf{first}
}

// onlyMissing returns the members whose absence is the only fault, one for each
// alternative.
func onlyMissing(branches [][]leaf, depth int) ([]string, bool) {
	var names []string
	for _, branch := range branches {
		if len(branch) != 1 || branch[0].kind != missingLeaf || len(branch[0].at) != depth {
			return nil, false
		}
		names = append(names, branch[0].at[depth-1])
	}
	return names, true
}

// distance prefers an alternative whose members are present but wrong over one whose
// members are missing, then the one with fewer faults.
func distance(branch []leaf) int {
	far := len(branch)
	for _, l := range branch {
		if l.kind == missingLeaf {
			far += 1000
		}
	}
	return far
}

// optionLimit bounds the alternatives in a sentence: an enumeration of thousands is
// lawful.
const optionLimit = 8

// oneOf joins alternatives for people: "a, b or c". If there are too many, the sentence
// says that other values are allowed too.
func oneOf(options []string) string {
	switch n := len(options); {
	case n == 0:
		return "something else"
	case n == 1:
		return options[0]
	case n > optionLimit:
		return strings.Join(options[:optionLimit], ", ") + " or another allowed value"
	default:
		return strings.Join(options[:n-1], ", ") + " or " + options[n-1]
	}
}
