package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

const program = "mcp-conform"

// rootCommand lists the subcommands. Begun becomes true when a subcommand starts: every
// earlier error is an error of the command line.
func rootCommand(w world) (root *cobra.Command, begun *bool) {
	begun = new(bool)
	root = &cobra.Command{
		Use:   program + " COMMAND",
		Short: "Judge MCP servers by the protocol's own requirements",
		Long: "Judge servers of the Model Context Protocol: which requirement is broken, what\n" +
			"the evidence is, and how to fix it.",
		Example: "mcp-conform run -- node dist/index.js\n" +
			"mcp-conform run --url http://127.0.0.1:8080/mcp\n" +
			"mcp-conform explain ping/empty-result",
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableSuggestions:    true,
		PersistentPreRun:      func(*cobra.Command, []string) { *begun = true },
		// Without a command the build must not turn green.
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				words := each(args, config.Config{Target: config.Target{Command: args}}.Redactor())
				return &misuse{"no command of mcp-conform stands before --", "to judge this: " + cmd.CommandPath() + " run -- " + shellWords(words)}
			}
			showHelp(w.err, cmd, nil)
			return exit(reports.ExitUsage)
		},
	}
	root.SetIn(w.in)
	root.SetOut(w.out)
	root.SetErr(w.err)
	root.CompletionOptions.DisableDefaultCmd = true
	root.Version = version()
	root.SetVersionTemplate(versionLine())
	root.Flags().Bool("version", false, "print the version")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { showHelp(w.out, cmd, nil) })
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(misreadFlag)
	root.AddCommand(
		runCommand(w), replayCommand(w), initCommand(w), serveCommand(w), listCommand(w), explainCommand(w), selftestCommand(w), schemaCommand(w),
		skillCommand(w),
		fleetCommand(w), reportCommand(w), diffCommand(w), mergeCommand(w), badgeCommand(w),
		completionCommand(w), manCommand(w), versionCommand(w),
	)
	return root, begun
}

// misread explains a command line that cobra refused.
func misread(root *cobra.Command, args []string, err error) error {
	var wrong *misuse
	if errors.As(err, &wrong) {
		return err
	}
	const help = `"mcp-conform help" lists the commands`
	for _, word := range args {
		if strings.HasPrefix(word, "-") {
			continue
		}
		var names []string
		for _, c := range root.Commands() {
			if c.Name() == word {
				return &misuse{err.Error(), `see "mcp-conform ` + word + ` --help"`}
			}
			names = append(names, c.Name())
		}
		return &misuse{"unknown command " + quoted(word), perhaps(word, names, help)}
	}
	return &misuse{err.Error(), help}
}

// misreadFlag explains a flag that cobra refused.
func misreadFlag(cmd *cobra.Command, err error) error {
	help := `see "` + cmd.CommandPath() + ` --help"`
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		if run, _, err := cmd.Find([]string{"run"}); err == nil && run != cmd && run.Flags().Lookup(name) != nil {
			help = `it is a flag of "` + run.CommandPath() + `"`
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return &misuse{"unknown flag --" + name, perhaps("--"+name, known, help)}
	case errors.As(err, &invalid) && errors.Is(err, errTwice): // the value may be an address with a secret
		return &misuse{"--" + invalid.GetFlag().Name + " is " + errTwice.Error(), help}
	case errors.As(err, &invalid):
		cause := invalid.Unwrap().Error()
		if errors.As(err, new(*strconv.NumError)) {
			cause = "want a whole number"
		}
		return &misuse{"--" + invalid.GetFlag().Name + " " + quoted(invalid.GetValue()) + ": " + cause, help}
	default:
		return &misuse{err.Error(), help}
	}
}

// isAddress reports whether a URL stands in the place of a command.
func isAddress(args []string) bool {
	return len(args) > 0 && (strings.HasPrefix(args[0], "http://") || strings.HasPrefix(args[0], "https://"))
}

// onlyBehindDash refuses words before --: they are a command without the dashes, and
// would be dropped in silence.
func onlyBehindDash(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash < 0 && len(args) == 0:
		return nil
	case isAddress(args):
		words := each(args, config.Config{Target: config.Target{URL: args[0]}}.Redactor())
		return &misuse{quoted(words[0]) + " is an address, no command",
			"name it with --url: " + cmd.CommandPath() + " --url " + shellWord(words[0])}
	case dash < 0:
		words := each(args, config.Config{Target: config.Target{Command: args}}.Redactor())
		return &misuse{"unexpected argument " + quoted(words[0]), "put the command after --: " + cmd.CommandPath() + " -- " + shellWords(words)}
	case dash > 0:
		words := each(args, config.Config{Target: config.Target{Command: args}}.Redactor())
		return &misuse{"unexpected argument " + quoted(words[0]) + " before --", "flags go before --, the command and its arguments after it"}
	case len(args) == 0:
		return &misuse{"no command after --", "add one, or leave -- out"}
	case args[0] == "":
		return &misuse{"the command after -- is empty", "is a variable unset?"}
	}
	return nil
}
