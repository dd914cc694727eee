// Package pagination holds the cases of server/utilities/pagination: how a
// server hands out its lists page by page.
package pagination

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page, each of them
// once for every list.
func Suite() suite.Suite {
	cases := []suite.Case{{
		ID:     "pagination/next-cursor-string",
		Title:  "a cursor is a string, and is left out at the end of a list",
		Checks: []requirements.ID{"pagination-next-cursor-string"},
		Needs:  []suite.Need{suite.Lists()},
		Fix:    "leave nextCursor out of the last page instead of sending null, and send text otherwise",
		Watch:  func() probe.Watcher { return probe.WatchFunc(nextCursor) },
	}}
	for _, r := range rules() {
		for _, l := range lists() {
			cases = append(cases, suite.Case{
				ID:     "pagination/" + r.id + "-" + l.name,
				Title:  r.title + ": " + l.method,
				Checks: []requirements.ID{r.checks},
				Needs:  append([]suite.Need{suite.Capability(l.capability)}, r.needs(l)...),
				Fix:    r.fix,
				Lane:   r.lane,
				Run:    func(ctx context.Context, c *probe.Client) error { return r.run(ctx, c, l) },
			})
		}
	}
	return suite.Suite{
		Name:  "pagination",
		Title: "lists are handed out page by page",
		Grade: suite.Extended,
		Cases: cases,
	}
}

// A list is one of those that a server may cut into pages.
type list struct {
	name, method, member, capability string
	key                              string // the member that tells its items apart
}

func lists() []list {
	return []list{
		{"resources", "resources/list", "resources", "resources", "uri"},
		{"templates", "resources/templates/list", "resourceTemplates", "resources", "uriTemplate"},
		{"prompts", "prompts/list", "prompts", "prompts", "name"},
		{"tools", "tools/list", "tools", "tools", "name"},
	}
}

// paged is the trait of a server that was seen to cut the list.
func (l list) paged() probe.Trait { return probe.Trait("paginates:" + l.method) }

// A rule is what is checked of each list.
type rule struct {
	id, title, fix string
	checks         requirements.ID
	needs          func(list) []suite.Need
	lane           suite.Lane
	run            func(context.Context, *probe.Client, list) error
}

func rules() []rule {
	const decode = "decode the cursor first; if that fails, answer error -32602 instead of a page"
	return []rule{
		{
			id: "cursor-accepted", title: "a cursor just received leads to the next page",
			fix:    "accept every cursor that was handed out, as the cursor of a later request of the same list",
			checks: "pagination-cursor-accepted", needs: itself, lane: suite.Shared, run: cursorAccepted,
		},
		{
			id: "terminates", title: "following the cursors reaches an end",
			fix:    "move the position on with every page, and leave nextCursor out of the last one",
			checks: "pagination-terminates", needs: itself, lane: suite.Shared, run: terminates,
		},
		{
			id: "stable-cursors", title: "a cursor gives the same page each time, and no item is on two pages",
			fix:    "let the cursor say where the page begins, and keep the items in a fixed order",
			checks: "pagination-stable-cursors", needs: itself, lane: suite.Shared, run: stableCursors,
		},
		{
			id: "invalid-cursor-handled", title: "a cursor the server never issued gets an orderly answer",
			fix:    decode,
			checks: "pagination-invalid-cursor-handled", needs: none, lane: suite.Fresh, run: invalidHandled,
		},
		{
			id: "altered-cursor-handled", title: "a cursor that was changed on its way leaves the server running",
			fix:    decode,
			checks: "pagination-invalid-cursor-handled", needs: itself, lane: suite.Fresh, run: alteredHandled,
		},
		{
			id: "foreign-cursor-handled", title: "the cursor of another list leaves the server running",
			fix:    "note in the cursor which list it belongs to; answer error -32602 where it does not fit",
			checks: "pagination-invalid-cursor-handled", needs: others, lane: suite.Fresh, run: foreignHandled,
		},
		{
			id: "invalid-cursor-code", title: "a cursor the server never issued is refused as invalid params",
			fix:    decode,
			checks: "pagination-invalid-cursor-code", needs: anyPaged, lane: suite.Fresh, run: invalidCode,
		},
		{
			id: "empty-cursor-not-end", title: "an empty cursor leads to a further page like any other",
			fix:    "leave nextCursor out of the last page instead of sending an empty one",
			checks: "pagination-empty-cursor-not-end", needs: itself, lane: suite.Shared, run: emptyCursor,
		},
	}
}

func none(list) []suite.Need { return nil }

func itself(l list) []suite.Need { return []suite.Need{suite.Trait(l.paged())} }

func anyPaged(list) []suite.Need { return []suite.Need{suite.Trait(probe.AnyPaginates)} }

func others(l list) []suite.Need {
	var any []suite.Need
	for _, other := range lists() {
		if other.method != l.method {
			any = append(any, suite.Trait(other.paged()))
		}
	}
	return []suite.Need{suite.Either(any...)}
}

// nextCursor looks at every answer to a request for a list.
func nextCursor(s probe.Seen) (bool, *probe.Violation) {
	if s.Bent || !paginated(s.Request.Method) {
		return false, nil
	}
	for _, m := range probe.Singles(s.Message()) {
		result, _ := m.At("/result")
		page, ok := result.(map[string]any)
		if !ok {
			continue
		}
		cursor, given := page["nextCursor"]
		if _, text := cursor.(string); given && !text {
			return true, s.Break("$.result.nextCursor is " + probe.Show(cursor) + ", want a string or no such member")
		}
		return true, nil
	}
	return false, nil
}

func paginated(method string) bool {
	for _, l := range lists() {
		if l.method == method {
			return true
		}
	}
	return method == "tasks/list"
}
