package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

// findings holds the results of a run by case and column, in words that do not change
// from run to run. The verdict is one entry.
type findings map[string]string

func read(path string) (findings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := jsonfile.Read(f)
	if err != nil {
		return nil, err
	}
	return of(r), nil
}

func of(r reports.Report) findings {
	all := findings{"verdict": fmt.Sprintf("%s, exit code %d %s", r.Verdict.Status, r.Verdict.ExitCode, r.Verdict.Text)}
	for _, f := range r.Findings {
		text := string(f.Status)
		if f.Reason != nil {
			text += " " + string(f.Reason.Kind) + " " + f.Reason.BlockedBy
		}
		if f.Status == reports.Error {
			text += ": " + f.Problem
		}
		all[fmt.Sprintf("%s at %s over %s", f.Case, f.Revision, f.Transport)] = text
	}
	return all
}

// differences lists the places where two runs disagree.
func (f findings) differences(other findings) []string {
	var all []string
	places := maps.Clone(f)
	maps.Copy(places, other)
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if f[place] != other[place] {
			all = append(all, fmt.Sprintf("%s: %q quietly, %q under load", place, f[place], other[place]))
		}
	}
	return all
}

// errors lists the cases that could not be judged.
func (f findings) errors() []string {
	var all []string
	for _, place := range slices.Sorted(maps.Keys(f)) {
		if len(f[place]) >= 5 && f[place][:5] == string(reports.Error) {
			all = append(all, place+": "+f[place])
		}
	}
	return all
}

func (f findings) counts() string {
	count := map[reports.Status]int{}
	for place, text := range f {
		for _, s := range []reports.Status{reports.Pass, reports.Fail, reports.Warn, reports.Skip, reports.Error} {
			if place != "verdict" && len(text) >= len(s) && text[:len(s)] == string(s) {
				count[s]++
			}
		}
	}
	return fmt.Sprintf("%d passed, %d failed, %d warned, %d skipped, %d errors",
		count[reports.Pass], count[reports.Fail], count[reports.Warn], count[reports.Skip], count[reports.Error])
}
