// Package completion holds the ways to break completion.
package completion

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(valuesMaxFaults())
}
