package main

import "github.com/mcp-conform/mcp-conform/suites/config/spelling"

// perhaps is a hint that names the known words that may have been meant, or
// otherwise what to do instead.
func perhaps(written string, known []string, otherwise string) string {
	if near := spelling.Near(written, known); len(near) > 0 {
		return "did you mean " + spelling.Or(near) + "?"
	}
	return otherwise
}
