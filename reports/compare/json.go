package compare

import (
	"io"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Format is the version of the JSON form.
const Format = 1

type document struct {
	Format     int             `json:"format"`
	Worse      bool            `json:"worse"`
	Summary    string          `json:"summary"`
	Old        side            `json:"old"`
	New        side            `json:"new"`
	Grades     []gradeJSON     `json:"grades"`
	Extensions []extensionJSON `json:"extensions"`
	Changes    []changeJSON    `json:"changes"`
}

type side struct {
	Kit     reports.Kit           `json:"kit"`
	Name    string                `json:"name"`
	Version string                `json:"version"`
	Verdict reports.VerdictStatus `json:"verdict"`
	Counts  reports.Counts        `json:"counts"`
}

type gradeJSON struct {
	place
	Was   string `json:"was"`
	Now   string `json:"now"`
	Why   string `json:"whyNotNext,omitempty"`
	Worse bool   `json:"worse"`
}

type place struct {
	Revision  requirements.Revision  `json:"revision"`
	Transport requirements.Transport `json:"transport"`
}

type extensionJSON struct {
	Name  string `json:"name"`
	Was   string `json:"was"`
	Now   string `json:"now"`
	Why   string `json:"why,omitempty"`
	Worse bool   `json:"worse"`
}

type changeJSON struct {
	Kind    Kind               `json:"kind"`
	Worse   bool               `json:"worse"`
	Case    string             `json:"case"`
	Title   string             `json:"title"`
	Level   requirements.Level `json:"level"`
	Places  []place            `json:"columns"`
	Was     string             `json:"was"`
	Now     string             `json:"now"`
	Before  string             `json:"problemBefore,omitempty"`
	Problem string             `json:"problem,omitempty"`
	Reason  *reports.Reason    `json:"reason,omitempty"`
	Rule    string             `json:"rule,omitempty"`
	Link    string             `json:"link,omitempty"`
	Fix     string             `json:"fix,omitempty"`
	Again   string             `json:"again,omitempty"`
}

// JSON writes the result for programs, in the form of report.json: a terminal can show it.
func JSON(w io.Writer, r Result) error {
	d := document{
		Format: Format, Worse: r.Worse(), Summary: r.summary(), Old: sideOf(r.Old), New: sideOf(r.New),
		Grades: []gradeJSON{}, Extensions: []extensionJSON{}, Changes: []changeJSON{},
	}
	for _, g := range r.Grades {
		d.Grades = append(d.Grades, gradeJSON{place(g.Place), g.Was, g.Now, g.Why, g.Worse})
	}
	for _, e := range r.Extensions {
		d.Extensions = append(d.Extensions, extensionJSON(e))
	}
	for _, c := range r.Changes {
		f := c.Finding
		one := changeJSON{
			Kind: c.Kind, Worse: c.Kind.Worse(), Case: f.Case, Title: f.Title, Level: f.Level, Was: c.Was, Now: c.Now,
			Before: c.Problem, Problem: f.Problem, Reason: f.Reason, Rule: f.Rule, Link: f.Link, Fix: f.Fix, Again: f.Again,
		}
		if c.Kind == Gone {
			one.Now, one.Problem = "", ""
		}
		for _, p := range c.Places {
			one.Places = append(one.Places, place(p))
		}
		d.Changes = append(d.Changes, one)
	}
	return jsonfile.Encode(w, d)
}

func sideOf(r reports.Report) side {
	return side{r.Kit, r.Target.Name, r.Target.Version, r.Verdict.Status, r.Verdict.Total()}
}
