// Package mentions holds what the configuration says of the server against what the server
// lists: names that it does not have, and arguments that its own schemas refuse. Neither is
// a defect of the server.
package mentions

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Column is what the server offers at one revision.
type Column struct {
	Revision requirements.Revision
	Survey   *probe.Survey
}
