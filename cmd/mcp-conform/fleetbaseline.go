package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/suites"
)

// remarkUnneeded names the known failures of --baseline that no server needs. Only all
// servers together show that: a part of them, or a server without a verdict, does not.
func (f *fleetFlags) remarkUnneeded(x *fleet.Index, plan fleetPlan, dir string) {
	cases := caseIDs(suites.All())
	left := slices.DeleteFunc(slices.Clone(plan.known), func(k reports.KnownFailure) bool {
		return k.Over(x.Started) || !slices.Contains(cases, k.Case) // each server says so
	})
	useless := map[reports.KnownFailure]bool{}
	for _, row := range x.Servers {
		if len(left) == 0 || x.Shard != "" {
			return
		}
		r, err := reportIn(filepath.Join(dir, filepath.FromSlash(row.Folder)))
		if err != nil || r.CutShort() || r.Verdict.Status == reports.Unjudged {
			return
		}
		left = slices.DeleteFunc(left, func(k reports.KnownFailure) bool {
			needed, why := k.Needed(r)
			useless[k] = useless[k] || why != ""
			return needed
		})
	}
	v := &x.Verdict
	for _, k := range left {
		if !useless[k] {
			continue
		}
		if v.Text != "" {
			v.Text += "\n"
		}
		v.Text += fmt.Sprintf("baseline: no server needs the entry for %s; remove it (%s)", k.Case, k.At)
	}
	if v.Text != "" && f.run.judging.strictBaseline {
		v.Status, v.ExitCode = reports.WorstStatus(v.Status, reports.Failed), reports.WorstCode(v.ExitCode, reports.ExitFailed)
	}
}

// reportIn reads the report of a folder.
func reportIn(dir string) (reports.Report, error) {
	text, err := os.ReadFile(filepath.Join(dir, outputs()[0].file))
	if err != nil {
		return reports.Report{}, err
	}
	return jsonfile.Read(bytes.NewReader(text))
}
