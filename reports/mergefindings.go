package reports

import (
	"cmp"
	"slices"
	"strings"
)

// findings joins the findings of all parts: by column, then in the order of the suites.
func (m *merger) findings() {
	type key struct {
		place  Place
		caseID string
	}
	type kept struct {
		Finding
		from string
	}
	var order []key
	chosen := map[key]kept{}
	for _, p := range m.parts {
		for _, f := range p.Report.Findings {
			k := key{f.Place(), f.Case}
			before, known := chosen[k]
			if !known {
				order = append(order, k)
				chosen[k] = kept{f, p.Name}
				continue
			}
			stands := before
			if gravity(f) > gravity(before.Finding) {
				stands = kept{f, p.Name}
			}
			if said(f) && said(before.Finding) && gravity(f) != gravity(before.Finding) && !m.watched(f, before.Finding) {
				m.conflict("%s in %s: %s says %s, %s says %s; %s stands", f.Case, f.Place(),
					before.from, outcome(before.Finding), p.Name, outcome(f), outcome(stands.Finding))
			}
			if m.shards {
				stands.Count = before.Count + f.Count // sightings of the watchers in each part
			}
			chosen[k] = stands
		}
	}
	columns, suites := map[Place]int{}, map[string]int{}
	for i, place := range m.places() {
		columns[place] = i
	}
	for i, s := range m.r.Suites {
		suites[s.Name] = i
	}
	for _, k := range order {
		m.r.Findings = append(m.r.Findings, chosen[k].Finding)
	}
	slices.SortStableFunc(m.r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(columns[a.Place()], columns[b.Place()]), cmp.Compare(suites[a.Suite], suites[b.Suite]),
			cmp.Compare(a.Position, b.Position))
	})
	if m.shards {
		for i := range m.r.Findings {
			m.r.Findings[i].Position = 0
		}
	}
}

// watched tells whether a watcher saw different things in two shards of one run. This is
// no contradiction: it judges the frames of its own shard only.
func (m *merger) watched(a, b Finding) bool { return m.shards && (a.Count > 0 || b.Count > 0) }

// places lists the columns of all parts, each once.
func (m *merger) places() []Place {
	var all []Place
	for _, p := range m.parts {
		all = union(all, p.Report.Places())
	}
	return all
}

// gravity orders findings from the least to the most important. A skip says nothing,
// except for an expected failure.
func gravity(f Finding) int {
	switch f.Status {
	case Fail:
		return 6
	case Error:
		return 5
	case Warn:
		return 4
	case Pass:
		return 2
	case Skip:
	}
	switch {
	case f.Reason == nil:
		return 0
	case f.Reason.Kind == ExpectedFailure:
		return 3
	case f.Reason.Kind.Applies(), f.Reason.Kind == NotSeen, f.Reason.Kind == NotApplicable:
		return 1
	}
	return 0
}

func said(f Finding) bool { return gravity(f) > 1 }

func outcome(f Finding) string {
	if f.Status == Skip && f.Reason != nil {
		return string(f.Reason.Kind)
	}
	return string(f.Status)
}

// verdict computes the verdict again. A part may know more than its findings show, for
// example that it was interrupted or that its baseline is out of date.
func (m *merger) verdict() {
	var scopes []Scope
	for _, place := range m.places() {
		scopes = append(scopes, m.scope(place))
	}
	m.r.Verdict = Verdict{Columns: Sum(m.r.Findings, scopes, m.r.Suites)}
	for i := range m.r.Verdict.Columns {
		m.cap(&m.r.Verdict.Columns[i])
	}
	p := Policy{Strict: m.r.Run.Strict}
	for _, part := range m.parts {
		p.Joined = append(p.Joined, part.Report.Verdict)
	}
	m.r = Settle(m.r, p)
	var remarks []string
	for _, p := range m.parts {
		text := strings.TrimSpace(p.Report.Verdict.Text)
		switch {
		case text == "":
		case !m.shards:
			remarks = append(remarks, p.Name+": "+text)
		case !slices.Contains(remarks, text):
			remarks = append(remarks, text) // shards of one run repeat the remark
		}
	}
	for _, c := range m.conflicts {
		remarks = append(remarks, "conflict: "+c)
	}
	m.r.Verdict.Text = strings.Join(remarks, "\n")
}

// of lists the columns that the parts have at a place.
func (m *merger) of(place Place) []Column {
	var found []Column
	for _, p := range m.parts {
		for _, c := range p.Report.Verdict.Columns {
			if c.Place() == place {
				found = append(found, c)
			}
		}
	}
	return found
}

// someShards names the shards that are joined, where all reports are shards and some are
// missing.
func (m *merger) someShards() string {
	var names []string
	for _, p := range m.parts {
		if p.Report.Run.Shard == "" {
			return ""
		}
		names = union(names, []string{p.Report.Run.Shard})
	}
	if m.shards || len(names) < 2 {
		return ""
	}
	return strings.Join(names, " and ")
}

// OnlyPart begins the reason why a column has no grade, where parts of --shard are missing.
const OnlyPart = "only part"

// scope joins the scopes of a column. Parts that hold all the cases together are a whole
// run.
func (m *merger) scope(place Place) Scope {
	s := Scope{Place: place}
	for _, c := range m.of(place) {
		if c.Basis == nil {
			s.WhyUngraded = "a report of an older version does not say what its grade rests on"
			continue
		}
		s.Cases = max(s.Cases, c.Basis.Cases)
		s.Unjudged = union(s.Unjudged, c.Basis.Unjudged)
		s.WhyUngraded = cmp.Or(s.WhyUngraded, c.Basis.WhyUngraded)
	}
	cases := only(m.r.Findings, func(f Finding) bool { return f.Place() == place && f.Exists() })
	switch some := m.someShards(); {
	case s.Cases > 0 && len(cases) >= s.Cases:
		s.WhyUngraded = ""
	case strings.HasPrefix(s.WhyUngraded, OnlyPart+" ") && some != "":
		s.WhyUngraded = OnlyPart + "s " + some + " of the cases were run; mcp-conform merge joins all parts"
	}
	return s
}

// Exists tells whether the case of the finding exists in its column.
func (f Finding) Exists() bool { return f.Reason == nil || f.Reason.Kind != OtherRevision }

// cap keeps the grade of a column from being better than in any part with all cases. A
// column of only one part keeps its grade.
func (m *merger) cap(c *Column) {
	of := m.of(c.Place())
	if len(of) == 1 {
		c.Grade, c.WhyNotNext, c.Basis = of[0].Grade, of[0].WhyNotNext, of[0].Basis
		return
	}
	for _, part := range of {
		whole := part.Basis == nil || part.Basis.WhyUngraded == ""
		if whole && GradeRank(part.Grade) < GradeRank(c.Grade) {
			c.Grade, c.WhyNotNext = part.Grade, part.WhyNotNext
		}
	}
}
