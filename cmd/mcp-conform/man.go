package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use:                   "man",
		Short:                 "print the manual page",
		Long:                  `Print the manual page of all commands, in the format of man(7).`,
		Example:               "mcp-conform man > ~/.local/share/man/man1/mcp-conform.1",
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(w.out, manual(cmd.Root()))
			return err
		},
	}
}

// manual writes the help of all commands as a manual page.
func manual(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH MCP-CONFORM 1 \"\" \"mcp-conform %s\"\n.SH NAME\nmcp-conform \\- %s\n", roff(version()),
		roff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B mcp-conform\n.I COMMAND\n.RI [ flags ]\n.SH DESCRIPTION\n%s\n", roff(root.Long))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		about := c.Long
		if about == "" {
			about = strings.ToUpper(c.Short[:1]) + c.Short[1:] + "."
		}
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(c.UseLine()), paragraphs(about))
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n.BI \\-\\-%s \" %s\"\n%s\n", roff(f.Name), roff(value), roff(usage))
		})
		if c.Example != "" {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(c.Example))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, t := range vocabulary() {
		if t.kind == "verdict" {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(t.name), roff(t.about))
		}
	}
	b.WriteString(".SH FILES\n.TP\n.I mcp\\-conform.yaml\nthe configuration\n.TP\n.I mcp\\-conform\\-report/\nthe report\n")
	return b.String()
}

// paragraphs keeps empty lines as breaks between paragraphs, and indented lines as they are.
func paragraphs(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case strings.TrimSpace(line) == "":
			lines = append(lines, ".PP")
		case strings.HasPrefix(line, " "):
			lines = append(lines, ".br", roff(strings.TrimSpace(line)))
		default:
			lines = append(lines, roff(line))
		}
	}
	return strings.Join(lines, "\n")
}

// roff writes text so that man shows it as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
