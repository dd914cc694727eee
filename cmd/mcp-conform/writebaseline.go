package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

const unwritten = reports.Unwritten

// unexplained counts entries that have no reason yet.
func unexplained(entries []reports.KnownFailure) int {
	n := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Reason, unwritten) {
			n++
		}
	}
	return n
}

// noted reads the current file of --write-baseline: the run must neither lose reasons
// that somebody wrote nor overwrite a file that is not a baseline.
func (f *runFlags) noted(w world) ([]reports.KnownFailure, error) {
	if f.failures == "" {
		return nil, nil
	}
	if _, err := os.Stat(f.failures); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	entries, err := config.LoadBaseline(f.failures, w.env, known())
	return knownFailures(f.failures, entries), err
}

// noteFailures writes the baseline for --write-baseline. The verdict does not change:
// the failures are known from the next run on.
func (f *runFlags) noteFailures(w world, r *reports.Report, j *job) error {
	if f.failures == "" {
		return nil
	}
	if r.CutShort() || r.Verdict.Status == reports.Unjudged {
		w.say("%s stays as it was: the run did not come to its end", f.failures)
		return nil
	}
	old := slices.Clone(j.noted)
	for _, e := range j.policy.Baseline.Entries {
		if f.baseline != "" && strings.HasPrefix(e.At, f.baseline+":") && !slices.ContainsFunc(old, func(o reports.KnownFailure) bool {
			return o.Case == e.Case && o.Revision == e.Revision && o.Transport == e.Transport
		}) {
			old = append(old, e)
		}
	}
	entries := rebase(*r, old, f.judging.strict, w.now())
	if err := replace(f.failures, writtenBaseline(entries)); err != nil {
		return err
	}
	line := fmt.Sprintf("wrote %s to %s", plural(len(entries), "known failure"), f.failures)
	if todo := unexplained(entries); todo > 0 {
		line += fmt.Sprintf("; write a reason in the place of each TODO, there are %d", todo)
	}
	w.say("%s; use it with --baseline %s", line, f.failures)
	return nil
}

// rebase makes the baseline that a run needs. Entries that still match stay, with their
// reasons, and so do entries that this run did not judge; a failure without an entry
// gets a new one; entries of passed cases are dropped.
func rebase(r reports.Report, old []reports.KnownFailure, strict bool, now time.Time) []reports.KnownFailure {
	var entries []reports.KnownFailure
	reasons := map[string]string{} // reasons of entries that ran out
	for _, e := range old {
		passes, matched := true, false
		for _, f := range r.Findings {
			if e.Covers(f) {
				matched, passes = true, passes && f.Status == reports.Pass
			}
		}
		switch {
		case matched && passes:
		case e.Over(now):
			reasons[e.Case] = fmt.Sprintf("%s: ran out on %s, was: %s", unwritten, e.Until.Format(time.DateOnly), e.Reason)
		default:
			entries = append(entries, e)
		}
	}
	for _, f := range r.Findings {
		covers := func(e reports.KnownFailure) bool { return e.Covers(f) }
		if !f.CountsIn(strict) || slices.ContainsFunc(entries, covers) {
			continue
		}
		e := reports.KnownFailure{Case: f.Case, Revision: f.Revision, Reason: unwritten}
		if reason := reasons[f.Case]; reason != "" {
			e.Reason = reason
		}
		if elsewhere(r, f, strict) {
			e.Transport = f.Transport
		}
		entries = append(entries, e)
	}
	return entries
}

// elsewhere tells whether a case that fails over one transport was judged over another
// at the same revision and does not fail there.
func elsewhere(r reports.Report, f reports.Finding, strict bool) bool {
	return slices.ContainsFunc(r.Findings, func(other reports.Finding) bool {
		return other.Case == f.Case && other.Revision == f.Revision && other.Transport != f.Transport && !other.CountsIn(strict)
	})
}

func writtenBaseline(entries []reports.KnownFailure) []byte {
	var b strings.Builder
	b.WriteString("# Known failures, read by mcp-conform run --baseline. Say why each is accepted, and until\n" +
		"# when: until: 2027-03-01. An entry without revision or transport holds for all.\n")
	if len(entries) == 0 {
		b.WriteString("[]\n")
	}
	for _, e := range entries {
		parts := []string{"case: " + scalar(e.Case)}
		if e.Revision != "" {
			parts = append(parts, "revision: "+quotedScalar(string(e.Revision))) // some readers of YAML take it for a date
		}
		if e.Transport != "" {
			parts = append(parts, "transport: "+string(e.Transport))
		}
		parts = append(parts, "reason: "+quotedScalar(e.Reason))
		if !e.Until.IsZero() {
			parts = append(parts, "until: "+e.Until.Format(time.DateOnly))
		}
		b.WriteString("- {" + strings.Join(parts, ", ") + "}\n")
	}
	return []byte(b.String())
}

var plainScalar = regexp.MustCompile(`^[a-z][a-z0-9/-]*$`)

func scalar(s string) string {
	if plainScalar.MatchString(s) {
		return s
	}
	return quotedScalar(s)
}

// quotedScalar writes a string for YAML: every JSON string is one.
func quotedScalar(s string) string {
	quoted, _ := json.Marshal(s) // a string can always be written
	return string(quoted)
}
