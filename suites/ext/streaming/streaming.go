// Package streaming holds the cases of the streaming proposal: results that come
// piece by piece, and calls that are resumed behind a checkpoint.
package streaming

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-streaming",
		Title:     "results come piece by piece, and calls can be resumed",
		Extension: proposal.Extension("streaming"),
		Cases:     slices.Concat(chunks(), results(), several(), resuming(), refusals()),
	}
}
