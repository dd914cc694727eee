package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/reports/proposal"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func listCommand(w world) *cobra.Command {
	kinds := []string{"cases", "requirements", "suites", "faults", "roles"}
	format := choice{value: textFormat, known: []string{textFormat, "json", proposalFormat}}
	cmd := &cobra.Command{
		Use:   "list [cases|requirements|suites|faults|roles] [flags]",
		Short: "list suites, cases, requirements, faults or roles",
		Long: `List the cases that judge a server, the requirements they check, the suites they
belong to, the faults of the reference server, or the roles that a configuration
can fill. Without an argument it counts the cases by suite.`,
		Example: "mcp-conform list requirements\n" +
			"mcp-conform list cases --format json\n" +
			"mcp-conform list cases --format proposal-json",
		DisableFlagsInUseLine: true,
		ValidArgs:             kinds,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneOf("list", kinds)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := openLibrary()
			if err != nil {
				return err
			}
			kind := append(args, "")[0]
			if format.value == proposalFormat {
				if kind != "cases" {
					return &misuse{"--format " + proposalFormat + " is a form for cases", `use "mcp-conform list cases"`}
				}
				return proposal.WriteCases(w.out, proposalCases(l))
			}
			return writeList(l, w.out, kind, format.value == "json")
		},
	}
	cmd.Flags().Var(&format, "format", "write text or JSON; proposal-json is the form of the extension proposals, for cases")
	return cmd
}

func writeList(l *library, out io.Writer, kind string, asJSON bool) error {
	t := tableOf(l, kind)
	if asJSON {
		return jsonfile.Encode(out, t.entries)
	}
	return t.write(out, width(out))
}

func tableOf(l *library, kind string) table {
	switch kind {
	case "cases":
		return caseTable(l)
	case "requirements":
		return requirementTable(l)
	case "suites":
		return suiteTable(l.suites)
	case "faults":
		return faultTable(l.faults)
	case "roles":
		return roleTable(l)
	default:
		return indexTable(l)
	}
}

type caseEntry struct {
	ID       string                                       `json:"id"`
	Suite    string                                       `json:"suite"`
	Title    string                                       `json:"title"`
	Levels   map[requirements.Revision]requirements.Level `json:"levels"`
	Checks   []requirements.ID                            `json:"requirements"`
	Needs    []string                                     `json:"needs"`
	Watches  bool                                         `json:"watches"`
	BrokenBy []string                                     `json:"faults"`
	Fix      string                                       `json:"fix"`
}

func caseTable(l *library) table {
	var t table
	for _, s := range l.suites {
		for _, c := range s.Cases {
			e := caseEntry{
				ID: c.ID, Suite: s.Name, Title: c.Title, Checks: c.Checks, Fix: c.Fix, Watches: c.Watch != nil,
				Levels: map[requirements.Revision]requirements.Level{}, Needs: []string{}, BrokenBy: []string{},
			}
			for _, rev := range requirements.Revisions() {
				if level := l.levelAt(c, rev); level != "" {
					e.Levels[rev] = level
				}
			}
			for _, n := range c.Needs {
				e.Needs = append(e.Needs, n.String())
			}
			for _, f := range l.faults {
				if slices.Contains(f.Kills, c.ID) {
					e.BrokenBy = append(e.BrokenBy, f.Name)
				}
			}
			t.entries = append(t.entries, e)
			t.rows = append(t.rows, []string{c.ID, string(l.levelOf(c)), c.Title})
		}
	}
	return t
}

type requirementEntry struct {
	ID        requirements.ID `json:"id"`
	Area      string          `json:"area"`
	Extension string          `json:"extension,omitempty"`
	State     string          `json:"state"` // checked, or why not
	Cases     []string        `json:"cases"`
	Clauses   []clauseEntry   `json:"clauses"`
}

type clauseEntry struct {
	Revisions  []requirements.Revision  `json:"revisions"`
	Level      requirements.Level       `json:"level"`
	Basis      requirements.Basis       `json:"basis"`
	Text       string                   `json:"text"`
	Link       string                   `json:"link,omitempty"`
	Source     string                   `json:"source,omitempty"`
	Transports []requirements.Transport `json:"transports,omitempty"`
}

