// Package suite holds the words a case is declared with. It declares and
// never acts: listing, explaining and planning read it without running a case.
package suite

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Suite is the cases of one specification page or one extension proposal,
// in the order of that page.
type Suite struct {
	Name  string // "pagination"; extensions are named "ext-..."
	Title string // what a conforming server does, in one line
	Cases []Case

	// Extension is the claim a suite of an extension proposal stands or
	// falls with, as the catalogue names it; empty for the core protocol.
	Extension string

	// Rules and Roles are what a suite from outside this repository adds to
	// the catalogue and to the roles a configuration may fill.
	Rules []requirements.Requirement
	Roles []roles.Spec
}

// A Case checks one observation. Level and revisions are those of the
// requirements it checks.
type Case struct {
	ID     string // "suite/slug"
	Title  string // what a conforming server does, present tense
	Checks []requirements.ID
	Needs  []Need
	Fix    string // one imperative sentence to the server's author

	// Proves names what the rest of the run rests on: while this case does
	// not pass, every case that needs one of these is blocked by it.
	Proves []string

	// Revisions narrows a procedure that exists in fewer revisions than the
	// rule does.
	Revisions []requirements.Revision

	Lane Lane

	// Unopened hands the case a connection on which nothing was said yet.
	Unopened bool

	// Observes names the role whose effects the case counts, so that no other
	// case changes the same state meanwhile. Cases of the shared lane only read.
	Observes roles.Name

	// Exactly one of Run and Watch is set. A watcher sees every frame of one
	// connection; each connection has its own.
	Run   func(ctx context.Context, c *probe.Client) error
	Watch func() probe.Watcher
}

// A Lane says what a case shares with others while it runs.
type Lane string

// The lanes.
const (
	Fresh  Lane = ""       // a connection of its own
	Shared Lane = "shared" // read-only, on one live connection of the column
	Waits  Lane = "waits"  // lets time pass: starts first, holds no worker, overlaps
	Alone  Lane = "alone"  // bounds a latency from above: last, one by one
)

// Lanes returns every lane.
func Lanes() []Lane { return []Lane{Fresh, Shared, Waits, Alone} }
