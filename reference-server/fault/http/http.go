// Package http holds the ways to break basic/transports#streamable-http, in a file for
// each section.
package http

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(
		sse(),
		statusFaults(),
		streamFaults(),
		trafficFaults(),
		resumeFaults(),
		sessionFaults(),
		versionFaults(),
		origins(),
		receiving(),
		versionHeader(), methodHeader(), nameHeader(), base64Form(), paramHeaders(), mismatch(),
		earlier(),
	)
}

// newest is where most faults run of the handshake era.
func newest() []fault.Column { return fault.OverHTTP(requirements.R20251125) }
