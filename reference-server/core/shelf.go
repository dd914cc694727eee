package core

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A shelf caches the lists in the form of a revision, and other answers that do not
// change. A client asks for a list page by page, and mcp-go writes the whole list each
// time.
type shelf struct {
	mu    sync.Mutex
	age   int // the number of changes of the registry
	lists map[shelfKey]listing
}

type shelfKey struct {
	method   string
	revision requirements.Revision // tells the era too
}

// A listing is a whole list. All requests share the listings on the shelf, so no code
// writes into them.
type listing struct {
	result fault.Message // without the items
	items  []fault.Message
}

// find returns the list if the shelf has it, and otherwise the age to store the list
// under.
func (s *shelf) find(which shelfKey) (kept listing, age int, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, found = s.lists[which]
	return kept, s.age, found
}

// keep stores a list, unless the registry has changed since it was asked for.
func (s *shelf) keep(which shelfKey, age int, l listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age != s.age {
		return
	}
	if s.lists == nil {
		s.lists = map[shelfKey]listing{}
	}
	s.lists[which] = l
}

// empty forgets all lists after a change of the registry.
func (s *shelf) empty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.age++
	s.lists = nil
}

// wholeList returns all of a list in the form of the revision.
func (t *Turn) wholeList(method string) (listing, *Error) {
	which := shelfKey{method, t.Revision()}
	kept, age, found := t.core.shelf.find(which)
	if found {
		return kept, nil
	}
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
	fetched := listing{result, items}
	delete(result, member)
	delete(result, "nextCursor")
	t.core.shelf.keep(which, age, fetched)
	return fetched, nil
}

// fixedAnswer returns mcp-go's answer to a method whose answer stays the same at a
// revision until the registry changes.
func (t *Turn) fixedAnswer(method string, revision requirements.Revision, params map[string]any) (fault.Message, *Error) {
	which := shelfKey{method, revision}
	kept, age, found := t.core.shelf.find(which)
	if !found {
		result, failure := t.ask(method, params)
		if failure != nil {
			return nil, failure
		}
		kept.result = result
		t.core.shelf.keep(which, age, kept)
	}
	return copyOf(kept.result), nil
}

// copies returns items that the caller may change.
func copies(items []fault.Message) []fault.Message {
	all := make([]fault.Message, len(items))
	for i, item := range items {
		all[i] = copyOf(item)
	}
	return all
}

func copyOf(object map[string]any) map[string]any {
	own := make(map[string]any, len(object))
	for name, value := range object {
		own[name] = copyOfValue(value)
	}
	return own
}

func copyOfValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return copyOf(v)
	case fault.Message:
		return fault.Message(copyOf(v))
	case []any:
		own := make([]any, len(v))
		for i, one := range v {
			own[i] = copyOfValue(one)
		}
		return own
	default: // a value that cannot be changed
		return value
	}
}
