// Package progress holds the cases of the progress proposal: notifications of
// progress that say which operation they are about, how much of it is done, and
// how long the rest may take.
package progress

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-progress",
		Title:     "a call that takes its time says how far it is",
		Extension: proposal.Extension("progress"),
		Cases:     slices.Concat(records(), operationIDs(), measures(), contents(), askings()),
	}
}
