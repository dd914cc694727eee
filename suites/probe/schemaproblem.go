package probe

import (
	"fmt"
	"regexp"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// position matches the index of an item in an array.
var position = regexp.MustCompile(`\[[0-9]+\]`)

// schemaProblem says in one line how a value breaks a definition of a
// revision's schema, and is empty where the value fits. The pointer is the
// place of the value in its message.
func schemaProblem(library *schemas.Library, revision, definition, pointer string, value any) (string, error) {
	set, err := library.Core(revision)
	if err != nil {
		return "", err
	}
	if !set.Has(definition) {
		return "", fmt.Errorf("the schema of %s has no %s", revision, definition)
	}
	return Faults(pointer, set.Validate(definition, value)), nil
}

// Faults writes faults of a value as the problem of a finding: the first three,
// and the number of further ones. Items of one array with the same fault count
// once.
func Faults(pointer string, faults []schemas.Fault) string {
	all := make([]sharedProblem, len(faults))
	for i, f := range faults {
		at := path(pointer + f.Pointer)
		all[i] = sharedProblem{
			text: fmt.Sprintf("%s is %s, want %s", at, f.Got, f.Want), name: at,
			kind: fmt.Sprintf("%s is %s, want %s", position.ReplaceAllString(at, "[]"), f.Got, f.Want),
		}
	}
	return fold(all)
}
