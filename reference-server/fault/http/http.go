// Package http holds the ways to break basic/transports#streamable-http.
package http

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(
		sse(),
		statusFaults(), pieceFaults(), negotiationFaults(),
		streamFaults(),
		trafficFaults(),
		parallel(),
		overlapping(),
		firstOnly(),
		resumeFaults(),
		sessionFaults(),
		versionFaults(),
		origins(),
		receiving(),
		versionHeader(), methodHeader(), nameHeader(), base64Form(), paramHeaders(), mismatch(),
		earlier(),
	)
}

// newest is the column of most faults of the handshake era.
func newest() []fault.Column { return fault.OverHTTP(requirements.R20251125) }
