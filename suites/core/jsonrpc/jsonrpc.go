// Package jsonrpc holds the cases of basic/index and basic/messages: how requests,
// notifications and responses are formed and matched.
package jsonrpc

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "jsonrpc",
		Title: "every message is a proper JSON-RPC message",
		Cases: slices.Concat(
			messageCases(), idCases(), invalidIDCases(), serverRequestCases(),
			responseCases(), matchingCases(), errorCases(), internalCases(), resultTypeCases(),
			notificationCases(), malformedCases(), encodingCases(),
			batchCases(), noBatchCases(),
		),
	}
}

// harmless is a request that every server answers.
func harmless(c *probe.Client) string { return protocol.Harmless().At(c.Revision()) }

// underID tells a response by its id.
func underID(id string) string {
	if id == "" {
		return "without an id"
	}
	return "with the id " + id
}

// shownID writes the id of a response for a finding.
func shownID(id string) string {
	if id == "" {
		return "absent"
	}
	return id
}
