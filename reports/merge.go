package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Part is a report to be joined with others, and the name of its file.
type Part struct {
	Name   string
	Report Report
}

// Merge joins reports of one server: parts of the cases, transports, revisions. It
// computes counts, grades and the verdict again, and none is better than the worst of
// the parts. Where parts disagree on a case in a column, the worst finding stays, and
// conflicts names the case.
func Merge(parts []Part) (merged Report, conflicts []string, err error) {
	if len(parts) == 0 {
		return Report{}, nil, errors.New("there is no report to merge")
	}
	if err := oneServer(parts); err != nil {
		return Report{}, nil, err
	}
	m := merger{parts: parts, shards: complete(parts)}
	m.r = Report{Format: Format, Kit: parts[0].Report.Kit, Run: parts[0].Report.Run}
	for i, p := range parts {
		if p.Report.Kit != m.r.Kit {
			m.conflict("%s was judged by %s, %s by %s", parts[0].Name, m.r.Kit, p.Name, p.Report.Kit)
		}
		m.run(p.Report.Run, i == 0)
		m.target(p)
		m.suites(p.Report.Suites)
		m.rules(p.Report.Rules)
	}
	m.findings()
	m.r.Suites = CountBySuite(m.r.Findings, m.r.Suites)
	m.verdict()
	m.r.Verdict.Extensions = SumExtensions(m.r)
	m.r.orderRules()
	return m.r, m.conflicts, nil
}

// complete reports whether the parts are all shards of one run, each once.
func complete(parts []Part) bool {
	seen := map[string]bool{}
	for _, p := range parts {
		_, of, isShard := strings.Cut(p.Report.Run.Shard, "/")
		if n, err := strconv.Atoi(of); !isShard || err != nil || n != len(parts) || seen[p.Report.Run.Shard] {
			return false
		}
		seen[p.Report.Run.Shard] = true
	}
	return true
}

// orderRules puts the rules into the order in which findings name them.
func (r *Report) orderRules() {
	named, n := map[requirements.ID]int{}, 0
	for _, f := range r.Findings {
		for _, id := range f.Requirements {
			if n++; named[id] == 0 {
				named[id] = n
			}
		}
	}
	slices.SortStableFunc(r.Rules, func(a, b Rule) int { return cmp.Compare(named[a.ID], named[b.ID]) })
}

// String names the program and its version.
func (k Kit) String() string { return strings.TrimSpace(k.Name + " " + k.Version) }

// oneServer refuses reports of different servers: their sum would be true of no server.
// A server that was never reached has no name.
func oneServer(parts []Part) error {
	var first *Part
	for i, p := range parts {
		t := p.Report.Target
		switch {
		case t.Name == "" && t.Version == "":
		case first == nil:
			first = &parts[i]
		case t.Name != first.Report.Target.Name || t.Version != first.Report.Target.Version:
			return fmt.Errorf("these are reports of different servers: %s of %q, %s of %q", first.Name,
				strings.TrimSpace(first.Report.Target.Name+" "+first.Report.Target.Version), p.Name, strings.TrimSpace(t.Name+" "+t.Version))
		}
	}
	return nil
}

type merger struct {
	parts     []Part
	r         Report
	conflicts []string
	shards    bool // the parts are all shards of one run
}

func (m *merger) conflict(format string, args ...any) {
	m.conflicts = append(m.conflicts, fmt.Sprintf(format, args...))
}

func (m *merger) run(of Run, first bool) {
	r := &m.r.Run
	if m.shards {
		r.Shard = ""
	}
	if first {
		return
	}
	r.DurationMs += of.DurationMs
	r.Jobs = max(r.Jobs, of.Jobs)
	r.Strict = r.Strict || of.Strict
	if r.Config == "" {
		r.Config, r.ConfigLine = of.Config, of.ConfigLine
	}
	if of.Started.Before(r.Started) {
		r.Started = of.Started
	}
}

func (m *merger) target(p Part) {
	t, of := &m.r.Target, p.Report.Target
	t.Name, t.Version = cmp.Or(t.Name, of.Name), cmp.Or(t.Version, of.Version)
	switch {
	case t.Given == "":
		t.Given = of.Given
	case of.Given != "" && !slices.Contains(strings.Split(t.Given, " and "), of.Given):
		t.Given += " and " + of.Given
	}
	t.Transports = union(t.Transports, of.Transports)
	t.Revisions = union(t.Revisions, of.Revisions)
	slices.Sort(t.Revisions)
	t.Eras = union(t.Eras, of.Eras)
	for _, e := range of.Extensions {
		i := slices.IndexFunc(t.Extensions, func(known Extension) bool { return known.Name == e.Name })
		if i < 0 {
			t.Extensions = append(t.Extensions, e)
			continue
		}
		known := &t.Extensions[i]
		known.Dialect, known.Forms = cmp.Or(known.Dialect, e.Dialect), union(known.Forms, e.Forms)
		slices.Sort(known.Forms)
		if known.Claim != e.Claim {
			m.conflict("%s is claimed in different ways: %s, and in %s %s; the first stands", e.Name, known.Claim, p.Name, e.Claim)
		}
	}
}

// union appends what is not there yet.
func union[T comparable](to, of []T) []T {
	to = slices.Clone(to)
	for _, one := range of {
		if !slices.Contains(to, one) {
			to = append(to, one)
		}
	}
	return to
}

func (m *merger) suites(of []Suite) {
	for _, s := range of {
		if !slices.ContainsFunc(m.r.Suites, func(known Suite) bool { return known.Name == s.Name }) {
			m.r.Suites = append(m.r.Suites, s)
		}
	}
}

func (m *merger) rules(of []Rule) {
	for _, rule := range of {
		i := slices.IndexFunc(m.r.Rules, func(known Rule) bool {
			return known.ID == rule.ID && known.Text == rule.Text && known.Level == rule.Level
		})
		if i < 0 {
			m.r.Rules = append(m.r.Rules, rule)
			continue
		}
		known := &m.r.Rules[i]
		newest := slices.MaxFunc([]Rule{*known, rule}, func(a, b Rule) int {
			return cmp.Compare(slices.Max(append(a.Revisions, "")), slices.Max(append(b.Revisions, "")))
		})
		known.Link = newest.Link
		known.Revisions = union(known.Revisions, rule.Revisions)
		slices.Sort(known.Revisions)
	}
}
