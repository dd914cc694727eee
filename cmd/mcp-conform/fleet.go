package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// fleetFlags are the flags of fleet.
type fleetFlags struct {
	parallel int
	resume   bool
	exitZero bool
	join     bool
	run      *runFlags // of each server
}

// serverLimit ends the judging of a server, if neither a flag nor the file sets a limit.
const serverLimit = 5 * time.Minute

// fleetSeed is the seed of all servers, so that their results can be compared.
const fleetSeed = 1

// fleetOf is a fleet with the flags of run.
func fleetOf(run runFlags) *fleetFlags {
	return &fleetFlags{run: &run, parallel: runtime.NumCPU()}
}

func fleetCommand(w world) *cobra.Command {
	f := fleetOf(runFlags{})
	cmd := &cobra.Command{
		Use:   "fleet FILE [flags]",
		Short: "judge many servers",
		Long: `Judge every server that FILE names: a fleet in YAML, or the file of an MCP
client in JSON. Each server is judged by a process and within a limit of its
own: one that hangs, dies or floods touches no other.

Each server gets the folder servers/NAME below --out, with the files of run.
Over all of them stand index.html, a page to sort, search and filter, and
fleet.json.

  defaults: {revision: all, limit: 3m}
  servers:
    - name: tides
      command: [node, tides/dist/index.js]
    - name: charts
      url: https://charts.example/mcp
      headers: {Authorization: "Bearer ${CHARTS_TOKEN}"}
    - name: harbour
      config: harbour/mcp-conform.yaml
      transport: http

A server has the keys of target, or config. It and defaults may set revision,
transport, timeout, start-timeout and limit; flags override them.

After a kill or an interrupt, the same command with --resume continues. --shard
judges every n-th server; fleet --join DIR... makes one index of the folders of
all parts.

The exit code is the worst of the servers' codes: 0 when nothing failed, 1 when
a server failed, 2 for a mistake in flags, the file or a configuration, 3 when a
server could not be judged, 130 when the fleet was interrupted.`,
		Example: "mcp-conform fleet fleet.yaml --parallel 4\n" +
			"mcp-conform fleet fleet.yaml --shard 2/4 --out part-2\n" +
			"mcp-conform fleet --join part-1 part-2 part-3 part-4 --out all",
		DisableFlagsInUseLine: true,
		Args:                  files(1, 1<<16, "want the file that names the servers"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.run.output.checkVolume(); err != nil {
				return err
			}
			switch {
			case f.join:
				return f.joinFolders(w, args, cmd.Flags())
			case len(args) > 1:
				return &misuse{"unexpected argument " + quoted(args[1]), "fleet reads one file; --join joins folders"}
			}
			return f.judge(cmd.Context(), w, args[0], cmd.Flags())
		},
	}
	own := section{"Fleet", flags()}
	own.flags.IntVar(&f.parallel, "parallel", f.parallel, "judge this `number` of servers at once (default one for each core)")
	own.flags.Lookup("parallel").DefValue = "0" // not the cores of this machine
	own.flags.BoolVar(&f.resume, "resume", false, "take over servers that an earlier run of the same fleet has judged in full")
	own.flags.BoolVar(&f.join, "join", false, "join the folders of all parts, which stand in place of FILE")
	own.flags.BoolVar(&f.exitZero, "exit-zero", false, "end with 0 when all servers had their turn, whatever was found")
	f.run.selection.shard.job = w.env
	selection := f.run.selection.section()
	selection.flags.Lookup("shard").Usage = "judge only every n-th server, part `i/n`, from 1/n to n/n; " +
		"job for i is the index of a Kubernetes Job"
	judging := f.run.judging.section()
	judging.flags.Lookup("limit").Usage = "end the judging of a server after this time (default 5m)"
	judging.flags.Lookup("seed").Usage = "`number` that all random choices follow from (default 1)"
	judging.flags.Var(&single{value: &f.run.baseline, file: true}, "baseline",
		"also read known failures from this `FILE`, for every server: where one passes, its entry is not out of date")
	sectioned(w, cmd, own, selection, judging, f.run.output.section())
	completeRun(cmd)
	return cmd
}

