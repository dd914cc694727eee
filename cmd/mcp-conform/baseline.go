package main

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// knownFailures turns the entries of a file into known failures with their places in it.
func knownFailures(file string, entries []config.Expected) []reports.KnownFailure {
	var all []reports.KnownFailure
	for _, e := range entries {
		all = append(all, reports.KnownFailure{
			Case: e.Case, Revision: requirements.Revision(e.Revision), Transport: requirements.Transport(e.Transport),
			Reason: e.Reason, Until: e.Until, At: fmt.Sprintf("%s:%d", file, e.Line),
		})
	}
	return all
}
