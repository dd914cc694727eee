// Package jsonrpc holds the cases of basic/index and basic/messages: how
// requests, notifications and responses are formed and matched.
package jsonrpc

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "jsonrpc",
		Title: "every message is a proper JSON-RPC message",
		Grade: suite.Core,
		Cases: slices.Concat(
			formCases(), idCases(), oddIDCases(), serverRequestCases(),
			responseCases(), matchingCases(), errorCases(), internalCases(), resultTypeCases(),
			notificationCases(), malformedCases(), encodingCases(),
			batchCases(), batchOddCases(), noBatchCases(),
		),
	}
}

// handshake lists the revisions that begin with initialize.
func handshake() []requirements.Revision {
	return []requirements.Revision{
		requirements.R20241105, requirements.R20250326, requirements.R20250618, requirements.R20251125,
	}
}

// modern lists the revisions without a handshake.
func modern() []requirements.Revision { return []requirements.Revision{requirements.R20260728} }
