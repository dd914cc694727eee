package probe

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Part is a part of what a server sends that one case judges by a rule of its own.
// Whoever holds whole messages against the schema leaves such parts out, so that one slip
// is one finding.
type Part struct {
	// Of is the method of the request that a result answers, or of what the server sends
	// of its own accord; empty: any method.
	Of string
	// Class narrows the part to messages of one class; its zero value does not.
	Class frame.Class
	// At is a JSON pointer into the result, or into a message that is no result. A step *
	// stands for any step, and a step ** for any number of steps.
	At string
	// Type narrows the part to items of one type: the item at the last * has it.
	Type string
	// Given: that the part is missing is for another case to say.
	Given bool
	Depth Depth
}

// Depth says how much of what stands at its place belongs to a part.
type Depth string

// The depths.
const (
	All      Depth = ""       // the value with all that it holds
	Itself   Depth = "itself" // the value, and nothing that it holds
	AsObject Depth = "object" // that the value is an object, and nothing else of it
)

// Owned is a part, and the case that judges it.
type Owned struct {
	Part
	Case string
}

// Unowned are the faults of the message that no other case judges. Pointers of faults lead
// into the result, or into a message that is no result. Asking is the case that asks.
func (m Message) Unowned(asking string, faults []schemas.Fault) []schemas.Fault {
	return unowned(m.Frame.Owned, asking, faults, m.covered)
}

// covered reports whether a fault of the message lies within a part.
func (m Message) covered(p Part, f schemas.Fault) bool {
	root, method := "", m.Method
	if m.Class == frame.Result {
		root, method = "/result", m.Request.Method
	}
	return (p.Of == "" || p.Of == method) && (p.Class == 0 || p.Class == m.Class) &&
		p.covers(f, func(pointer string) (any, bool) { return m.At(root + pointer) })
}

// OwnerOf is the case that judges the part of the message in which a fault lies; empty where
// no case does.
func (m Message) OwnerOf(f schemas.Fault) string {
	for _, o := range m.Frame.Owned {
		if m.covered(o.Part, f) {
			return o.Case
		}
	}
	return ""
}

// Fits expects the item to fit a definition of the schema, but for what other cases judge of it.
func (i Item) Fits(c *Client, definition string) Opinion {
	set, err := c.setup.Schemas.Core(string(c.Revision()))
	if err != nil {
		return Failed(err)
	}
	place := strings.TrimPrefix(i.Pointer, "/result")
	left := unowned(c.setup.Owned, c.setup.Case, set.Validate(definition, i.Value), func(p Part, f schemas.Fault) bool {
		f.Pointer = place + f.Pointer
		return (p.Of == "" || p.Of == i.Page.Method) && (p.Class == 0 || p.Class == frame.Result) &&
			p.covers(f, func(pointer string) (any, bool) { return i.Page.At("/result" + pointer) })
	})
	return Fits(Faults(i.Pointer, left), nil)
}

func unowned(owned []Owned, asking string, faults []schemas.Fault, covers func(Part, schemas.Fault) bool) []schemas.Fault {
	return slices.DeleteFunc(faults, func(f schemas.Fault) bool {
		return slices.ContainsFunc(owned, func(o Owned) bool { return o.Case != asking && covers(o.Part, f) })
	})
}

// covers reports whether a fault lies within the part; value gives what stands at a pointer.
func (p Part) covers(f schemas.Fault, value func(pointer string) (any, bool)) bool {
	pattern, place := steps(p.At), steps(f.Pointer)
	switch {
	case !p.reaches(pattern, place), p.Given && f.Got == "missing" && len(place) == len(pattern):
		return false
	case p.Type != "":
		item, _ := value(f.Pointer[:at(place, lastStar(pattern))])
		if ObjectOf(item)["type"] != p.Type {
			return false
		}
	}
	if p.Depth != AsObject {
		return true
	}
	found, there := value(f.Pointer)
	_, object := found.(map[string]any)
	return there && !object
}

// reaches reports whether a place is one of those that the pattern stands for, or below it.
func (p Part) reaches(pattern, place []string) bool {
	switch {
	case len(pattern) == 0:
		return p.Depth == All || len(place) == 0
	case pattern[0] == "**":
		return p.reaches(pattern[1:], place) || len(place) > 0 && p.reaches(pattern, place[1:])
	}
	return len(place) > 0 && (pattern[0] == "*" || pattern[0] == place[0]) && p.reaches(pattern[1:], place[1:])
}

func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return strings.Split(pointer, "/")[1:]
}

// lastStar is how many steps lead to the item of a pattern.
func lastStar(pattern []string) int {
	for i := len(pattern); i > 0; i-- {
		if pattern[i-1] == "*" {
			return i
		}
	}
	return 0
}

// at is how long the pointer is that consists of the first steps of a place.
func at(place []string, steps int) int { return len(strings.Join(place[:steps], "/")) + min(steps, 1) }
