package main

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
)

// absent names the cases that were selected and do not exist in any judged column.
func absent(r reports.Report) []string {
	var lines []string
	for _, f := range r.Findings {
		if line := "not run: " + f.Case; !f.Exists() {
			if line += ", " + f.Reason.Text; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
