// Package lists builds the cases that every list of a server has: whether there is
// a list, what its items are, whether it depends on who asks and on what was asked
// before, and how it is announced that it has changed.
package lists

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Rules are the requirements that a page has for its list. A rule that is left
// empty has no case.
type Rules struct {
	Declared        requirements.ID   // a server with items declares the capability
	Answered        []requirements.ID // a declared list is answered
	Schema          Schema            // each item has the properties of its kind
	Unique          []requirements.ID // no two items have the same key
	Order           requirements.ID   // an unchanged set is listed in the same order
	PerConnection   requirements.ID   // all connections are shown the same items
	NoSideEffects   requirements.ID   // calls and reads do not change the list of their connection
	ChangedSchema   requirements.ID   // the notification of a change has the right params
	ChangedDeclared []requirements.ID // the notification of a change is declared
	ChangedSent     requirements.ID   // where listChanged is declared, a change is announced

	// ChangedIn are the revisions in which no case of another page judges whether the
	// notification is declared; empty: all.
	ChangedIn []requirements.Revision
}

// Schema is the rule on the properties of items.
type Schema struct {
	Rule requirements.ID
	Has  string // what an item must have: "a name and an input schema"
	Give string // the same for the author of a server: "a name that is a string"
}

// Cases returns the cases of one list for the rules that are not empty.
func Cases(l protocol.List, r Rules) []suite.Case {
	of := list{reader{l}}
	all := slices.Concat(of.offered(r), of.compared(r), of.after(r), of.announced(r))
	return slices.DeleteFunc(all, func(c suite.Case) bool { return len(c.Checks) == 0 })
}

// A list is a list of the protocol with the cases that it has.
type list struct{ reader }

// id is the id of a case: the page of a list is that of its capability, which has a second
// list.
func (l list) id(slug string) string {
	if l.Name != l.Capability {
		slug = l.Name + "-" + slug
	}
	return l.Capability + "/" + slug
}

// declared is what every case needs that looks at the list.
func (l list) declared() []suite.Need { return []suite.Need{suite.Capability(l.Capability)} }

// checks leaves out what is empty.
func checks(rule ...requirements.ID) []requirements.ID {
	return slices.DeleteFunc(slices.Clone(rule), func(id requirements.ID) bool { return id == "" })
}
