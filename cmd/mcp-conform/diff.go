package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/compare"
)

func diffCommand(w world) *cobra.Command {
	format := choice{value: textFormat, known: []string{textFormat, "md", "json"}}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW [flags]",
		Short: "say what changed between two report.json files",
		Long: `Compare two report.json files of a server: new failures, warnings and errors
first, then what was fixed, problems that changed, grades, and what is no longer
judged. One of the files may be -, standard input.

The exit code is 1 when anything got worse: a new failure, warning or error, a
case that is no longer judged though it applies, a lower grade, a worse verdict.
It is 0 otherwise, also where a server fails as it did before.`,
		Example: "mcp-conform diff main.json mcp-conform-report/report.json\n" +
			"mcp-conform diff main.json report.json --format md > comment.md",
		DisableFlagsInUseLine: true,
		Args:                  files(2, 2, "want two report.json files, the older one first"),
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == stdin && args[1] == stdin {
				return &misuse{"both reports cannot come from standard input", ""}
			}
			before, err := readReport(w, args[0])
			if err != nil {
				return err
			}
			after, err := readReport(w, args[1])
			if err != nil {
				return err
			}
			result := compare.Reports(before, after)
			switch format.value {
			case "md":
				err = compare.Markdown(w.out, result)
			case "json":
				err = compare.JSON(w.out, result)
			default:
				err = compare.Text(w.out, result, width(w.out))
			}
			if err := unread(err); err != nil {
				return err
			}
			if result.Worse() {
				return exit(reports.ExitFailed)
			}
			return nil
		},
	}
	s := flags()
	s.Var(&format, "format", "text, Markdown for a comment on a pull request, or JSON")
	sectioned(w, cmd, section{"Output", s})
	return cmd
}
