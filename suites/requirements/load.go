package requirements

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/go-json-experiment/json"
)

//go:embed data/*.json
var files embed.FS

// row and clause are the JSON form of a requirement.
type row struct {
	ID        ID       `json:"id"`
	Area      string   `json:"area"`
	Extension string   `json:"extension"`
	Unchecked string   `json:"unchecked"`
	Clauses   []clause `json:"clauses"`
}

type clause struct {
	Since      Revision             `json:"since"`
	Until      Revision             `json:"until"`
	Level      Level                `json:"level"`
	Basis      Basis                `json:"basis"`
	Backed     bool                 `json:"backed"`
	Page       string               `json:"page"`
	Over       map[Transport]string `json:"over"`
	Source     string               `json:"source"`
	Text       string               `json:"text"`
	Transports []Transport          `json:"transports"`
}

//nolint:gochecknoglobals // what is embedded never changes, and reading it takes as long as judging a small server
var own = sync.OnceValues(func() (*Catalogue, error) { return load(files) })

// Load returns the kit's own catalogue. It refuses unknown and repeated keys,
// unknown words and duplicate ids.
func Load() (*Catalogue, error) { return own() }

func load(from fs.FS) (*Catalogue, error) {
	areas, err := readAreas(from)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{areas: areas, index: make(map[ID]int)}
	var problems []error
	for _, area := range areas {
		rows, err := read(from, area.Name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, r := range rows {
			if err := c.add(r); err != nil {
				problems = append(problems, err)
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return c, nil
}

func read(from fs.FS, area string) ([]Requirement, error) {
	name := path.Join("data", area+".json")
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	var rows []row
	if err := json.Unmarshal(data, &rows, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	list := make([]Requirement, len(rows))
	for i, r := range rows {
		if r.Area != area {
			return nil, fmt.Errorf("read %s: requirement %q has the area %q", name, r.ID, r.Area)
		}
		list[i] = r.requirement()
	}
	return list, nil
}

func (r row) requirement() Requirement {
	q := Requirement{ID: r.ID, Area: r.Area, Extension: r.Extension, Unchecked: r.Unchecked}
	for _, c := range r.Clauses {
		q.Clauses = append(q.Clauses, Clause(c))
	}
	return q
}
