package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

func skillCommand(w world) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "skill [flags] [-- command args...]",
		Short: "make a SKILL.md of what a server says of itself",
		Long: `Print a skill file for agents, made of the dashdash metadata of a server: its
name, what it is for and when to use it, its guide, its tools and the other ways
to the same service. The server is named as for run. No tool is called but one
that is named ai_help.

Where something is missing or cannot be used nothing is printed to standard
output, and a line on standard error says what to add. The exit code is 0 when
the file was made, 1 when something is missing, 2 for a mistake in flags or
configuration, 3 when the server could not be asked. docs/ext-dashdash.md
describes the metadata.`,
		Example: "mcp-conform skill -- node dist/index.js > SKILL.md\n" +
			"mcp-conform skill --url http://127.0.0.1:8080/mcp > SKILL.md",
		DisableFlagsInUseLine: true,
		Args:                  onlyBehindDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.target.command = args
			return f.skill(cmd.Context(), w, cmd.Flags())
		},
	}
	settings, waits := flags(), flags()
	settings.Var(&single{value: &f.config, file: true}, "config",
		"read this `FILE`; none reads no file (default ./mcp-conform.yaml if it exists)")
	f.judging.timeout = duration(10 * time.Second)
	waits.Var(&f.judging.timeout, "timeout", "wait this long for an answer")
	waits.Var(&f.judging.startTimeout, "start-timeout",
		"wait this long for the first answer of the server, at least --timeout (default 6 times --timeout)")
	sectioned(w, cmd, section{"Configuration (flags override it)", settings}, f.target.section(), section{"Waiting", waits})
	return cmd
}

func (f *runFlags) skill(ctx context.Context, w world, set *pflag.FlagSet) error {
	j := &job{}
	cfg, err := f.load(w, set, j)
	if err != nil {
		return err
	}
	if cfg, err = f.aim(w, cfg, set, j); err != nil {
		return err
	}
	for _, line := range j.lines {
		w.say("%s", line)
	}
	j.plan.Config, j.plan.Jobs, j.plan.Version, j.plan.Started = cfg, 1, version(), w.now()
	j.plan.Timeout, j.plan.StartTimeout = time.Duration(f.judging.timeout), time.Duration(f.judging.startTimeout)
	processes := suites.NewProcesses()
	defer processes.Close()
	j.plan.Processes = processes
	ctx, interrupted, stop := interruptible(ctx, w, processes.Kill)
	defer stop()
	made, report, err := suites.MakeSkill(ctx, j.plan)
	switch mistake := (*config.Error)(nil); {
	case errors.As(err, &mistake):
		return mistake
	case err != nil:
		return &misuse{problem: err.Error()}
	case interrupted():
		return exit(reports.ExitInterrupted)
	case made.Text == "" && made.Missing == nil:
		w.say("the server could not be asked: %s", strings.TrimSpace(report.Verdict.Text))
		return exit(reports.ExitUnjudged)
	case made.Text == "":
		w.say("no skill file can be made yet:")
		for _, line := range made.Missing {
			w.say("  %s", line)
		}
		return exit(reports.ExitFailed)
	}
	_, err = io.WriteString(w.out, made.Text)
	return err
}
