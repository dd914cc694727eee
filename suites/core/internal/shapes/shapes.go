// Package shapes makes cases of rows that say which shape a value has.
//
// A row is one case: where the values stand, and what they are. Rows that look at the same
// messages stand in one table, which says of which results, or of which list, they speak:
//
//	shapes.Cases(shapes.In{Suite: "prompts", Needs: declared(), Methods: []string{"prompts/get"}},
//		shapes.Row{
//			Slug: "message-role", Title: "the role of a message is user or assistant",
//			Rule: "prompts-message-role", Fix: "write user or assistant as role",
//			At: "/messages/*", Values: []shapes.Value{{At: "/role", Want: probe.OneOf("user", "assistant")}},
//		})
//
// A row owns its values: the schema's cases leave them out. What no value can say is said
// by the row's Judge.
package shapes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// In is what the rows of a table have in common. The rows speak of the results of some
// methods, of the items of a list, or of what Watch shows.
type In struct {
	Suite string
	Needs []suite.Need

	Methods []string
	When    func(probe.Answer) bool // nil: every result of the methods

	List protocol.List

	Watch func(Judge) func() probe.Watcher // rows own nothing unless they say so

	// Sees names what the rows judge of results: "an icon".
	Sees string
}

// A Row is one case.
type Row struct {
	Slug, Title, Fix string
	Rule             requirements.ID

	// At is a JSON pointer into the result; each * stands for the items of an array.
	At   string
	Type string // only what has this type
	Sees string // in place of that of all rows

	Values []Value
	Judge  Judge                                         // in place of Values
	Each   func(*probe.Client, probe.Item) probe.Opinion // in place of Values, for a list
	Owns   []suite.Part                                  // in place of the values
}

// A Judge judges what stands at a pointer into a message.
type Judge func(m probe.Message, at string) probe.Opinion

// A Value is one value of a row, and its shape.
type Value struct {
	At   string // JSON pointer below the place of the row
	Want probe.Matcher
	Fits string           // in place of Want: the definition of the schema that the value fits
	When func(v any) bool // other values belong to another rule
	Mild bool             // another shape is worth a warning at most

	Given bool // a value that is absent belongs to another rule, or to none
}

// Cases makes a case of each row.
func Cases(in In, rows ...Row) []suite.Case {
	cases := make([]suite.Case, len(rows))
	for i, r := range rows {
		c := suite.Case{
			ID: in.Suite + "/" + r.Slug, Title: r.Title, Checks: []requirements.ID{r.Rule}, Needs: in.Needs, Fix: r.Fix, Owns: in.owns(r),
		}
		switch {
		case in.List.Method != "":
			c.Run = probe.EachItem(in.List, r.each())
		case in.Watch != nil:
			c.Watch, c.Sees = in.Watch(r.judge()), in.sees(r)
		default:
			c.Sees = in.sees(r)
			c.Watch = probe.OnResults(in.Methods, func(a probe.Answer) probe.Opinion {
				if in.When != nil && !in.When(a) {
					return probe.Nothing()
				}
				return r.Says(a.Message)
			})
		}
		cases[i] = c
	}
	return cases
}

// sees is what a row of a watcher judges.
func (in In) sees(r Row) string {
	switch {
	case r.Sees != "" || in.Sees != "":
		return cmp.Or(r.Sees, in.Sees)
	case r.Type != "":
		return "content of the type " + r.Type
	}
	return "a result of " + strings.Join(in.Methods, " or ")
}

// owns are the parts that a row owns: what it says, or else its values.
func (in In) owns(r Row) []suite.Part {
	if r.Owns != nil {
		return r.Owns
	}
	methods, place := in.Methods, r.At
	if in.List.Method != "" {
		methods, place = []string{in.List.Method}, "/"+in.List.Items+"/*"
	}
	var parts []suite.Part
	for _, method := range methods {
		for _, v := range r.Values {
			part := suite.Part{Of: method, At: place + v.At, Depth: suite.Itself}
			if strings.HasSuffix(place, "*") { // elsewhere the type is not that of the item
				part.Type = r.Type
			}
			if v.Fits != "" {
				part.Depth = ""
			}
			parts = append(parts, part)
		}
	}
	return slices.CompactFunc(parts, func(a, b suite.Part) bool { return a == b })
}

// Says is what the row says of a result.
func (r Row) Says(m probe.Message) probe.Opinion {
	said, judge := probe.Nothing(), r.judge()
	for _, at := range places(m, "/result", r.At, r.Type) {
		said = said.And(judge(m, at))
	}
	return said
}

func (r Row) judge() Judge {
	if r.Judge != nil {
		return r.Judge
	}
	return Of(r.Values...)
}

func (r Row) each() func(*probe.Client, probe.Item) probe.Opinion {
	if r.Each != nil {
		return r.Each
	}
	return func(c *probe.Client, item probe.Item) probe.Opinion {
		said := probe.Nothing()
		for _, v := range r.Values {
			found, ok := item.Page.At(item.Pointer + v.At)
			if !ok {
				found = probe.Absent{}
			}
			said = said.And(v.judge(found, item.Where(strings.TrimPrefix(v.At, "/")), func() probe.Opinion {
				return probe.Fits(c.SchemaProblem(v.Fits, item.Pointer+v.At, found), nil)
			}))
		}
		return said
	}
}

// Of judges values below a pointer, one after the other.
func Of(values ...Value) Judge {
	return func(m probe.Message, at string) probe.Opinion {
		said := probe.Nothing()
		for _, v := range values {
			pointer := at + v.At
			said = said.And(v.judge(m.Value(pointer), m.Where(pointer), func() probe.Opinion { return m.Fits(v.Fits, pointer) }))
		}
		return said
	}
}

func (v Value) judge(found any, where string, fits func() probe.Opinion) probe.Opinion {
	_, absent := found.(probe.Absent)
	switch {
	case v.Given && absent, v.When != nil && !v.When(found):
		return probe.Nothing()
	case v.Fits != "":
		return fits()
	}
	if ok, _ := v.Want.Match(found); ok {
		return probe.Kept()
	}
	said := probe.Breaks("%s is %s, want %s", where, probe.Show(found), v.Want.FailureMessage(found))
	if v.Mild {
		return said.AtMostWarn()
	}
	return said
}

// places are the pointers that a pattern below a pointer stands for.
func places(m probe.Message, at, pattern, kind string) []string {
	before, rest, more := strings.Cut(pattern, "/*")
	if !more {
		return []string{at + before}
	}
	var all []string
	for i := range probe.ArrayOf(m.Value(at + before)) {
		item := at + before + "/" + strconv.Itoa(i)
		if kind == "" || strings.Contains(rest, "/*") || m.Value(item+rest+"/type") == kind {
			all = append(all, places(m, item, rest, kind)...)
		}
	}
	return all
}

// OneOf matches some strings.
func OneOf(texts ...string) probe.Matcher {
	return probe.That(strings.Join(texts, " or "), func(v any) bool {
		text, ok := v.(string)
		return ok && slices.Contains(texts, text)
	})
}
