package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A Page is one answer to a request for a list.
type Page struct {
	Reply *Reply
	OK    bool   // the result is an object
	Array bool   // the result has an array of items
	Items []Item // the entries of that array
	Next  string // nextCursor
	More  bool   // nextCursor is a string
}

// An Item is one entry of a list, of any type, and its place.
type Item struct {
	Value   any
	Page    *Reply
	Pointer string // in the message of its page
	Key     string // its name or URI; empty where it has no string there
	Keyed   bool   // it has a key
}

// Get is a property of the item, or Absent.
func (i Item) Get(name string) any { return Member(ObjectOf(i.Value), name) }

// Where is the place of a property, as problems show it.
func (i Item) Where(properties ...string) string {
	return path(strings.Join(append([]string{i.Pointer}, properties...), "/"))
}

// ID tells the item apart: its key, or the whole item as JSON.
func (i Item) ID() string {
	if i.Keyed {
		return i.Key
	}
	return JSON(i.Value)
}

// Evidence is the page on which the item stands.
func (i Item) Evidence() Evidence { return i.Page.Evidence() }

// FetchPage asks for one page of a list; without a cursor for the first one.
func FetchPage(c *Client, l protocol.List, cursor *string) Page {
	var params Object
	if cursor != nil {
		params = Object{"cursor": *cursor}
	}
	return page(l, c.Call(l.Method, params))
}

func page(l protocol.List, reply *Reply) Page {
	p := Page{Reply: reply}
	result, ok := reply.Result()
	p.OK = ok
	p.Next, p.More = result["nextCursor"].(string)
	var entries []any
	entries, p.Array = result[l.Items].([]any)
	for i, value := range entries {
		item := Item{Value: value, Page: reply, Pointer: "/result/" + l.Items + "/" + strconv.Itoa(i)}
		item.Key, item.Keyed = ObjectOf(value)[l.Key].(string)
		p.Items = append(p.Items, item)
	}
	return p
}

// Surveyed are the items of a list as discovery read it, by key, for cases that need not ask
// for the list again. No page shows them.
func Surveyed(c *Client, l protocol.List) []Item {
	var items []Item
	for _, value := range c.Survey().Lists[l.Method] {
		item := Item{Value: value}
		item.Key, item.Keyed = ObjectOf(value)[l.Key].(string)
		items = append(items, item)
	}
	return byKey(items)
}

// ByKey are the items in the order of their keys, for a case that tries only some of them.
// Some servers list them in another order each time, and a run that is made again has to
// try the same ones. Items without a key come last.
func (i Items) ByKey() []Item { return byKey(i.All) }

func byKey(items []Item) []Item {
	return slices.SortedStableFunc(slices.Values(items), func(a, b Item) int {
		switch {
		case a.Keyed == b.Keyed:
			return strings.Compare(a.Key, b.Key)
		case a.Keyed:
			return -1
		default:
			return 1
		}
	})
}

// Items is a list as a client read it.
type Items struct {
	Of    protocol.List
	All   []Item
	Pages []*Reply // the answers, at least one
	Paged bool     // some page named a next one
	Cut   bool     // the server has more pages than limits.pages
	// Trouble is why the case would have been stopped while the list was read; only
	// ListsAtOnce keeps it.
	Trouble error
	array   bool // the last answer is a page
	ended   bool // the last page names no next one, in whatever form

	client *Client
}

// Whole reports whether the list was read to its end, as far as a client can tell.
func (i Items) Whole() bool { return i.array && i.ended }

// List reads a list once for the connection, for cases that only look at its
// items. It reads an unreadable list again at each call.
func List(c *Client, l protocol.List) Items {
	items := Once(c, "list:"+l.Method, func() (Items, bool) {
		items := ListAnew(c, l)
		return items, items.array
	})
	items.client = c
	if items.Cut {
		c.Note(fmt.Sprintf("only the first %d pages of %s were read", len(items.Pages), l.Method))
	}
	return items
}

