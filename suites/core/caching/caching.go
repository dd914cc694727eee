// Package caching holds the cases of server/utilities/caching: how long, and by whom, a
// result may be kept.
package caching

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "caching",
		Title: "results say how long and by whom they may be kept",
		Cases: slices.Concat(hintCases(), valueCases(), pageCases(), callerCases()),
	}
}

// These properties are the hints.
const (
	ttl   = "ttlMs"
	scope = "cacheScope"
)

// hintCases watch whether results have the hints, separately for each method.
func hintCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, method, capability string
		rule                     requirements.ID
	}{
		{"discover", "server/discover", "", "caching-hints-discover"},
		{"tools-list", "tools/list", "tools", "caching-hints-tools-list"},
		{"prompts-list", "prompts/list", "prompts", "caching-hints-prompts-list"},
		{"resources-list", "resources/list", "resources", "caching-hints-resources-list"},
		{"templates-list", "resources/templates/list", "resources", "caching-hints-resource-templates-list"},
		{"resources-read", "resources/read", "resources", "caching-hints-resources-read"},
	} {
		var needs []suite.Need
		if row.capability != "" {
			needs = append(needs, suite.Capability(row.capability))
		}
		cases = append(cases, suite.Case{
			ID:     "caching/hints-" + row.slug,
			Title:  "complete results of " + row.method + " have ttlMs and cacheScope",
			Checks: []requirements.ID{row.rule},
			Needs:  needs,
			Fix:    "add ttlMs and cacheScope to every complete result of " + row.method + "; 0 and private promise nothing",
			Sees:   "a complete result of " + row.method,
			Watch:  probe.OnResult(row.method, hinted),
		})
	}
	return cases
}

func hinted(a probe.Answer) probe.Opinion {
	if !complete(a) {
		return probe.Nothing()
	}
	var missing []string
	for _, hint := range []string{ttl, scope} {
		if _, ok := a.Result[hint]; !ok {
			missing = append(missing, a.Where("/result/"+hint))
		}
	}
	switch len(missing) {
	case 0:
		return probe.Kept()
	case 1:
		return probe.Breaks("%s is missing, want both caching hints", missing[0])
	}
	return probe.Breaks("%s are missing, want both caching hints", strings.Join(missing, " and "))
}

// complete reports whether a result is final. For clients a result without a type is
// final; jsonrpc/result-type-present judges the missing type, and mrtr/result-type the
// type of a result that asks.
func complete(a probe.Answer) bool {
	kind, typed := a.Result["resultType"]
	_, asks := a.Result["inputRequests"]
	return !typed && !asks || kind == protocol.Complete && !questions.AsksAsComplete(a.Message)
}

// valueCases watch the values of the hints.
func valueCases() []suite.Case {
	return append(shapes.Cases(shapes.In{Suite: "caching", Methods: protocol.Cacheable(), Sees: "a result with caching hints"},
		shapes.Row{
			Slug: "ttl", Title: "ttlMs is an integer of 0 or more", Rule: "caching-ttl-valid",
			Fix:    "write ttlMs as a whole number of milliseconds, and 0 for a result that is stale at once",
			Values: []shapes.Value{{At: "/" + ttl, Given: true, Want: probe.That("an integer of 0 or more", natural)}},
		},
		shapes.Row{
			Slug: "scope", Title: "cacheScope is public or private", Rule: "caching-scope-valid",
			Fix:    "write public or private as cacheScope",
			Values: []shapes.Value{{At: "/" + scope, Given: true, Want: shapes.OneOf("public", "private")}},
		},
	), suite.Case{
		ID:     "caching/none-on-interim",
		Title:  "a result that asks for input has no caching hints",
		Checks: []requirements.ID{"caching-none-on-interim"},
		Fix:    "leave ttlMs and cacheScope out of results whose resultType is input_required",
		Sees:   "a result that asks for input",
		Watch:  onInterim,
	})
}

func natural(v any) bool {
	number, _ := v.(json.Number)
	n, whole := frame.Integer(number.String())
	return whole && n >= 0
}

func onInterim() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		_, asks := m.At("/result/inputRequests")
		_, waits := m.At("/result/requestState")
		if m.Class != frame.Result || m.Value("/result/resultType") != protocol.InputRequired || !asks && !waits {
			return probe.Nothing() // jsonrpc/result-type-complete judges a result that only claims to need input
		}
		for _, hint := range []string{ttl, scope} {
			if v, ok := m.At("/result/" + hint); ok {
				return probe.Breaks("%s is %s in a result that asks for input, want no caching hints", m.Where("/result/"+hint), probe.Show(v))
			}
		}
		return probe.Kept()
	})()
}

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
	c.NotSeenIf(len(list.Pages) < 2 || first == nil, l.Method+" has no two pages with a cacheScope")
	return nil
}

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
		ID:     "caching/public-contents",
		Title:  "contents of a resource that differ between callers are private",
		Checks: []requirements.ID{"caching-public-means-identical"},
		Needs: []suite.Need{
			suite.Over(requirements.HTTP), suite.Capability("resources"), suite.Role(roles.Principals, "second"),
		},
		Fix: "write private as cacheScope wherever the answer depends on who asks",
		Run: identicalContents,
	}, suite.Case{
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
	c.NotSeenIf(items(first, l) == nil || items(second, l) == nil, l.Method+" is not answered with a list for both identities")
	if !public(first) && !public(second) || probe.Same(items(first, l), items(second, l)) {
		return nil
	}
	again := ask()
	c.UndecideIf(!probe.Same(items(first, l), items(again, l)), l.Method+" changes by itself")
	return probe.Shown(first, second).Violation("$.result.cacheScope is public, and two identities get other %ss, want private", l.Noun)
}

// identicalContents reads the first listed resources, since a server may list very many.
func identicalContents(c *probe.Client) error {
	const few = 10
	listed := probe.Surveyed(c, protocol.Resources())
	c.NotSeenIf(len(listed) == 0, "the server lists no resource")
	for _, resource := range listed[:min(few, len(listed))] {
		if !resource.Keyed {
			continue
		}
		uri := probe.Object{"uri": resource.Key}
		first := c.Call("resources/read", uri)
		second := c.Call("resources/read", uri, probe.As("second"))
		if !public(first) && !public(second) || !differ(first, second) {
			continue
		}
		if again := c.Call("resources/read", uri); !differ(first, again) {
			return probe.Shown(first, second).Violation("$.result.cacheScope is public, and two identities get other contents of %s, want private",
				probe.Show(resource.Key))
		}
	}
	return nil
}

// differ compares the contents that two answers have.
func differ(a, b *probe.Reply) bool {
	these, some := a.At("/result/contents")
	those, others := b.At("/result/contents")
	return some && others && !probe.Same(these, those)
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
	c.NotSeenIf(!allowed.Served(), "the first identity does not get "+probe.Show(uri)+" either")
	said, _ := allowed.At("/result/" + scope)
	c.NotSeenIf(said != "private", "what the first identity gets of "+probe.Show(uri)+" is not private")
	denied := read(probe.As(weakest))
	if denied.Served() {
		return probe.Shown(allowed, denied).Violation("principals.%s gets the resource %s too, which is private, want a refusal",
			weakest, probe.Show(uri))
	}
	return nil
}
