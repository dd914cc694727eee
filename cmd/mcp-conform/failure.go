package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A misuse is a mistake in the command line.
type misuse struct{ problem, hint string }

func (e *misuse) Error() string {
	if e.hint == "" {
		return e.problem
	}
	return e.problem + "; " + e.hint
}

// An exit ends a command whose messages are all written.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ended reports an error, unless the command has done so, and returns the exit code.
func (w world) ended(err error) int {
	var code exit
	switch {
	case err == nil:
		return reports.ExitPassed
	case errors.As(err, &code):
		return int(code)
	}
	w.say("%s", err)
	var wrong *misuse
	var file *config.Error
	if errors.As(err, &wrong) || errors.As(err, &file) {
		return reports.ExitUsage
	}
	return reports.ExitUnjudged
}

// say writes a message of the program to standard error; a failure to write cannot be
// reported to anybody. The message may hold foreign text.
func (w world) say(format string, args ...any) {
	lines := strings.Split(strings.TrimRight(fmt.Sprintf(format, args...), "\n"), "\n")
	for i, line := range lines {
		lines[i] = text.Line(line)
	}
	_, _ = fmt.Fprintf(w.err, "%s: %s\n", program, strings.Join(lines, "\n"))
}
