package suites_test

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type selection func(suite.Suite, suite.Case) bool

func everything(suite.Suite, suite.Case) bool { return true }

// withoutLoad leaves out the cases that send half a megabyte and more, which cost as
// much as a page of others. Only what changes how bytes come and go can make them speak.
func withoutLoad(_ suite.Suite, c suite.Case) bool {
	return !slices.Contains([]string{"security/survives-huge-text", "tools/survives-oversized-arguments"}, c.ID)
}

// prompt leaves those out as well that let time pass.
func prompt(s suite.Suite, c suite.Case) bool { return withoutLoad(s, c) && c.Lane != suite.Waits }

// contents is about what messages say, and listens to all of them.
func contents(s suite.Suite, c suite.Case) bool {
	return prompt(s, c) && (c.Watch != nil || !carriage(s, c))
}

// carriage is about what carries messages: connections, sessions, ids, headers and who is
// let in. What the messages say shows the same however they are carried.
func carriage(s suite.Suite, c suite.Case) bool {
	about := []string{"authorization", "http", "jsonrpc", "lifecycle", "ping", "security", "stdio"}
	return withoutLoad(s, c) && slices.Contains(about, s.Name)
}
