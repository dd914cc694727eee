package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/badge"
)

func badgeCommand(w world) *cobra.Command {
	format := choice{value: "svg", known: []string{"svg", "json"}}
	var out string
	cmd := &cobra.Command{
		Use:   "badge FILE [flags]",
		Short: "draw the badge of a report.json",
		Long: `Draw the badge that a report.json deserves: as SVG, or as the JSON from which
the endpoint badge of shields.io is drawn. FILE may be -, standard input.

It is green for a whole grade only, yellow-green for a partial one, grey when
the server could not be judged, and red when the run failed.`,
		Example: "mcp-conform badge mcp-conform-report/report.json > badge.svg\n" +
			"mcp-conform badge report.json --format json --out badge.json",
		DisableFlagsInUseLine: true,
		Args:                  files(1, 1, "want one report.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := readReport(w, args[0])
			if err != nil {
				return err
			}
			write := badge.SVG
			if format.value == "json" {
				write = badge.Endpoint
			}
			return deliverFile(w, out, func(to io.Writer) error { return write(to, r.Verdict) })
		},
	}
	s := flags()
	s.Var(&format, "format", "a picture, or JSON for shields.io")
	s.StringVar(&out, "out", "", "write to this `file` instead of standard output")
	sectioned(w, cmd, section{"Output", s})
	return cmd
}