func requirementTable(l *library) table {
	var t table
	counts := map[string]int{}
	for _, r := range l.rules.All() {
		state := l.state(r)
		counts[state]++
		e := requirementEntry{ID: r.ID, Area: r.Area, Extension: r.Extension, State: state, Cases: []string{}}
		for _, c := range l.casesOf(r.ID) {
			e.Cases = append(e.Cases, c.ID)
		}
		for _, cl := range r.Clauses {
			held := heldBy(cl)
			e.Clauses = append(e.Clauses, clauseEntry{held, cl.Level, cl.Basis, cl.Text, cl.Link(held[len(held)-1]), cl.Source, cl.Transports})
		}
		t.entries = append(t.entries, e)
		t.rows = append(t.rows, []string{string(r.ID), levelAndBasis(r.Clauses[len(r.Clauses)-1]), state})
	}
	t.footer = append([]string{"", fmt.Sprintf("%d requirements", len(t.rows))}, tallied(counts)...)
	t.footer = append(t.footer, "",
		"MUST (prose): a rule with a basis in brackets rests on no keyword or schema, and breaking it is a warning at most")
	return t
}

// levelAndBasis is the level of a clause, and the basis where it makes a broken MUST a
// warning.
func levelAndBasis(cl requirements.Clause) string {
	if cl.Basis.Weak() && !cl.Backed {
		return fmt.Sprintf("%s (%s)", cl.Level, cl.Basis)
	}
	return string(cl.Level)
}

// tallied writes the most frequent states first, and adds up states of only one
// requirement.
func tallied(counts map[string]int) []string {
	var lines []string
	others := 0
	states := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(states, func(a, b string) int { return counts[b] - counts[a] })
	for _, state := range states {
		if counts[state] == 1 {
			others++
			continue
		}
		lines = append(lines, fmt.Sprintf("%6d  %s", counts[state], state))
	}
	if others > 0 {
		lines = append(lines, fmt.Sprintf("%6d  for other reasons", others))
	}
	return lines
}

type suiteEntry struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Extension string   `json:"extension,omitempty"`
	Cases     []string `json:"cases"`
}

// indexTable counts the entries of each list.
func indexTable(l *library) table {
	t := suiteTable(l.suites)
	t.footer = []string{
		"",
		fmt.Sprintf("%s in %s. \"mcp-conform list cases\" lists them;", plural(len(caseIDs(l.suites)), "case"), plural(len(l.suites), "suite")),
		fmt.Sprintf("\"list requirements\" lists %d, \"list faults\" %d, \"list roles\" %d.", len(l.rules.All()), len(l.faults), len(l.roles)),
	}
	return t
}

func suiteTable(all []suite.Suite) table {
	var t table
	for _, s := range all {
		e := suiteEntry{Name: s.Name, Title: s.Title, Extension: s.Extension.Name, Cases: []string{}}
		for _, c := range s.Cases {
			e.Cases = append(e.Cases, c.ID)
		}
		t.entries = append(t.entries, e)
		t.rows = append(t.rows, []string{s.Name, plural(len(s.Cases), "case"), s.Title})
	}
	return t
}

type faultEntry struct {
	Name   string          `json:"name"`
	Title  string          `json:"title"`
	Breaks requirements.ID `json:"breaks"`
	Kills  []string        `json:"kills"`
	Also   []string        `json:"also"`
}

func faultTable(all []fault.Fault) table {
	var t table
	for _, f := range all {
		e := faultEntry{Name: f.Name, Title: f.Title, Breaks: f.Breaks, Kills: orNone(f.Kills), Also: orNone(f.May)}
		t.entries = append(t.entries, e)
		t.rows = append(t.rows, []string{f.Name, f.Title})
	}
	return t
}

// orNone copies a list so that JSON writes an empty one as [], not null.
func orNone(list []string) []string { return append([]string{}, list...) }

type roleEntry struct {
	Name roles.Name `json:"name"`
	Key  string     `json:"key"`
	Text string     `json:"text"`

	Fields []string `json:"fields"`
	Cases  []string `json:"cases"` // cases that need the role
}

// roleTable lists the roles, and roles that no case uses yet last.
func roleTable(l *library) table {
	var t, unused table
	for _, r := range l.roles {
		e := roleEntry{Name: r.Name, Key: roles.Key(string(r.Name)), Text: r.Text, Cases: orNone(usersOf(r.Name, l.suites, nil))}
		for _, f := range r.Fields {
			e.Fields = append(e.Fields, f.Name)
		}
		to := &t
		if len(e.Cases) == 0 {
			to = &unused
		}
		to.entries = append(to.entries, e)
		to.rows = append(to.rows,
			[]string{string(r.Name), plural(len(e.Cases), "case"), r.Text}, []string{"", "", "  " + strings.Join(e.Fields, ", ")})
	}
	t.entries, t.rows = append(t.entries, unused.entries...), append(t.rows, unused.rows...)
	return t
}
