// Package plan is what a run is asked to do, as plain data: what is judged, by which
// suites, and how. It does nothing.
package plan

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Plan says what is to be judged and how. Its zero value with a target is a
// good one.
type Plan struct {
	Config config.Config
	Local  *Local // a server inside this program, instead of the configured target

	Suites   []suite.Suite                          // nil: All
	Selected func(s suite.Suite, c suite.Case) bool // nil: every case
	Named    []string                               // ids of cases whose absence from a revision is reported
	Shard    Shard                                  // which part of the selected cases; the zero value is all of them

	Seed    uint64        // all random choices come from it
	Jobs    int           // cases at once; 0: 8
	Timeout time.Duration // how long one answer is awaited; 0: 10 s
	// StartTimeout is how long the server may take to its first answer; 0: six
	// times the timeout. How long it took then says how long later starts may take.
	StartTimeout time.Duration
	Limit        time.Duration // how long the run may take; 0: for ever

	Processes *Processes // those that the run starts are among them; nil: nobody has to end them at once

	AllowSideEffects bool // call any tool whose arguments can be made up

	Version string // of the program that judges
	Given   string // the target as the user named it
	Again   string // how a command line ends that judges the same target
	Started time.Time

	Planned  func(cases int)       // told once, before the first of them, how many cases will run; watchers come behind those
	Progress func(reports.Finding) // told of every finding as it is made, one at a time
	// Trace is shown every frame of the run, with the number of its
	// connection; several goroutines ask it.
	Trace func(connection int, s probe.Seen)
}
