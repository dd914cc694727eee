package specs

import (
	"iter"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Book says what suites judge in each column. It works each column out once, for all
// runs that use it. Nothing may change the suites any more.
type Book struct {
	Suites []suite.Suite
	Rules  *requirements.Catalogue
	Owned  []probe.Owned // the parts of messages that the cases own

	mu      sync.Mutex
	columns map[requirements.Column]*column
}

// A column is what the suites judge in one column.
type column struct {
	cases    []candidate
	exist    int // how many of the cases
	unjudged []requirements.Area
}

// A candidate is a case in a column in which it may not exist.
type candidate struct {
	*entry
	exists bool
}

// NewBook makes the book of suites whose rules are in a catalogue.
func NewBook(of []suite.Suite, rules *requirements.Catalogue) *Book {
	return &Book{Suites: of, Rules: rules, Owned: suite.Owned(of), columns: map[requirements.Column]*column{}}
}

func (b *Book) at(col requirements.Column) *column {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.columns[col] == nil {
		b.columns[col] = b.read(col)
	}
	return b.columns[col]
}

func (b *Book) read(col requirements.Column) *column {
	var read column
	checked := map[requirements.ID]bool{}
	for i := range b.Suites {
		s := &b.Suites[i]
		for k := range s.Cases {
			c := &s.Cases[k]
			e, exists := in(col, b.Rules, s, c)
			read.cases = append(read.cases, candidate{e, exists})
			if exists {
				read.exist++
			}
			for _, id := range c.Checks {
				// A rule counts as checked only where its own page checks it.
				if b.Rules.Area(id) == s.Name {
					checked[id] = true
				}
			}
		}
	}
	read.unjudged = b.Rules.Unjudged(col.Revision, col.Transport, func(id requirements.ID) bool { return checked[id] })
	return &read
}

// Unjudged are the areas whose rules hold in a column, and of which their own suites check none.
func (b *Book) Unjudged(col requirements.Column) []requirements.Area { return b.at(col).unjudged }

// Count is how many cases exist in a column, or were asked for by name.
func (b *Book) Count(col requirements.Column, named []string) int {
	at := b.at(col)
	n := at.exist
	if len(named) > 0 {
		for i := range at.cases {
			if c := &at.cases[i]; !c.exists && slices.Contains(named, c.Case.ID) {
				n++
			}
		}
	}
	return n
}

// Of yields the cases of a plan that exist in a column, in suite order. A case whose rules do not
// exist at the column's revision does not exist there.
func (b *Book) Of(p plan.Plan, col requirements.Column) iter.Seq[Spec] {
	return func(yield func(Spec) bool) {
		cases := b.at(col).cases
		for i := range cases {
			c := &cases[i]
			named := !c.exists && slices.Contains(p.Named, c.Case.ID)
			if !c.exists && !named || suppressed(p, c.Suite) || p.Selected != nil && !p.Selected(*c.Suite, *c.Case) {
				continue
			}
			spec, ok := Spec{entry: c.entry}, true
			if named {
				spec, ok = absent(b.Rules, spec)
			}
			if ok && !yield(spec) {
				return
			}
		}
	}
}
