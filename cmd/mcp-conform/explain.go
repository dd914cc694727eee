package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reports/text"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func explainCommand(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "explain a case, a rule, a fault, a role or a word of the report",
		Long: `Explain a suite, a case, a requirement, a fault of the reference server or a
role: the rule at each revision with its source, what is needed to judge it, how
to fix a server, which cases check it and which faults break it. A word of the
report, such as PARTIAL, "not judged" or Core, is explained too, and so is an
exit code, such as 3.`,
		Example:               "mcp-conform explain ping/empty-result",
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			l, err := openLibrary()
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return l.names(), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &misuse{"want the name of a case, a rule, a fault, a role or a word of the report", `"mcp-conform list cases" lists cases`}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := openLibrary()
			if err != nil {
				return err
			}
			return explain(l, w.out, strings.Join(args, " ")) // "not judged" without quotes
		},
	}
	return cmd
}

// names lists every name that explain knows.
func (l *library) names() []string {
	names := append(suiteNames(l.suites), caseIDs(l.suites)...)
	for _, r := range l.rules.All() {
		names = append(names, string(r.ID))
	}
	for _, f := range l.faults {
		names = append(names, f.Name)
	}
	for _, r := range l.roles {
		names = append(names, string(r.Name))
	}
	for _, t := range vocabulary() {
		names = append(names, t.name)
	}
	return names
}

// explain describes everything with the name: a fault may have the name of the
// requirement it breaks.
func explain(l *library, out io.Writer, name string) error {
	var pages []page
	for _, s := range l.suites {
		if s.Name == name {
			pages = append(pages, explainSuite(s))
		}
	}
	if s, c, ok := l.findCase(name); ok {
		pages = append(pages, explainCase(l, s, c))
	}
	if r, ok := l.rules.Find(requirements.ID(name)); ok {
		pages = append(pages, explainRequirement(l, r))
	}
	for _, f := range l.faults {
		if f.Name == name {
			pages = append(pages, explainFault(l, f))
		}
	}
	role := strings.TrimPrefix(strings.TrimPrefix(name, "role:"), "roles.")
	role, _, _ = strings.Cut(role, ".")
	for _, r := range l.roles {
		if string(r.Name) == role {
			pages = append(pages, explainRole(l, r))
		}
	}
	pages = append(pages, explainTerms(name)...)
	if len(pages) == 0 {
		return &misuse{"nothing is called " + quoted(name), suggest(l, name)}
	}
	for i, p := range pages {
		if i > 0 {
			p.text = "\n" + p.text
		}
		if _, err := io.WriteString(out, p.text); err != nil {
			return err
		}
	}
	return nil
}

// A page is an explanation under construction, 80 columns wide.
type page struct{ text string }

func (p *page) title(kind, name, about string) {
	p.text += fmt.Sprintf("%s %s\n%s", kind, name, text.Wrap("  ", about, helpWidth))
}

// part writes a labelled paragraph; without lines it writes nothing.
func (p *page) part(label string, lines ...string) {
	for i, line := range lines {
		if i == 0 {
			p.text += "\n" + label + "\n"
		}
		p.text += text.Wrap("  ", line, helpWidth)
	}
}

// copied writes command lines unbroken, however long, since readers copy them.
func (p *page) copied(label string, lines ...string) {
	if len(lines) > 0 {
		p.text += "\n" + label + "\n  " + strings.Join(lines, "\n  ") + "\n"
	}
}

// line adds a line to the paragraph above it.
func (p *page) line(said string) { p.text += text.Wrap("  ", said, helpWidth) }

// below adds an indented line to the paragraph above it.
func (p *page) below(line string) {
	if line != "" {
		p.text += text.Wrap("    ", line, helpWidth)
	}
}

// link adds an address, which is never broken.
func (p *page) link(address string) {
	if address != "" {
		p.text += "    " + address + "\n"
	}
}

func explainSuite(s suite.Suite) page {
	var p page
	p.title("suite", s.Name, s.Title)
	if s.Extension.Name != "" {
		p.part("judges the extension", s.Extension.Name)
	}
	var lines []string
	for _, c := range s.Cases {
		lines = append(lines, c.ID+": "+c.Title)
	}
	p.part("cases", lines...)
	p.copied("run it", "mcp-conform run --suite "+s.Name+" -- ./my-server")
	return p
}

