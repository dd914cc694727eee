package caching

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// pageCases compare the pages of lists that other cases have read.
func pageCases() []suite.Case {
	var cases []suite.Case
	for _, l := range protocol.Lists() {
		cases = append(cases, suite.Case{
			ID:     "caching/pages-" + l.Name,
			Title:  "all pages of " + l.Method + " have the same cacheScope",
			Checks: []requirements.ID{"caching-scope-same-on-all-pages"},
			Needs:  []suite.Need{suite.Capability(l.Capability), suite.Trait(probe.Paginates(l))},
			Fix:    "decide on the cacheScope of a list as a whole, and put it on each page",
			Run:    func(c *probe.Client) error { return sameScope(c, l) },
		})
	}
	return cases
}

// sameScope passes over pages without a scope, which break another rule.
func sameScope(c *probe.Client, l protocol.List) error {
	list := probe.List(c, l)
	var first *probe.Reply
	var want any
	for _, page := range list.Pages {
		said, ok := page.At("/result/" + scope)
		switch {
		case !ok:
			continue
		case first == nil:
			first, want = page, said
		case !probe.Same(said, want):
			return probe.Shown(first, page).Violation("$.result.cacheScope is %s on one page and %s on another, want the same on all pages",
				probe.Show(want), probe.Show(said))
		}
	}
	if len(list.Pages) < 2 || first == nil {
		c.NotSeen(l.Method + " has no two pages with a cacheScope")
	}
	return nil
}
