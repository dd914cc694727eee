package probe

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// schemaProblem says in one line how a value breaks a definition of a revision's
// schema, and is empty when it fits. The pointer says where the value stands
// in its message.
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

// Faults writes what is wrong with a value as the problem of a finding: the
// first three faults, and how many there are beside.
func Faults(pointer string, faults []schemas.Fault) string {
	const most = 3
	var lines []string
	for i, f := range faults {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(faults)-most))
			break
		}
		lines = append(lines, fmt.Sprintf("%s is %s, want %s", path(pointer+f.Pointer), f.Got, f.Want))
	}
	return strings.Join(lines, "; ")
}
