package lawful

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Selection says which cases judge a server.
type Selection = func(suite.Suite, suite.Case) bool

// Everything is every case.
func Everything(suite.Suite, suite.Case) bool { return true }

// WithoutLoad leaves out the cases that send half a megabyte and more, which cost as
// much as a page of others. Only what changes how bytes come and go can make them speak.
func WithoutLoad(_ suite.Suite, c suite.Case) bool {
	return !slices.Contains([]string{"security/survives-huge-text", "tools/survives-oversized-arguments"}, c.ID)
}

// Prompt leaves those out as well that let time pass.
func Prompt(s suite.Suite, c suite.Case) bool { return WithoutLoad(s, c) && c.Lane != suite.Waits }

// Contents is about what messages say, and listens to all of them.
func Contents(s suite.Suite, c suite.Case) bool {
	return Prompt(s, c) && (c.Watch != nil || !Carriage(s, c))
}

// Carriage is about what carries messages: connections, sessions, ids, headers and who is
// let in. What the messages say shows the same however they are carried.
func Carriage(s suite.Suite, c suite.Case) bool {
	about := []string{"authorization", "http", "jsonrpc", "lifecycle", "ping", "security", "stdio"}
	return WithoutLoad(s, c) && slices.Contains(about, s.Name)
}