func explainCase(l *library, s suite.Suite, c suite.Case) page {
	var p page
	p.title("case", c.ID, c.Title)
	p.part("suite", s.Name+": "+s.Title)
	for i, id := range c.Checks {
		r, _ := l.rules.Find(id)
		if i == 0 {
			p.part("checks", string(id))
		} else {
			p.text += "  " + string(id) + "\n"
		}
		p.clauses(r)
	}
	p.part("needs", words(allNeeds(s, c))...)
	p.part("fix", c.Fix)
	if c.Watch != nil {
		p.part("how", "watches every message of the run")
	}
	p.part("while it does not pass, cases are skipped that need", words(c.Proves)...)
	p.part("faults that break it", faultLines(l, func(f fault.Fault) bool { return slices.Contains(f.Kills, c.ID) })...)
	return p
}

func words(needs []suite.Need) []string {
	var lines []string
	for _, n := range needs {
		lines = append(lines, n.String())
	}
	return lines
}

// clauses writes the texts of a requirement over the revisions.
func (p *page) clauses(r requirements.Requirement) {
	for _, cl := range r.Clauses {
		held := heldBy(cl)
		line := fmt.Sprintf("%s: %s", span(held), cl.Level)
		if cl.Source == "" {
			line += ", by " + string(cl.Basis)
		}
		if cl.Basis.Weak() && !cl.Backed || cl.Basis == requirements.Kit && cl.Level == requirements.Must {
			line += "; breaking it is at most a warning"
		}
		for _, t := range cl.Transports {
			line += ", over " + string(t)
		}
		p.below(line)
		p.below(cl.Text)
		if cl.Source != "" {
			p.below("from " + cl.Origin() + ": " + cl.Source)
		}
		p.link(cl.Link(held[len(held)-1]))
	}
}

func explainRequirement(l *library, r requirements.Requirement) page {
	var p page
	p.title("requirement", string(r.ID), r.Clauses[len(r.Clauses)-1].Text)
	area := r.Area
	if r.Extension != "" {
		area += ", of the extension " + r.Extension
	}
	p.part("area", area)
	p.text += "\nrule\n"
	p.clauses(r)
	var cases []string
	for _, c := range l.casesOf(r.ID) {
		cases = append(cases, c.ID+": "+c.Title)
	}
	p.part("cases that check it", cases...)
	if len(cases) == 0 {
		p.part("no case checks it", l.state(r))
	}
	p.part("faults that break it", faultLines(l, func(f fault.Fault) bool { return f.Breaks == r.ID })...)
	return p
}

func faultLines(l *library, fit func(fault.Fault) bool) []string {
	var lines []string
	for _, f := range l.faultsThat(fit) {
		lines = append(lines, f.Name+": "+f.Title)
	}
	return lines
}

func explainFault(l *library, f fault.Fault) page {
	var p page
	p.title("fault", f.Name, f.Title)
	p.part("breaks", string(f.Breaks))
	if r, ok := l.rules.Find(f.Breaks); ok {
		p.clauses(r)
	}
	p.part("these cases fail or warn", f.Kills...)
	p.part("these may, too", f.May...)
	p.copied("try it", planTrial(l, f).lines(f.Name)...)
	return p
}

// field describes a field of a role; what holds more than a tool and its arguments shows
// its shape and its members.
func (p *page) field(f roles.Field) {
	p.text += text.Wrap("  ", described(f), helpWidth)
	if len(f.Fields) == 0 {
		return
	}
	p.below("as in " + f.Shape())
	for _, m := range f.Fields {
		p.below(described(m))
	}
}

func described(f roles.Field) string {
	line := fmt.Sprintf("%s (%s): %s", f.Name, f.Kind, f.Text)
	if f.Required {
		line += "; required"
	}
	return line
}

func explainRole(l *library, r roles.Spec) page {
	var p page
	p.title("role", string(r.Name), r.Text)
	p.part("key in mcp-conform.yaml", roles.Key(string(r.Name)))
	for i, f := range r.Fields {
		if i == 0 {
			p.text += "\nfields\n"
		}
		p.field(f)
	}
	if slices.ContainsFunc(r.Fields, func(f roles.Field) bool { return f.Kind == roles.KindObserve }) {
		p.part("observe is", "{tool or resource, arguments, pointer, mode}: the call or the resource that shows the effect. "+
			"pointer is a JSON pointer into its result; without one the tool's own answer is compared. "+
			"mode is count if each effect adds one to a number or an array, and value if it changes the value")
	}
	if slices.ContainsFunc(r.Fields, func(f roles.Field) bool { return f.Kind == roles.KindCall || f.Kind == roles.KindAction }) {
		p.part("a call is", "{tool, arguments}; an action is that, or {command: [PROGRAM, ARGUMENT]}, run on the machine of the kit")
	}
	p.part("a server without one", roles.Key(string(r.Name))+": none. Cases that need it are then not applicable, unless the kit "+
		"finds one itself. A field that is a call, an object or a number takes none as well")
	p.users(usersByNeeds(l, r.Name))
	return p
}
