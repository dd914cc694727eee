// Package logging holds the cases of server/utilities/logging: which messages a server
// logs to its client.
package logging

import (
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "logging",
		Title: "log messages go to the clients that ask for them",
		Cases: []suite.Case{unaskedMessagesCase()},
	}
}
