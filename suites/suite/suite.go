// Package suite holds the words a case is declared with. It declares and
// never acts: listing, explaining and planning read it without running a case.
package suite

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Suite holds the cases of one specification page or one extension proposal,
// in the order of that page.
type Suite struct {
	Name  string // "pagination"; extensions are named "ext-..."
	Title string // what a conforming server does, in one line
	Cases []Case

	// Extension is the proposal that the suite judges: its cases run only where
	// the server claims it. It is the zero value for the core protocol.
	Extension Extension

	// Rules and Roles are additions of a suite from outside this repository to the
	// catalogue and to the roles of the configuration.
	Rules []requirements.Requirement
	Roles []roles.Spec
}

// An Extension is a proposal, with its names in servers and in the catalogue.
type Extension struct {
	Name  string // "structured-errors", as the catalogue names it
	Token string // its name in declarations of servers, after the prefix of the proposals or with a prefix of its own; empty: Name

	// Implies names extensions that a claim of this one also claims. ImpliedBy
	// says the same in the other direction, for extensions without a suite.
	Implies   []string
	ImpliedBy []Extension

	// Evidence looks for the extension where a server does not declare it as a
	// capability. It sends nothing that could change anything.
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

// A Case checks one observation. Its level and revisions come from the
// requirements it checks.
type Case struct {
	ID     string // "suite/slug"
	Title  string // what a conforming server does, present tense
	Checks []requirements.ID
	Needs  []Need
	Fix    string // one imperative sentence to the server's author

	// Proves names needs of other cases: while this case does not pass, it blocks
	// every case with one of these needs.
	Proves []Need

	// Revisions narrows a procedure that exists in fewer revisions than its rule.
	Revisions []requirements.Revision

	Lane Lane

	// Raw hands the case a connection of its own before the opening. Over stdio
	// the process starts when the case first sends or awaits something: a case
	// that only needs known results starts none.
	Raw bool

	// Observes names the role whose effects the case counts, so that no other case
	// changes that state meanwhile.
	Observes roles.Name

	// Disturbs names a role that the case uses for long without counting its effects: it
	// runs beside other such cases, and not beside one that observes the role.
	Disturbs roles.Name

	// Trial names what several cases try once for a connection, as probe.Once does: one
	// after the other runs on the connection that has done it.
	Trial string

	// Long: the case calls one tool after the other, or looks until a task ends, so it begins
	// before others.
	Long bool

	// Contends: other cases may end what this one begins, such as the session of a
	// caller, or make it too late, such as the cancellation of a short call. Unless it
	// passes, it is judged once more while no other case runs.
	Contends bool

	// Access: the case is about access control. A refusal for lack of credentials
	// counts as an answer then. Only such cases judge a server that refuses
	// everybody; their connections to it have no opening.
	Access bool

	// Owns are the parts of messages that this case judges by its own rule. Cases that
	// hold whole messages against the schema leave the parts out, so that one slip is one
	// finding; it does not matter whether this case is selected.
	Owns []Part

	// Exactly one of Run and Watch is set. A watcher sees every frame of one
	// connection; each connection has its own.
	Run   func(c *probe.Client) error
	Watch func() probe.Watcher

	// Sees names what a watcher judges, such as "an icon": where nothing like it came,
	// the case is skipped as not seen.
	Sees string
}

// Exists reports whether the case can be judged in a column: one of its rules holds there.
func (c *Case) Exists(in requirements.Column, catalogue *requirements.Catalogue) bool {
	if c.Revisions != nil && !slices.Contains(c.Revisions, in.Revision) {
		return false
	}
	return slices.ContainsFunc(c.Checks, func(id requirements.ID) bool { return catalogue.Holds(id, in) })
}

// A Lane says what a case shares with others while it runs.
type Lane string

// The lanes.
const (
	Shared Lane = ""      // on the existing connection
	Fresh  Lane = "fresh" // on a new one, since the case ends, floods, reopens or spoils it
	Waits  Lane = "waits" // lets time pass: starts first, holds no worker, overlaps
	Alone  Lane = "alone" // limits a latency, or must run undisturbed: last, one by one
)

// Lanes returns every lane.
func Lanes() []Lane { return []Lane{Shared, Fresh, Waits, Alone} }

// Extensions lists the proposals that the suites judge, sorted by name. Several suites may
// judge one proposal.
func Extensions(of []Suite) []Extension {
	byName := map[string]Extension{}
	for _, s := range of {
		if _, known := byName[s.Extension.Name]; s.Extension.Name != "" && !known {
			byName[s.Extension.Name] = s.Extension
		}
	}
	var all []Extension
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}
