package reports

import "slices"

// Map returns the report with every text changed that the run has learned: from the
// server, from its operator, from the machine. Names, and what the kit says of its own
// cases and rules, stay: findings are found by them.
func (r Report) Map(change func(string) string) Report {
	r.Stderr = change(r.Stderr)
	r.Verdict.Text = change(r.Verdict.Text)
	t := &r.Target
	t.Name, t.Version, t.Given = change(t.Name), change(t.Version), change(t.Given)
	t.Extensions = slices.Clone(t.Extensions)
	for i := range t.Extensions {
		e := &t.Extensions[i]
		e.Where, e.Dialect, e.Forms = change(e.Where), change(e.Dialect), changed(e.Forms, change)
	}
	r.Findings = slices.Clone(r.Findings)
	for i, f := range r.Findings {
		r.Findings[i] = f.Map(change)
	}
	return r
}

// Map is that of the report for one finding. Notes that become equal are one.
func (f Finding) Map(change func(string) string) Finding {
	f.Problem, f.Again, f.Stderr = change(f.Problem), change(f.Again), change(f.Stderr)
	f.Notes = changed(f.Notes, change)
	if f.Reason != nil {
		reason := *f.Reason
		reason.Text = change(reason.Text)
		f.Reason = &reason
	}
	f.Frames = slices.Clone(f.Frames)
	for i := range f.Frames {
		f.Frames[i].Text = change(f.Frames[i].Text)
	}
	return f
}

// changed keeps the first of texts that are equal then.
func changed(texts []string, change func(string) string) []string {
	var all []string
	for _, text := range texts {
		if text = change(text); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
