package compare

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
)

// changes finds the change of every case in every column.
func (r *Result) changes() {
	type key struct {
		caseID string
		place  reports.Place
	}
	before, after := map[key]reports.Finding{}, map[key]bool{}
	for _, f := range r.Old.Findings {
		before[key{f.Case, f.Place()}] = f
	}
	j := joiner{at: map[same]int{}}
	for _, now := range r.New.Findings {
		k := key{now.Case, now.Place()}
		after[k] = true
		was, known := before[k]
		if !known {
			was = reports.Finding{}
		}
		if kind := became(was, now); kind != "" {
			j.add(Change{Kind: kind, Finding: now, Was: state(was), Now: state(now), Problem: was.Problem})
		}
	}
	judged := r.New.Places()
	for _, was := range r.Old.Findings {
		// A column that is gone is told as one change.
		if !after[key{was.Case, was.Place()}] && slices.Contains(judged, was.Place()) {
			j.add(Change{Kind: Gone, Finding: was, Was: state(was), Problem: was.Problem})
		}
	}
	r.Changes = j.changes
	kinds := Kinds()
	slices.SortStableFunc(r.Changes, func(a, b Change) int {
		return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind))
	})
}

// same is the key by which changes are joined into one.
type same struct {
	kind                               Kind
	caseID, was, now, problem, earlier string
}

type joiner struct {
	changes []Change
	at      map[same]int
}

func (j *joiner) add(c Change) {
	k := same{c.Kind, c.Finding.Case, c.Was, c.Now, steady(c.Finding.Problem), steady(c.Problem)}
	i, known := j.at[k]
	if !known {
		i = len(j.changes)
		j.at[k] = i
		j.changes = append(j.changes, c)
	}
	j.changes[i].Places = append(j.changes[i].Places, c.Finding.Place())
}

// became gives the kind of change of a case; empty: nothing worth telling. Was is empty
// where the earlier report lacks the case.
func became(was, now reports.Finding) Kind {
	knownBefore := was.Known()
	switch now.Status {
	case reports.Fail:
		if was.Status == reports.Fail {
			return altered(was, now)
		}
		return NewFailure
	case reports.Warn:
		switch was.Status {
		case reports.Warn:
			return altered(was, now)
		case reports.Fail:
			return Milder
		case reports.Pass, reports.Skip, reports.Error:
		}
		return NewWarning
	case reports.Error:
		if was.Status == reports.Error {
			return ""
		}
		return NewError
	case reports.Pass:
		if was.Status == reports.Fail || was.Status == reports.Warn || was.Status == reports.Error || knownBefore {
			return Fixed
		}
		return ""
	case reports.Skip:
		return skipped(was, now, knownBefore)
	}
	return ""
}

func skipped(was, now reports.Finding, knownBefore bool) Kind {
	switch {
	case now.Known() && knownBefore:
		return altered(was, now)
	case now.Known():
		return Accepted
	case was.Status == "", was.Status == reports.Skip:
		return ""
	case !now.Applies() && now.Reason.Kind != reports.NotSeen:
		return Inapplicable
	}
	return NewlySkipped
}

func altered(was, now reports.Finding) Kind {
	if steady(was.Problem) == steady(now.Problem) {
		return ""
	}
	return Changed
}

// state names the status of a case in a word or two.
func state(f reports.Finding) string {
	if f.Status == reports.Skip && f.Reason != nil {
		return "skip, " + string(f.Reason.Kind)
	}
	return string(f.Status)
}

// passing is what differs from one run to the next though nothing changed: ids of
// messages, durations, and the nonces that the kit makes up.
var passing = regexp.MustCompile(`\bid (-?[0-9]+|"[^"]*")|\b[0-9]+(\.[0-9]+)? ?(ns|µs|ms|s)\b|\b[0-9a-f]{8,}\b`)

func steady(problem string) string { return passing.ReplaceAllString(problem, "…") }
