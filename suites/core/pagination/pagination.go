// Package pagination holds the cases of server/utilities/pagination: how a server
// delivers its lists page by page.
package pagination

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page, each of them once for
// every list.
func Suite() suite.Suite {
	in := shapes.In{Suite: "pagination", Needs: []suite.Need{suite.Lists()}, Methods: protocol.Paginated(), Sees: "a list"}
	cases := shapes.Cases(in, shapes.Row{
		Slug: "next-cursor-string", Title: "nextCursor is a string, and is left out at the end of a list",
		Rule:   "pagination-next-cursor-string",
		Fix:    "leave nextCursor out of the last page instead of sending null, and send a string otherwise",
		Values: []shapes.Value{{At: "/nextCursor", Want: probe.OrMissing(probe.AString())}},
	})
	for _, r := range rules() {
		for _, l := range protocol.Lists() {
			cases = append(cases, suite.Case{
				ID:     "pagination/" + r.id + "-" + l.Name,
				Title:  r.title + ": " + l.Method,
				Checks: r.checks,
				Needs:  append([]suite.Need{suite.Capability(l.Capability)}, r.needs(l)...),
				Fix:    r.fix,
				Lane:   r.lane,
				Run:    func(c *probe.Client) error { return r.run(c, l) },
			})
		}
	}
	return suite.Suite{
		Name:  "pagination",
		Title: "lists are handed out page by page",
		Cases: cases,
	}
}

// The rules on cursors that are followed. Cases judge the first two also where they follow cursors for
// another reason.
const (
	terminal = "pagination-terminates"
	accepted = "pagination-cursor-accepted"
	stable   = "pagination-stable-cursors"
	further  = "pagination-empty-cursor-not-end"
)

// A rule is checked for each list.
type rule struct {
	id, title, fix string
	checks         []requirements.ID
	needs          func(protocol.List) []suite.Need
	run            func(*probe.Client, protocol.List) error
	lane           suite.Lane
}

func rules() []rule {
	const decode = "decode the cursor first; if that fails, answer error -32602 instead of a page"
	return []rule{
		{
			id: "cursor-accepted", title: "a cursor just received leads to the next page",
			fix:    "accept every cursor you handed out, as the cursor of a later request for the same list",
			checks: []requirements.ID{accepted}, needs: paginates, run: cursorAccepted,
		},
		{
			id: "terminates", title: "following the cursors reaches an end",
			fix:    "advance the position with every page, and leave nextCursor out of the last one",
			checks: []requirements.ID{terminal}, needs: paginates, run: terminates,
		},
		{
			id: "stable-cursors", title: "a cursor gives the same page each time, and no item is on two pages",
			fix:    "let the cursor say where the page begins, and keep the items in a fixed order",
			checks: []requirements.ID{stable, terminal, accepted}, needs: paginates, run: stableCursors,
		},
		{
			id: "invalid-cursor-handled", title: "an unknown cursor is answered by an error or a page",
			fix:    decode,
			checks: []requirements.ID{"pagination-invalid-cursor-handled"}, needs: noNeeds, run: invalidHandled,
		},
		{
			id: "altered-cursor-handled", title: "the server survives a cursor that was altered",
			fix:    decode,
			checks: []requirements.ID{"pagination-invalid-cursor-handled"}, needs: paginates, run: alteredHandled,
		},
		{
			id: "foreign-cursor-handled", title: "the server survives a cursor of another list",
			fix:    "note in the cursor which list it belongs to; answer error -32602 where it does not fit",
			checks: []requirements.ID{"pagination-invalid-cursor-handled"}, needs: anotherPaginates, run: foreignHandled,
			lane: suite.Fresh, // on a connection that has not read the list yet
		},
		{
			id: "invalid-cursor-code", title: "an unknown cursor is rejected as invalid params",
			fix:    decode,
			checks: []requirements.ID{"pagination-invalid-cursor-code"}, needs: anyPaged, run: invalidCode,
		},
		{
			id: "empty-cursor-not-end", title: "an empty cursor leads to a further page like any other",
			fix:    "leave nextCursor out of the last page instead of sending an empty string",
			checks: []requirements.ID{further, terminal}, needs: paginates, run: emptyCursor,
		},
	}
}

func noNeeds(protocol.List) []suite.Need { return nil }

func paginates(l protocol.List) []suite.Need { return []suite.Need{suite.Trait(probe.Paginates(l))} }

func anyPaged(protocol.List) []suite.Need { return []suite.Need{suite.Trait(probe.AnyPaginates)} }

func anotherPaginates(l protocol.List) []suite.Need {
	var paged []suite.Need
	for _, other := range otherLists(l) {
		paged = append(paged, suite.Trait(probe.Paginates(other)))
	}
	return []suite.Need{suite.Either(paged...)}
}

func otherLists(l protocol.List) []protocol.List {
	return slices.DeleteFunc(protocol.Lists(), func(other protocol.List) bool { return other == l })
}
