package core

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Shelf caches the lists in the form of a revision, and other answers that do not
// change. A client asks for a list page by page, and mcp-go writes the whole list each
// time. Servers that offer the same may share a Shelf, whatever their faults do to
// messages: each takes another one when its registry changes.
type Shelf struct {
	mu    sync.Mutex
	lists map[shelfKey]listing
}

type shelfKey struct {
	method   string
	revision requirements.Revision // tells the era too
	edited   bool                  // a fault may write into the answers
	names    string                // of the extensions, which add to lists
}

// A listing is a whole list. All requests share the listings on the shelf, so no code
// writes into them.
type listing struct {
	result fault.Message // without the items
	items  []fault.Message
}

func (s *Shelf) find(which shelfKey) (kept listing, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, found = s.lists[which]
	return kept, found
}

func (s *Shelf) keep(which shelfKey, l listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists == nil {
		s.lists = map[shelfKey]listing{}
	}
	s.lists[which] = l
}

// fetched returns a list from the shelf, or fetches it and keeps it there, unless the registry
// changes meanwhile.
func (c *Core) fetched(method string, revision requirements.Revision, fetch func() (listing, *Error)) (listing, *Error) {
	shelf, which := c.shelf.Load(), shelfKey{method, revision, c.faultEditsMessages(), c.names}
	if kept, found := shelf.find(which); found {
		return kept, nil
	}
	l, failure := fetch()
	if failure == nil && c.shelf.Load() == shelf {
		shelf.keep(which, l)
	}
	return l, failure
}

// wholeList returns all of a list in the form of the revision.
func (t *Turn) wholeList(method string) (listing, *Error) {
	return t.core.fetched(method, t.Revision(), func() (listing, *Error) { return fetchList(t, method) })
}

func fetchList(t *Turn, method string) (listing, *Error) {
	result, failure := t.ask(method, map[string]any{})
	if failure != nil {
		return listing{}, failure
	}
	member := listMember(method)
	items := t.shaper().items(member, result[member])
	if member == "tools" {
		items = slices.DeleteFunc(items, func(tool fault.Message) bool { return t.withheld(key(tool)) })
	}
	for _, extension := range t.core.Extensions {
		if extension.List != nil {
			extension.List(t, method, items)
		}
	}
	for _, item := range items {
		for name, value := range item {
			switch value.(type) {
			case map[string]any, []any:
				if name != "_meta" { // extensions add to _meta
					item[name] = t.core.preEncoded(value)
				}
			}
		}
	}
	delete(result, member)
	delete(result, "nextCursor")
	return listing{result, items}, nil
}

// fixedAnswer returns mcp-go's answer to a method whose answer stays the same at a
// revision until the registry changes.
func (t *Turn) fixedAnswer(method string, revision requirements.Revision, params map[string]any) (fault.Message, *Error) {
	kept, failure := t.core.fetched(method, revision, func() (listing, *Error) {
		result, failure := t.ask(method, params)
		return listing{result: result}, failure
	})
	if failure != nil {
		return nil, failure
	}
	return kept.result.Copy(), nil
}

// copies returns items that the caller may change.
func copies(items []fault.Message) []fault.Message {
	all := make([]fault.Message, len(items))
	for i, item := range items {
		all[i] = item.Copy()
	}
	return all
}
