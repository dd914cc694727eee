package requirements

import (
	"errors"
	"fmt"
)

// A Catalogue is a set of requirements in reading order. It never changes and
// goroutines may share it.
type Catalogue struct {
	areas []Area
	rows  []Requirement
	index map[ID]int
}

// Find returns the requirement with that id.
func (c *Catalogue) Find(id ID) (Requirement, bool) {
	i, ok := c.index[id]
	if !ok {
		return Requirement{}, false
	}
	return c.rows[i].clone(), true
}

// Holds reports whether a requirement holds in a column.
func (c *Catalogue) Holds(id ID, in Column) bool {
	i, ok := c.index[id]
	if !ok {
		return false
	}
	clauses := c.rows[i].Clauses
	for k := range clauses {
		if clauses[k].Holds(in.Revision) {
			return clauses[k].On(in.Transport)
		}
	}
	return false
}

// Area is the area of a requirement, empty for an unknown id.
func (c *Catalogue) Area(id ID) string {
	if i, ok := c.index[id]; ok {
		return c.rows[i].Area
	}
	return ""
}

// Clause is the clause of a requirement that holds at a revision over a
// transport. The caller must not change it.
func (c *Catalogue) Clause(id ID, at Revision, over Transport) (Clause, bool) {
	i, ok := c.index[id]
	if !ok {
		return Clause{}, false
	}
	clause, ok := c.rows[i].At(at)
	return clause, ok && clause.On(over)
}

// All lists the requirements: the core areas in the order of the specification,
// the extensions, then those added by With.
func (c *Catalogue) All() []Requirement {
	rows := make([]Requirement, len(c.rows))
	for i, r := range c.rows {
		rows[i] = r.clone()
	}
	return rows
}

// With returns a catalogue that also holds the given requirements, for suites
// with rules of their own. The error names every malformed row and every id
// that is already taken.
func (c *Catalogue) With(more ...Requirement) (*Catalogue, error) {
	joined := &Catalogue{areas: c.areas, rows: c.All(), index: make(map[ID]int, len(c.rows)+len(more))}
	for i, r := range joined.rows {
		joined.index[r.ID] = i
	}
	var problems []error
	for _, r := range more {
		if err := joined.add(r.clone()); err != nil {
			problems = append(problems, err)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return joined, nil
}

func (c *Catalogue) add(r Requirement) error {
	problems := r.problems()
	if _, taken := c.index[r.ID]; taken {
		problems = append(problems, "the id is taken")
	}
	var errs []error
	for _, problem := range problems {
		errs = append(errs, fmt.Errorf("requirement %q: %s", r.ID, problem))
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	c.index[r.ID] = len(c.rows)
	c.rows = append(c.rows, r)
	return nil
}
