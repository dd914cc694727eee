package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const helpWidth = 80

// A section is a group of flags as help shows it.
type section struct {
	title string
	flags *pflag.FlagSet
}

// sectioned gives a command its flags, in the groups of the help text.
func sectioned(w world, cmd *cobra.Command, sections ...section) {
	for _, s := range sections {
		s.flags.SortFlags = false
		cmd.Flags().AddFlagSet(s.flags)
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { showHelp(w.out, cmd, sections) })
}

func flags() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

// showHelp writes the help of a command, 80 columns wide.
func showHelp(out io.Writer, cmd *cobra.Command, sections []section) {
	var b strings.Builder
	about := cmd.Long
	if about == "" {
		about = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", about, cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				fmt.Fprintf(&b, "  %-12s%s\n", c.Name(), c.Short)
			}
		}
	}
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString("  " + line)
		}
		b.WriteString("\n")
	}
	shown := map[string]bool{}
	for _, s := range sections {
		fmt.Fprintf(&b, "\n%s:\n%s", s.title, s.flags.FlagUsagesWrapped(helpWidth))
		s.flags.VisitAll(func(f *pflag.Flag) { shown[f.Name] = true })
	}
	rest := flags()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !shown[f.Name] {
			rest.AddFlag(f)
		}
	})
	title := "Flags"
	if len(sections) > 0 {
		title = "Other flags"
	}
	fmt.Fprintf(&b, "\n%s:\n%s", title, rest.FlagUsagesWrapped(helpWidth))
	_, _ = io.WriteString(out, b.String()) // a failure to write help cannot be reported to anybody
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		Short:                 "show help for a command",
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				if c.IsAvailableCommand() && len(args) == 0 {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return misread(cmd.Root(), args, fmt.Errorf("unexpected word %s", quoted(strings.Join(rest, " "))))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