// judge judges the servers of a file.
func (f *fleetFlags) judge(ctx context.Context, w world, file string, set *pflag.FlagSet) error {
	if f.parallel < 1 {
		return &misuse{fmt.Sprintf("--parallel %d: want at least 1", f.parallel), ""}
	}
	plan, err := f.plan(w, file, set)
	if err != nil {
		return err
	}
	out, err := openFleet(f.run.output.dir)
	if err != nil {
		return err
	}
	defer func() { _ = out.close() }() // the next run finds files that stayed
	ctx, interrupted, stop := interruptible(ctx, w, out.abandon)
	defer stop()
	x := fleet.Index{
		Kit: reports.Kit{Name: program, Version: version()}, File: filepath.ToSlash(file), Plan: plan.digest, Named: plan.named,
		Shard: f.run.selection.shard.String(), Seed: plan.seed, Started: w.now(),
	}
	x.Servers = f.rows(ctx, w, plan, out.dir)
	x.DurationMs = w.now().Sub(x.Started).Milliseconds()
	x = x.Settled(interrupted())
	f.remarkUnneeded(&x, plan, out.dir)
	return f.deliver(w, out, x)
}

// rows takes over what was judged before, and judges the rest.
func (f *fleetFlags) rows(ctx context.Context, w world, plan fleetPlan, dir string) []fleet.Row {
	var taken []fleet.Row
	var names []string
	rest := plan.members
	if f.resume {
		rest = nil
		for _, m := range plan.members {
			row, whole := m.earlier(dir)
			if !whole {
				rest = append(rest, m)
				continue
			}
			taken, names = append(taken, row), append(names, m.name)
		}
		w.say("%s", cmp.Or(takenOver(names), "no server is taken over"))
	}
	if !f.run.output.quiet {
		w.say("judging %s, %d at once, seed %d", plural(len(rest), "server"), min(f.parallel, max(len(rest), 1)), plan.seed)
	}
	done := 0
	judged := inParallel(rest, f.parallel, func(m member) fleet.Row { return m.judged(ctx, w, dir) }, func(row fleet.Row) {
		if done++; !f.run.output.quiet {
			w.say("%d of %d: %s: %s: %s", done, len(rest), row.Name, row.Status, text.FleetRow(row))
		}
	})
	return append(taken, judged...)
}

func takenOver(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s taken over: %s", plural(len(names), "server"), strings.Join(names, ", "))
}

// deliver writes the index and the summary.
func (f *fleetFlags) deliver(w world, out *fleetFolder, x fleet.Index) error {
	code := x.Verdict.ExitCode
	if err := out.put(x); err != nil {
		w.say("%s; the index in %s is that of an earlier run, or none", err, out.dir)
		code = codeOfLost(code)
	} else {
		w.say("wrote %s and %s in %s", indexPage, indexFile, out.dir)
	}
	o := f.run.output
	if o.formats.has(textFormat) {
		err := text.WriteFleet(w.out, x, text.Options{Color: colored(o.color.value, w), Width: width(w.out), Verbose: o.verbose, Quiet: o.quiet})
		if err := unread(err); err != nil {
			w.say("%s", err)
			code = codeOfLost(code)
		}
	}
	if code == reports.ExitPassed || f.exitZero && x.Verdict.Status != reports.Stopped && code == x.Verdict.ExitCode {
		return nil
	}
	return exit(code)
}

// joinFolders makes one index of the folders of all parts.
func (f *fleetFlags) joinFolders(w world, dirs []string, set *pflag.FlagSet) error {
	var useless error
	set.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "join", "out", "format", "color", "verbose", "quiet", "exit-zero":
		default:
			useless = errors.Join(useless, &misuse{"--" + flag.Name + " is for judging, and --join judges nothing", ""})
		}
	})
	if useless != nil {
		return useless
	}
	var parts []fleet.Part
	for _, dir := range dirs {
		x, err := readIndex(dir)
		if err != nil {
			return err
		}
		parts = append(parts, fleet.Part{Name: dir, Index: x})
	}
	x, err := fleet.Join(parts)
	if err != nil {
		return &misuse{err.Error(), "a part that was killed is finished by the same command with --resume"}
	}
	out, err := openFleet(f.run.output.dir)
	if err != nil {
		return err
	}
	defer func() { _ = out.close() }() // the next run finds files that stayed
	for _, p := range parts {
		for _, row := range p.Index.Servers {
			if err := out.take(p.Name, row); err != nil {
				return err
			}
		}
	}
	return f.deliver(w, out, x)
}
