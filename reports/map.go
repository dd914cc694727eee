package reports

import "slices"

// Map returns a copy of the report in which change was applied to every text that the
// run learned from the server, its operator or the machine. Names, and the kit's own
// texts on cases and rules, stay: findings are found by them.
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

// Map does the same for one finding. Notes that become equal are joined.
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

// changed applies change to each text, and keeps the first of equal results.
func changed(texts []string, change func(string) string) []string {
	var all []string
	for _, text := range texts {
		if text = change(text); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
