// Package suite holds the words a case is declared with. It declares and
// never acts: listing, explaining and planning read it without running a case.
package suite

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Suite is the cases of one specification page or one extension proposal,
// in the order of that page.
type Suite struct {
	Name  string // "pagination"; extensions are named "ext-..."
	Title string // what a conforming server does, in one line
	Cases []Case

	// Extension is the proposal that the suite judges: without a claim of it
	// none of the cases runs. It is the zero value for the core protocol.
	Extension Extension

	// Rules and Roles are what a suite from outside this repository adds to
	// the catalogue and to the roles a configuration may fill.
	Rules []requirements.Requirement
	Roles []roles.Spec
}

// An Extension is a proposal as servers and the catalogue name it.
type Extension struct {
	Name  string // "structured-errors", as the catalogue names it
	Token string // what servers declare, after the prefix of the proposals or with one of its own; empty: the name

	// Implies names the extensions that are claimed with this one. ImpliedBy says
	// the same from the other side, of extensions that have no suite to say it.
	Implies   []string
	ImpliedBy []Extension

	// Evidence looks for the extension where a server does not declare it among its
	// capabilities. It asks nothing that could change anything.
	Evidence func(c *probe.Client) (probe.Strength, string)
}

// Key is the key under which servers and the kit declare the extension.
func (e Extension) Key() string {
	if e.Token == "" {
		return protocol.ProposalPrefix + e.Name
	}
	if strings.Contains(e.Token, "/") {
		return e.Token
	}
	return protocol.ProposalPrefix + e.Token
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
	Proves []Need

	// Revisions narrows a procedure that exists in fewer revisions than the
	// rule does.
	Revisions []requirements.Revision

	Lane Lane

	// Raw hands the case a connection of its own on which nothing was said yet.
	// Over stdio the process starts when the case first sends or awaits
	// something: one that finds its rule kept in what is known costs none.
	Raw bool

	// Observes names the role whose effects the case counts, so that no other
	// case changes the same state meanwhile.
	Observes roles.Name

	// Access: the case is about who is let in. A refusal for lack of credentials is an
	// answer then, and a server that lets nobody in is judged by such cases alone; on it
	// their connection has no opening.
	Access bool

	// Owns are the parts of messages that this case judges by its own rule. Cases that
	// hold whole messages against the schema leave the parts out, so that one slip is one
	// finding; it does not matter whether this case is selected.
	Owns []Part

	// Exactly one of Run and Watch is set. A watcher sees every frame of one
	// connection; each connection has its own.
	Run   func(c *probe.Client) error
	Watch func() probe.Watcher
}

// A Lane says what a case shares with others while it runs.
type Lane string

// The lanes.
const (
	Shared Lane = ""      // on the connection that is there
	Fresh  Lane = "fresh" // on a new one, since it ends, floods, reopens or spoils it
	Waits  Lane = "waits" // lets time pass: starts first, holds no worker, overlaps
	Alone  Lane = "alone" // bounds a latency from above, or wants nobody in its way: last, one by one
)

// Lanes returns every lane.
func Lanes() []Lane { return []Lane{Shared, Fresh, Waits, Alone} }
