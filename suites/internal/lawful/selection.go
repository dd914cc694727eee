package lawful

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Selection says which cases judge a server.
type Selection = func(suite.Suite, suite.Case) bool

// Everything selects every case.
func Everything(suite.Suite, suite.Case) bool { return true }

// WithoutLoad leaves out the cases that send half a megabyte or more, which
// cost as much as the rest of a page. Only a change in the transport of bytes
// can make them fail.
func WithoutLoad(_ suite.Suite, c suite.Case) bool {
	return !slices.Contains([]string{"security/survives-huge-text", "tools/survives-oversized-arguments"}, c.ID)
}

// Prompt also leaves out the cases that let time pass.
func Prompt(s suite.Suite, c suite.Case) bool { return WithoutLoad(s, c) && c.Lane != suite.Waits }

// Contents selects the cases about the content of messages, and all watchers.
func Contents(s suite.Suite, c suite.Case) bool {
	return Prompt(s, c) && (c.Watch != nil || !Carriage(s, c))
}

// Carriage selects the cases about the transport of messages: connections,
// sessions, ids, headers and access control. The content of messages is the
// same over any transport.
func Carriage(s suite.Suite, c suite.Case) bool {
	about := []string{"authorization", "http", "jsonrpc", "lifecycle", "ping", "security", "stdio"}
	return WithoutLoad(s, c) && slices.Contains(about, s.Name)
}
