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

// A block holds the findings of one broken rule and one cause: the first finding in full,
// then the others.
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
	Seen                  string // how often a watcher saw the problem
	Reason                string
	Rule, RuleID          string
	Link, Source          string
	Fix                   string
	Again                 []string // the words of a command
	Notes                 []string
	Evidence              evidence   // frames of the first column
	Others                []evidence // frames of the other columns, where they differ
	SameRule, SameFix     bool       // equal to the rule or fix of the first finding of the block
	SuiteName, SuiteTitle string
}

// words splits a command into its words, which should not be broken over two lines.
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
	status := string(f.Status)
	if !f.Applies() {
		status = inapplicable
	}
	if f.Known() {
		status = known
	}
	out := finding{
		ID: b.id(f.Case), Case: short(f.Case), Suite: key(f.Suite), SuiteName: short(f.Suite),
		Status: status, Word: statusWord(f.Status), Level: short(string(f.Level)), Title: short(f.Title),
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

// explain fills in the rule and its link.
func (b *builder) explain(out *finding, f reports.Finding) {
	var ids []string
	for _, id := range f.Requirements {
		ids = append(ids, short(string(id)))
		rule := b.rules[string(id)]
		if rule.Text == f.Rule {
			ids = []string{short(string(id))}
			break
		}
	}
	out.RuleID = strings.Join(ids, ", ")
	if f.Origin != "" {
		out.Source = "from " + short(f.Origin)
	}
	if web(f.Link) {
		out.Link = f.Link
	} else {
		out.Source = cmp.Or(out.Source, short(f.Link))
	}
}

// web tells whether a link leads to a page: a browser must not run anything from it.
func web(link string) bool {
	return strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
}

// id is the anchor of a case: the name of the case, and a number where the case stands
// on the page again.
func (b *builder) id(caseID string) string {
	name := key(caseID)
	b.anchor[name]++
	if n := b.anchor[name]; n > 1 {
		return name + "~" + strconv.Itoa(n)
	}
	return name
}

// key turns a name into one that needs no quoting in an address or an attribute.
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

// A passedSuite lists the passed cases of a suite.
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
		f.Evidence, f.Others = evidence{}, nil // a passed case needs no evidence
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
