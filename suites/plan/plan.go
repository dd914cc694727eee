// Package plan is what a run is asked to do, as plain data: what is judged, by which
// suites, and how. It does nothing.
package plan

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Plan says what to judge and how. A zero plan with a target is a good one.
type Plan struct {
	Config config.Config
	Local  *Local // a server inside this program, instead of the configured target

	Suites   []suite.Suite                          // nil: All
	Selected func(s suite.Suite, c suite.Case) bool // nil: every case
	Named    []string                               // ids of cases that are reported where a revision lacks them
	Shard    Shard                                  // the part of the selected cases to run; the zero value is all of them

	Seed    uint64        // of all random choices
	Jobs    int           // cases at once; 0: 8
	Timeout time.Duration // how long to wait for an answer; 0: 10 s
	// StartTimeout is how long the server may take to its first answer; 0: six
	// times the timeout. The time of the first start limits later ones.
	StartTimeout time.Duration
	Limit        time.Duration // the most time for the run; 0: no limit

	Processes *Processes // gets the processes that the run starts; nil: nobody has to end them at once

	AllowSideEffects bool // call any tool with arguments that can be made up

	Version string // of the program that judges
	Given   string // the target as the user named it
	Again   string // the end of a command line that judges the same target
	Started time.Time

	// Found is called with what discovery learned about a column, and with the roles that are
	// filled there.
	Found    func(at requirements.Column, survey *probe.Survey, filled roles.Set)
	Planned  func(cases int)       // called once, before the first case, with the number of cases; watchers run after them
	Progress func(reports.Finding) // called with every finding as it is made, one at a time
	Waiting  func(method string)   // called when the answer to a request is late, and with an empty text when none is any more
	// Trace is called with every frame of the run and the number of its
	// connection, from several goroutines.
	Trace func(connection int, s probe.Seen)

	Record *record.Recorder  // keeps the conversation; nil: nothing does
	Replay *record.Recording // takes the place of the server
	// Epoch is what fresh texts follow from beside the seed, where the server may remember
	// those of an earlier run; zero: Started.
	Epoch time.Time
}

// Learned calls Found, if there is one.
func (p Plan) Learned(at requirements.Column, survey *probe.Survey, filled roles.Set) {
	if p.Found != nil {
		p.Found(at, survey, filled)
	}
}
