package main

import "github.com/mcp-conform/mcp-conform/suites/config/spelling"

// perhaps is a hint that names the known words nearest to a written one, or gives
// another hint.
func perhaps(written string, known []string, otherwise string) string {
	if near := spelling.Near(written, known); len(near) > 0 {
		return "did you mean " + spelling.Or(near) + "?"
	}
	return otherwise
}
