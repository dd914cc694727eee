package requirements

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/go-json-experiment/json"
)

// order is the file that lists the areas in reading order: the core in the
// order of the specification, then the extensions.
const order = "data/areas.json"

// An Area is a part of the catalogue: a page of the specification or an
// extension proposal.
type Area struct {
	Name string `json:"name"`
	// Grade is the first grade that includes the area; extensions have none.
	Grade Grade `json:"grade"`
	// Transport is the only transport of the area; empty: all transports.
	Transport Transport `json:"transport"`
}

// A Grade is the level of a server that keeps the rules of all areas up to the
// grade.
type Grade string

// The grades, from the first to the last.
const (
	GradeCore     Grade = "Core"     // what every server needs
	GradeExtended Grade = "Extended" // with resources, prompts and the utilities
	GradeFull     Grade = "Full"     // everything
)

// Grades returns the grades in order.
func Grades() []Grade { return []Grade{GradeCore, GradeExtended, GradeFull} }

// Within reports whether the other grade includes the areas of g. Areas without
// a grade belong to the last grade only.
func (g Grade) Within(other Grade) bool {
	rank := func(g Grade) int {
		if i := slices.Index(Grades(), g); i >= 0 {
			return i
		}
		return len(Grades()) - 1
	}
	return rank(g) <= rank(other)
}

func readAreas(from fs.FS) ([]Area, error) {
	data, err := fs.ReadFile(from, order)
	if err != nil {
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	var areas []Area
	if err := json.Unmarshal(data, &areas, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("read %s: %w", order, err)
	}
	seen := map[string]bool{}
	for _, a := range areas {
		if err := a.check(); err != nil {
			return nil, fmt.Errorf("read %s: area %q: %w", order, a.Name, err)
		}
		if seen[a.Name] {
			return nil, fmt.Errorf("read %s: area %q is listed twice", order, a.Name)
		}
		seen[a.Name] = true
	}
	return areas, nil
}

func (a Area) check() error {
	if a.Name == "" {
		return errors.New("name is missing")
	}
	if a.Grade != "" && !slices.Contains(Grades(), a.Grade) {
		return fmt.Errorf("unknown grade %q", a.Grade)
	}
	if a.Transport != "" {
		_, err := ParseTransport(string(a.Transport))
		return err
	}
	return nil
}

// Areas lists the areas of the kit's own catalogue in reading order.
func (c *Catalogue) Areas() []Area { return slices.Clone(c.areas) }

// Grade is the first grade that includes an area; empty for extensions and for
// areas outside the kit's own catalogue.
func (c *Catalogue) Grade(area string) Grade {
	for _, a := range c.areas {
		if a.Name == area {
			return a.Grade
		}
	}
	return ""
}

// Unjudged lists the areas that bind a server in the column and have judgeable
// rules, but none that checked reports as judged.
func (c *Catalogue) Unjudged(at Revision, over Transport, checked func(ID) bool) []Area {
	type state struct{ open, judged bool }
	states := map[string]state{}
	for _, r := range c.rows {
		cl, holds := r.At(at)
		if !holds || !cl.On(over) || r.Unchecked != "" && !r.Unbuilt() {
			continue
		}
		s := states[r.Area]
		s.open, s.judged = true, s.judged || checked(r.ID)
		states[r.Area] = s
	}
	var unjudged []Area
	for _, a := range c.areas {
		s := states[a.Name]
		if s.open && !s.judged && (a.Transport == "" || a.Transport == over) {
			unjudged = append(unjudged, a)
		}
	}
	return unjudged
}
