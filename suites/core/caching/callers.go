package caching

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// callerCases send the same request as two identities.
func callerCases() []suite.Case {
	var cases []suite.Case
	for _, l := range protocol.Lists() {
		cases = append(cases, suite.Case{
			ID:     "caching/public-" + l.Name,
			Title:  "a result of " + l.Method + " that differs between callers is private",
			Checks: []requirements.ID{"caching-public-means-identical"},
			Needs: []suite.Need{
				suite.Over(requirements.HTTP), suite.Capability(l.Capability), suite.Role(roles.Principals, "second"),
			},
			Fix: "write private as cacheScope wherever the answer depends on who asks",
			Run: func(c *probe.Client) error { return identical(c, l) },
		})
	}
	return append(cases, suite.Case{
		ID:     "caching/access-controlled",
		Title:  "a resource is refused to a caller without the right, whatever its cacheScope says",
		Checks: []requirements.ID{"caching-scope-not-access-control"},
		Needs: []suite.Need{
			suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"), suite.Role(roles.Denied, "resource"),
		},
		Fix: "check on each request whether its caller may have the resource; cacheScope keeps nobody out",
		Run: accessControlled,
	})
}

// identical asks again as the first identity where the two answers differ, because a list
// that changes by itself shows nothing. It compares only the first page.
func identical(c *probe.Client, l protocol.List) error {
	ask := func(options ...probe.Option) *probe.Reply { return c.Call(l.Method, nil, options...) }
	second := ask(probe.As("second"))
	first := ask()
	if items(first, l) == nil || items(second, l) == nil {
		c.NotSeen(l.Method + " is not answered with a list for both identities")
	}
	if !public(first) && !public(second) || probe.Same(items(first, l), items(second, l)) {
		return nil
	}
	again := ask()
	if !probe.Same(items(first, l), items(again, l)) {
		c.Undecide(l.Method + " changes by itself")
	}
	return probe.Shown(first, second).Violation("$.result.cacheScope is public, and two identities get other %ss, want private", l.Noun)
}

func public(r *probe.Reply) bool { v, _ := r.At("/result/" + scope); return v == "public" }

// items are the entries of a page, sorted; nil if the page has none.
func items(r *probe.Reply, l protocol.List) any {
	v, _ := r.At("/result/" + l.Items)
	all, ok := v.([]any)
	if !ok {
		return nil
	}
	return slices.SortedFunc(slices.Values(all), func(a, b any) int { return strings.Compare(probe.JSON(a), probe.JSON(b)) })
}

// accessControlled tries a result with the scope private: the page of this rule speaks
// of no other.
func accessControlled(c *probe.Client) error {
	uri := c.Role(roles.Denied).Fields().At("resource").Text("uri")
	read := func(options ...probe.Option) *probe.Reply {
		return c.Call("resources/read", probe.Object{"uri": uri}, options...)
	}
	weakest := "second"
	if c.Identified("limited") {
		weakest = "limited"
	}
	allowed := read()
	if _, served := allowed.Result(); !served {
		c.NotSeen("the first identity does not get " + probe.Show(uri) + " either")
	}
	if said, _ := allowed.At("/result/" + scope); said != "private" {
		c.NotSeen("what the first identity gets of " + probe.Show(uri) + " is not private")
	}
	denied := read(probe.As(weakest))
	if _, served := denied.Result(); served {
		return probe.Shown(allowed, denied).Violation("principals.%s gets the resource %s too, which is private, want a refusal",
			weakest, probe.Show(uri))
	}
	return nil
}
