package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// A section holds the blocks of one status.
type section struct {
	Status, Title, Says string
	Blocks              []block
}

// A block is what breaks one rule in one way: the first finding in full, then
// the others.
type block struct {
	finding
	Open bool
	Also []finding
}

// A finding is one case with one problem, in one column or several.
type finding struct {
	ID, Case, Suite       string
	Status, Word          string
	Level, Title          string
	Columns               string // indexes of columns, with blanks between them
	Where                 []string
	Problem               string
	Seen                  string // how often, for a case that watches
	Reason                string
	Rule, RuleID          string
	Link, Source          string
	Fix                   string
	Again                 []string // the words of a command
	Notes                 []string
	Evidence              evidence   // as it was in the first column
	Others                []evidence // of the other columns, where it differs
	SameRule, SameFix     bool       // as with the first of the block
	SuiteName, SuiteTitle string
}

// words are those of a command: better not broken over two lines.
func words(command string) []string {
	if command == "" {
		return nil
	}
	return strings.Split(text(command), " ")
}

func newSection(s reports.Status, blocks []block) section {
	out := section{Status: string(s), Blocks: blocks}
	switch s {
	case reports.Fail:
		out.Title, out.Says = "Failed", "A MUST is broken. These count against the server."
	case reports.Warn:
		out.Title, out.Says = "Warnings", "A SHOULD is broken, or a MUST that has no keyword or schema behind it. With --strict they count."
	case reports.Error:
		out.Title, out.Says = "Errors", "These could not be judged: the server was gone, or the kit failed. The problem says which."
	case reports.Pass, reports.Skip:
	}
	return out
}

func (b *builder) blocks(s reports.Status) []block {
	var all []block
	for _, from := range b.r.Blocks(s) {
		out := block{finding: b.finding(from.Group)}
		for _, g := range from.Also {
			f := b.finding(g)
			f.SameRule = f.Rule == out.Rule && f.RuleID == out.RuleID
			f.SameFix = f.Fix == out.Fix
			out.Also = append(out.Also, f)
		}
		all = append(all, out)
	}
	return all
}

func (b *builder) finding(g reports.Group) finding {
	f := g.Finding
	out := finding{
		ID: b.id(f.Case), Case: short(f.Case), Suite: key(f.Suite), SuiteName: short(f.Suite),
		Status: string(f.Status), Word: statusWord(f.Status), Level: short(string(f.Level)), Title: short(f.Title),
		Columns: b.indexes(g.Places), Where: strings.Split(layout.Places(g.Places), ", "),
		Problem: text(f.Problem), Rule: text(f.Rule), Fix: text(f.Fix), Again: words(f.Again),
	}
	out.Evidence, out.Others = b.evidence(g, out.ID)
	if f.Count > 1 {
		out.Seen = "Seen " + layout.Number(f.Count) + " times; the first is shown."
	}
	if f.Reason != nil {
		out.Reason = text(f.Reason.String())
	}
	for _, n := range f.Notes {
		out.Notes = append(out.Notes, text(n))
	}
	b.explain(&out, f)
	return out
}

// explain fills in where the rule stands.
func (b *builder) explain(out *finding, f reports.Finding) {
	var ids []string
	for _, id := range f.Requirements {
		ids = append(ids, short(string(id)))
		rule := b.rules[string(id)]
		if rule.Text == f.Rule {
			ids = []string{short(string(id))}
			out.Source = short(rule.Source)
			break
		}
	}
	out.RuleID = strings.Join(ids, ", ")
	if web(f.Link) {
		out.Link = f.Link
	} else {
		out.Source = cmp.Or(out.Source, short(f.Link))
	}
}

// web tells whether a link leads to a page, and to nothing that a browser runs.
func web(link string) bool {
	return strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
}

// id is where links to a case lead: the case, and a number where it stands on
// the page again.
func (b *builder) id(caseID string) string {
	name := key(caseID)
	b.anchor[name]++
	if n := b.anchor[name]; n > 1 {
		return name + "~" + strconv.Itoa(n)
	}
	return name
}

// key is a name that can stand in an address and in an attribute without being
// quoted by either.
func key(name string) string {
	const longest = 120
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("/-_.", r):
			return r
		}
		return '-'
	}, name)
	if len(safe) > longest {
		safe = safe[:longest]
	}
	return cmp.Or(safe, "unnamed")
}

func (b *builder) indexes(places []reports.Place) string {
	var all []string
	for _, p := range places {
		all = append(all, strconv.Itoa(slices.Index(b.places, p)))
	}
	return strings.Join(all, " ")
}

// A passedSuite lists what a server does right.
type passedSuite struct {
	Name, Title, Key string
	Findings         []finding
	N                int
}

func (b *builder) passed() []passedSuite {
	var all []passedSuite
	at := map[string]int{}
	for _, g := range b.r.Groups(reports.Pass) {
		name := g.Finding.Suite
		i, known := at[name]
		if !known {
			i = len(all)
			at[name] = i
			all = append(all, passedSuite{Name: short(name), Key: key(name), Title: b.suiteTitle(name)})
		}
		f := b.finding(g)
		f.Evidence, f.Others = evidence{}, nil // nothing is wrong with them
		all[i].Findings = append(all[i].Findings, f)
		all[i].N += len(g.Places)
	}
	return all
}

func (b *builder) suiteTitle(name string) string {
	for _, s := range b.r.Suites {
		if s.Name == name {
			return short(s.Title)
		}
	}
	return ""
}
