package main

import (
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

func mergeCommand(w world) *cobra.Command {
	var out string
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "merge FILE... [flags]",
		Short: "join report.json files of one server into one",
		Long: `Join report.json files of one server into one: of parts of the cases, of several
transports or revisions. Counts, grades and the verdict are given anew, and
none is better than the worst of the files has it. Selections of the cases get a
grade when they are all of the cases together.

Where files say different things of one case in one column, the worst stands,
and the conflict is named on standard error and in the verdict. Where parts of
--shard are missing, standard error says so, and the exit code of --exit-code is
3 at least: what they would have found is not known.`,
		Example: "mcp-conform merge stdio.json http.json --out all.json\n" +
			"mcp-conform merge part-*.json | mcp-conform report - --format junit",
		DisableFlagsInUseLine: true,
		Args:                  files(1, math.MaxInt, "want the report.json files to join"),
		RunE: func(_ *cobra.Command, args []string) error {
			var parts []reports.Part
			for _, name := range args {
				r, err := readReport(w, name)
				if err != nil {
					return err
				}
				parts = append(parts, reports.Part{Name: name, Report: r})
			}
			merged, conflicts, err := reports.Merge(parts)
			if err != nil {
				return &misuse{err.Error(), ""}
			}
			for _, c := range conflicts {
				w.say("conflict: %s", c)
			}
			if err := deliverFile(w, out, func(to io.Writer) error { return jsonfile.Write(to, merged) }); err != nil {
				return err
			}
			if why := partsMissing(merged); why != "" {
				w.say("a part is missing: %s", why)
				if exitCode && merged.Verdict.ExitCode == reports.ExitPassed {
					return exit(reports.ExitUnjudged)
				}
			}
			return ending(exitCode, merged)
		},
	}
	s := section{"Output", flags()}
	s.flags.StringVar(&out, "out", "", "write to this `file` instead of standard output")
	exitCodeFlag(s, &exitCode)
	sectioned(w, cmd, s)
	return cmd
}

// partsMissing says which parts of --shard there are, where they are not all; empty otherwise.
func partsMissing(r reports.Report) string {
	for _, c := range r.Verdict.Columns {
		if c.Basis != nil && strings.HasPrefix(c.Basis.WhyUngraded, reports.OnlyPart) {
			why, _, _ := strings.Cut(c.Basis.WhyUngraded, ";")
			return why
		}
	}
	return ""
}
