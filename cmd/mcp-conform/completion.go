package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

func completionCommand(w world) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "print a shell completion script",
		Long: `Print the script that teaches a shell to complete the command lines of
mcp-conform. SHELL is bash, zsh, fish or powershell.`,
		Example:               "source <(mcp-conform completion bash)",
		DisableFlagsInUseLine: true,
		ValidArgs:             shells,
		Args:                  oneOf("shell", shells),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w.out, true)
			case "zsh":
				return root.GenZshCompletion(w.out)
			case "fish":
				return root.GenFishCompletion(w.out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(w.out)
			}
		},
	}
}

// oneOf accepts exactly one argument, which must be in the list.
func oneOf(what string, known []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return &misuse{"want one " + what, "known are " + spelling.Or(known)}
		}
		if slices.Contains(known, args[0]) {
			return nil
		}
		return &misuse{"unknown " + what + " " + quoted(args[0]), "known are " + spelling.Or(known)}
	}
}

// complete lets a shell complete the value of a flag from a list.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	// It fails only for an unknown flag, or for a second completion of one flag.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
}

func completeRun(cmd *cobra.Command) {
	complete(cmd, "suite", func() []string { return suiteNames(suites.All()) })
	complete(cmd, "case", func() []string { return caseIDs(suites.All()) })
	complete(cmd, "revision", func() []string { return append([]string{"auto", "all"}, knownRevisions()...) })
	complete(cmd, "transport", func() []string { return []string{"auto", "stdio", "http", "sse"} })
	complete(cmd, "level", func() []string { return []string{"MUST", "SHOULD"} })
	complete(cmd, "color", func() []string { return []string{colorAuto, colorAlways, colorNever} })
}
