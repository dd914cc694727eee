package lists

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// offered are the cases on whether there is a list, and what its items are.
func (l list) offered(r Rules) []suite.Case {
	return []suite.Case{
		{
			ID:     l.id("capability-declared"),
			Title:  "a server that lists " + l.items() + " declares the " + l.Capability + " capability",
			Checks: checks(r.Declared),
			Fix:    "add " + l.Capability + " to the declared capabilities as soon as there is a " + l.Noun,
			Run:    l.capabilityDeclared,
		},
		{
			ID:     l.id("list-answered"),
			Title:  l.Method + " is answered where the " + l.Capability + " capability is declared",
			Checks: checks(r.Answered...),
			Needs:  l.declared(),
			Proves: l.declared(),
			Fix: "answer " + l.Method + " with an object that has the array as " + l.Items + ", an empty one if need be, or leave " +
				l.Capability + " out of the capabilities",
			Run: l.answered,
		},
		{
			ID:     l.id("list-schema"),
			Title:  "each listed " + l.Noun + " has " + r.Schema.Has + ", and properties without a rule of their own have their types",
			Checks: checks(r.Schema.Rule),
			Needs:  l.declared(),
			Fix:    "give every " + l.Noun + " " + r.Schema.Give + ", on every page, and leave optional properties out instead of null",
			Owns:   []suite.Part{{Of: l.Method, At: "/" + l.Items}},
			Run:    func(c *probe.Client) error { return l.schema(c, len(r.Answered) > 0) },
		},
		{
			ID:     l.id(l.Key + "s-unique"),
			Title:  "no two " + l.items() + " have the same " + l.KeyNoun,
			Checks: checks(r.Unique...),
			Needs:  l.declared(),
			Fix:    "give each " + l.Noun + " a " + l.KeyNoun + " of its own, over all pages: " + l.clash(),
			Run:    l.unique,
		},
	}
}

// clash is what an author does about two items with the same key.
func (l list) clash() string {
	if l.Key == "name" {
		return "put where they come from in front of names that clash"
	}
	return "list a " + l.Noun + " once, wherever it comes from"
}

// A server without items may answer as it likes.
func (l list) capabilityDeclared(c *probe.Client) error {
	if c.Survey().Capabilities[l.Capability] != nil {
		return nil
	}
	c.NotSeenIf(probe.Misdeclared(c.Survey().Capabilities, l.Capability),
		"the capabilities are not what the rules on their shape want, so that nobody can tell what is declared")
	p := probe.FetchPage(c, l.List, nil)
	switch {
	case len(p.Items) > 0:
		return p.Reply.Violation("$.result.%s has %d %s and the server does not declare the %s capability, want it declared",
			l.Items, len(p.Items), l.items(), l.Capability)
	case p.Array:
		c.Note(l.Method + " is answered with an empty array, and the " + l.Capability + " capability is not declared")
	}
	c.NotSeen("the server offers no " + l.items())
	return nil
}

// An internal error is a proper answer where the items come from somewhere that
// cannot be reached.
func (l list) answered(c *probe.Client) error {
	p := probe.FetchPage(c, l.List, nil)
	if code, ok := p.Reply.Code(); ok && !disowns(code) {
		c.Undecide("the list could not be read: " + p.Reply.AnswerTo(l.Method))
	}
	c.Must(p.Reply.WantResult())
	return p.Reply.Want("/result/"+l.Items, probe.AnArray())
}

// disowns reports whether an error says that the request itself is wrong,
// which a good request for a declared list is not.
func disowns(code int) bool {
	switch code {
	case protocol.ParseError, protocol.InvalidRequest, protocol.MethodNotFound, protocol.InvalidParams:
		return true
	}
	return false
}

// A list may have no rule that it is answered; then its first page is judged here too.
func (l list) schema(c *probe.Client, answered bool) error {
	items := probe.List(c, l.List)
	pages := items.Pages
	if answered {
		pages = pages[1:]
	}
	for _, page := range pages {
		if !page.Served() {
			continue // whether it has to be served is judged with its cursor
		}
		c.Must(page.Want("/result/"+l.Items, probe.AnArray()))
	}
	c.NotSeenIf(len(items.All) == 0, "the server lists no "+l.items())
	return items.Judge(func(i probe.Item) probe.Opinion {
		return i.Fits(c, l.Item).And(mediaType(i))
	})
}

// mediaType only warns: the schema calls the property a MIME type, and gives it no form.
// An empty one is taken for one that is left out, as many languages write it.
func mediaType(i probe.Item) probe.Opinion {
	text, ok := i.Get("mimeType").(string)
	if !ok || text == "" || strings.Contains(strings.Trim(text, "/"), "/") {
		return probe.Nothing()
	}
	return probe.Breaks("%s is %s, want a media type such as image/png", i.Where("mimeType"), probe.Show(text)).AtMostWarn()
}

// An item may be on two pages because the list grew between them.
func (l list) unique(c *probe.Client) error {
	items := probe.List(c, l.List)
	items.MustHaveSome()
	problem := l.twice(items)
	c.UndecideIf(problem != nil && items.Paged && !steady(l.inTurn(2, c)[0]),
		"the set of "+l.items()+" changed from one listing to the next")
	return problem
}

func (l list) twice(items probe.Items) error {
	first := map[string]probe.Item{}
	return items.Judge(func(i probe.Item) probe.Opinion {
		if !i.Keyed {
			return probe.Nothing()
		}
		before, twice := first[i.Key]
		if !twice {
			first[i.Key] = i
			return probe.Kept()
		}
		said := probe.Shown(before.Page, i.Page).Violation("%s is the %s of another %s too, want a %s that no other %s has",
			i.Where(l.Key), l.KeyNoun, l.Noun, l.KeyNoun, l.Noun)
		if i.Page != before.Page {
			said = said.Unless(probe.Elsewhere{Case: "pagination/stable-cursors-" + l.Name, Why: "an item is on two pages"})
		}
		return said.Opinion()
	})
}