// ListAnew reads a list page by page, up to limits.pages. It stops at an answer
// that is not a page, at a repeated cursor, and where the list starts over:
// other cases judge cursors.
func ListAnew(c *Client, l protocol.List) Items {
	items := Items{Of: l}
	items.Read(c)
	return items
}

// Read reads the list to its end.
func (i *Items) Read(c *Client) { i.follow(c, FetchPage(c, i.Of, nil)) }

// follow reads the pages behind the first one. Where the case is stopped, the pages before
// that were read.
func (i *Items) follow(c *Client, p Page) {
	i.client = c
	used := map[string]bool{}
	start := p
	for {
		i.Pages, i.array = append(i.Pages, p.Reply), p.Array
		if len(i.Pages) > 1 && (!p.Array || sameItems(start, p)) {
			return
		}
		i.All = append(i.All, p.Items...)
		leads := p.Next != "" || protocol.EmptyCursor().At(c.Revision())
		if !p.More || !leads || used[p.Next] {
			next, _ := p.Reply.At("/result/nextCursor")
			i.ended = next == nil
			return
		}
		i.Paged = true
		used[p.Next] = true
		if len(i.Pages) >= c.Waits().Pages {
			i.Cut = true
			return
		}
		p = FetchPage(c, i.Of, &p.Next)
	}
}

func sameItems(a, b Page) bool {
	if len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		if !Same(a.Items[i].Value, b.Items[i].Value) {
			return false
		}
	}
	return true
}

// MustBeRead ends the case where the list could not be read to its end.
func (i Items) MustBeRead() {
	if !i.array {
		i.client.Undecide("the list could not be read: " + i.Pages[len(i.Pages)-1].AnswerTo(i.Of.Method))
	}
}

// Lacks reports whether no item has a name. It ends the case where the item may stand on a
// page that was not read.
func (i Items) Lacks(name string) bool {
	_, listed := i.Find(name)
	i.client.UndecideIf(!listed && !i.Whole(), i.Of.Method+" was not read to its end")
	return !listed
}

// MustHaveSome ends the case where the list could not be read or is empty.
func (i Items) MustHaveSome() {
	i.MustBeRead()
	if len(i.All) == 0 {
		i.client.NotSeen("the server lists no " + i.Of.Noun + "s")
	}
}

// Evidence is the pages of the list.
func (i Items) Evidence() []frame.Frame {
	var all Evidence
	for _, page := range i.Pages {
		all = all.And(page)
	}
	return all
}

// Find looks an item up by its key.
func (i Items) Find(key string) (Item, bool) {
	for _, item := range i.All {
		if item.Keyed && item.Key == key {
			return item, true
		}
	}
	return Item{}, false
}

// EachItem makes a case of a check that every item of a list has to pass.
func EachItem(l protocol.List, check func(*Client, Item) Opinion) func(*Client) error {
	return func(c *Client) error {
		items := List(c, l)
		items.MustHaveSome()
		return items.Judge(func(item Item) Opinion { return check(c, item) })
	}
}

// Judge asks for an opinion on every item. The violation tells the first few
// problems, each of them once, and shows the page of the first.
func (i Items) Judge(check func(Item) Opinion) error {
	var problems []sharedProblem
	said := Nothing()
	for _, item := range i.All {
		o := check(item).shown(item.Evidence())
		i.client.Must(o.Err())
		if v := o.Violation(); v != nil {
			problems = append(problems, item.problem(v.Problem, i.Of.Noun))
		}
		said = said.And(o)
	}
	switch v := said.Violation(); {
	case v != nil:
		all := *v
		all.Problem = fold(problems)
		return &all
	case !said.Judged():
		i.client.NotSeen("no listed " + i.Of.Noun + " has what this rule applies to")
	}
	return nil
}

// problem makes a problem of the item; its kind leaves out the item's name.
func (i Item) problem(text, noun string) sharedProblem {
	at := path(i.Pointer)
	one := sharedProblem{text: text, kind: strings.ReplaceAll(text, at, "")}
	if i.Keyed {
		one.suffix, one.name = noun+" "+Show(i.Key), Show(i.Key)
	} else {
		one.name = at
	}
	return one
}
