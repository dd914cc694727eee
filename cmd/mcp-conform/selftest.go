package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/internal/room"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// selftestFlags are the flags of selftest.
type selftestFlags struct {
	faults     []string
	suites     []string
	jobs       int
	timeout    duration
	everywhere bool
	full       bool
	shard      shard
	seed       uint64
	format     choice
}

func selftestCommand(w world) *cobra.Command {
	f := selftestFlags{timeout: duration(5 * time.Second)}
	f.format = choice{value: textFormat, known: []string{textFormat, "json"}}
	cmd := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "try the cases on servers that break one rule each",
		Long: `Judge the reference server with each of its faults, and compare the cases that
fail or warn with those that have to. The exit code is 1 when a fault is not
detected, when a case complains that must not, or when a case has no fault.

A fault is judged by the cases near it: those that must or may detect it, the
cases these depend on, all watchers, and a few others, chosen by the seed. With
--full it is judged by every case.`,
		Example:               "mcp-conform selftest --suite ping",
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), w) },
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringSliceVar(&f.faults, "fault", nil, "try only these faults, `NAMES` or patterns with * and ?; repeatable")
	s.StringSliceVar(&f.suites, "suite", nil, "try only the faults of these suites, `NAMES` joined by commas; repeatable")
	fill(s, "fault")
	fill(s, "suite")
	s.IntVar(&f.jobs, "jobs", selftest.Jobs, "judge this `number` of cases at once")
	s.Var(&f.timeout, "timeout", "wait this long for an answer")
	s.BoolVar(&f.everywhere, "everywhere", false, "try each fault in every column in which a case can notice it")
	s.BoolVar(&f.full, "full", false, "let every case judge every fault")
	s.Var(&f.shard, "shard", "try only part `i/n` of the faults, from 1/n to n/n")
	s.Uint64Var(&f.seed, "seed", 1, "choose the other cases with this `number`")
	s.Var(&f.format, "format", "write text or JSON")
	complete(cmd, "fault", faultNames)
	complete(cmd, "suite", func() []string { return suiteNames(suites.All()) })
	return cmd
}

func (f *selftestFlags) run(ctx context.Context, w world) error {
	if f.jobs < 1 {
		return &misuse{problem: "--jobs must be at least 1"}
	}
	named, err := patterns("--fault", f.faults, faultNames(), "a fault", `"mcp-conform list faults" lists them`)
	if err != nil {
		return err
	}
	pick, err := (&selectionFlags{suites: f.suites}).pick(suites.All(), nil, config.Revisions{})
	if err != nil {
		return err
	}
	subjects, err := chosen(named, pick)
	if err != nil {
		return err
	}
	cfg, err := inprocess.Config(w.env)
	if err != nil {
		return err
	}
	ctx, interrupted, stop := interruptible(ctx, w, func() {})
	defer stop()
	var tried, trials, bad atomic.Int64
	trials.Store(int64(len(subjects)))
	p := newProgress(w, func() string {
		return fmt.Sprintf("%d of %d faults tried, %d wrong", tried.Load(), trials.Load(), bad.Load())
	})
	p.start()
	limitMemory(3 << 29)        // for all that are tried at once
	defer room.Leave(1 << 30)() // trials make much garbage, and keep little
	table, err := selftest.Run(ctx, subjects, selftest.Options{
		Selected: pick, Config: cfg, Everywhere: f.everywhere, Full: f.full,
		Shard: f.shard.Shard, Jobs: f.jobs, Seed: f.seed, Timeout: time.Duration(f.timeout),
		Progress: func(r selftest.Row, of int) {
			tried.Add(1)
			trials.Store(int64(of))
			if !r.Holds() {
				bad.Add(1)
				p.leave(fmt.Sprintf("NOT OK  %s at %s over %s: %s", r.Subject, r.Column.Revision, r.Column.Transport, strings.Join(blame(r), "; ")))
			}
		},
	})
	p.stop()
	if err != nil && !interrupted() {
		return err
	}
	if len(f.faults) > 0 {
		table.Unkilled = nil // the faults left out may kill the rest
	}
	if interrupted() {
		w.say("interrupted; this is what was tried of %d faults", trials.Load())
	}
	if err := writeKills(w.out, table, f.format.value); err != nil {
		return err
	}
	switch {
	case interrupted():
		return exit(reports.ExitInterrupted)
	case !table.Holds():
		return exit(reports.ExitFailed)
	}
	return nil
}

// chosen lists the faults that are named and that a selected case has to notice.
func chosen(named globs, pick selection) ([]selftest.Subject, error) {
	all := suites.All()
	subjects := slices.DeleteFunc(inprocess.Subjects(), func(s selftest.Subject) bool {
		return !named.fit(s.Name) || pick != nil && !killsAny(s, all, pick)
	})
	if len(subjects) == 0 {
		return nil, &misuse{"no fault is selected", `"mcp-conform list faults" lists them`}
	}
	return subjects, nil
}

func killsAny(subject selftest.Subject, all []suite.Suite, pick selection) bool {
	must := subject.Must(all)
	for _, s := range all {
		for _, c := range s.Cases {
			if pick(s, c) && slices.Contains(must, c.ID) {
				return true
			}
		}
	}
	return false
}
