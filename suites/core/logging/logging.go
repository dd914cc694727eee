// Package logging holds the cases of server/utilities/logging: which messages a server
// logs to its client, and what they contain.
package logging

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	method   = "notifications/message"
	setLevel = "logging/setLevel"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "logging",
		Title: "log messages go to the clients that ask for them",
		Cases: slices.Concat(messageCases(), levelCases(), sessionCases(), filterCases(), []suite.Case{unaskedMessagesCase(), undeclaredCase()},
			requestCases(), unknownCases(), failureCases(), contentCases()),
	}
}

// levels are the log levels, the mildest first.
func levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// declares is the need of the cases that ask a server for logs.
func declares() suite.Need { return suite.Capability("logging") }

// logs is the need of the cases that call a tool to see what it logs.
func logs() suite.Need {
	return suite.Either(suite.Role(roles.LoggingTool), suite.Role(roles.ReadOnlyTool))
}

// tool is a call of the tool that logs: that of the role, or else one that only reads.
func tool(c *probe.Client) *probe.ToolCall {
	if role := c.Role(roles.LoggingTool); role.From("tool") != "" {
		return role.Call()
	}
	return c.Role(roles.ReadOnlyTool).Call()
}

// silent is the reason where nothing was logged at the level at which everything is.
const silent = "the tool logs nothing; roles.logging-tool can name one that does"

// asking is the metadata of a request that wants logs.
func asking(level any) probe.Object {
	return probe.Object{"_meta": probe.Object{protocol.MetaLogLevel: level}}
}
